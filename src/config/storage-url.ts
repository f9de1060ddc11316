import { ConfigError } from './config-error.ts';

/** A bucket of an S3 server. */
export interface StorageUrl {
  /** URL of the server, without the bucket and without a path. */
  readonly endpoint: string;
  readonly bucket: string;
  /** Empty, or ends with a slash: the start of the names of all objects. */
  readonly prefix: string;
  readonly region: string;
  /** True if the bucket is the first segment of the path, false if it is part of the host name. */
  readonly isPathStyle: boolean;
}

const EXAMPLE = 's3://bucket/prefix?endpoint=https://s3.example.com&region=eu-1';
/** Region of servers that have no regions. */
const STANDARD_REGION = 'us-east-1';
const bucketName = /^[a-z0-9][a-z0-9.-]+[a-z0-9]$/;
/** Characters that neither a URL nor XML escapes. */
const prefixPath = /^(?:[\w-][\w.-]*(?:\/[\w-][\w.-]*)*)?$/;
const regionName = /^[a-z0-9-]+$/;
const parameters = ['endpoint', 'region', 'style'];

/**
 * Parses the URL of a bucket: `s3://bucket/prefix`, with the parameters `endpoint` (without it, Amazon's), `region`, and
 * `style`, which is `path` or `host`.
 * @throws ConfigError, which does not repeat the URL, because an operator may have put credentials into it.
 */
export function parseStorageUrl(value: string, name: string): StorageUrl {
  const fail = (reason: string): never => {
    throw new ConfigError(`${name} ${reason}, as in ${EXAMPLE}.`);
  };
  const url = URL.canParse(value) ? new URL(value) : fail('must be a URL of an S3 bucket');
  if (url.protocol !== 's3:') fail('must begin with s3://');
  if (url.username !== '' || url.password !== '') {
    fail('must not contain credentials, which are in NINEFOLD_STORAGE_KEY and NINEFOLD_STORAGE_SECRET');
  }
  const bucket = url.port === '' ? url.hostname : '';
  if (!bucketName.test(bucket)) fail('must name a bucket of lower-case letters, digits, dots and hyphens');
  const path = url.pathname.replace(/^\/|\/$/g, '');
  if (!prefixPath.test(path)) fail('must have a prefix of letters, digits, dots, hyphens, underscores and slashes');
  const unknown = [...url.searchParams.keys()].find((key) => !parameters.includes(key));
  if (unknown !== undefined || url.hash !== '') fail('may have only the parameters endpoint, region and style');
  const region = url.searchParams.get('region') ?? STANDARD_REGION;
  if (!regionName.test(region)) fail('must have a region of lower-case letters, digits and hyphens');
  const endpoint = url.searchParams.get('endpoint');
  const style = url.searchParams.get('style') ?? (endpoint === null && !bucket.includes('.') ? 'host' : 'path');
  if (style !== 'path' && style !== 'host') fail('must have the style path or host');
  return {
    endpoint:
      endpoint === null
        ? `https://s3.${region}.amazonaws.com`
        : (originOf(endpoint) ?? fail('must have the http or https URL of a server without a path as its endpoint')),
    bucket,
    prefix: path === '' ? '' : `${path}/`,
    region,
    isPathStyle: style === 'path',
  };
}

/** Returns the origin of a URL without path, query and credentials; null for any other text. */
function originOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const isBare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return isBare ? url.origin : null;
}
