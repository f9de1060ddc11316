import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressPolicy } from '../../jobs/public-address.ts';
import { resolveHost } from '../../jobs/resolve-host.ts';
import { lookupOf, onNoResponse } from '../../jobs/send-request.ts';
import { ImportError } from './bundle-error.ts';

/** Redirects that are followed for one module. */
const MAX_REDIRECTS = 10;
/** Statuses of HTTP (RFC 9110, section 15). */
const HTTP_OK = 200;
const HTTP_REDIRECT = 300;
const HTTP_ERROR = 400;
/** Ports of URLs without one. */
const HTTPS_PORT = 443;
const HTTP_PORT = 80;

/** Bounds of the downloads of a deployment: their bytes, their time, and the addresses that they may reach. */
export interface Downloads {
  readonly policy: AddressPolicy;
  readonly signal: AbortSignal;
  /** Counts received bytes. @throws ImportError if they are too many. */
  count(bytes: number): void;
}

/** A module as a server sent it. */
export interface Downloaded {
  /** The address after redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/**
 * Loads a module from a public address.
 * @throws ImportError with a sentence for the builder
 */
export async function download(address: string, downloads: Downloads): Promise<Downloaded> {
  let url = new URL(address);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await get(url, downloads);
    const { statusCode: status = 0, headers } = response;
    if (status >= HTTP_REDIRECT && status < HTTP_ERROR && headers.location !== undefined) {
      response.destroy();
      url = new URL(headers.location, url);
      continue;
    }
    if (status !== HTTP_OK) {
      response.destroy();
      throw new ImportError(`${url.href} answers ${status}.`);
    }
    const bytes = await readAll(response, downloads);
    return { url: url.href, contentType: String(headers['content-type'] ?? ''), bytes };
  }
  throw new ImportError(`${address} has too many redirects.`);
}

async function get(url: URL, { policy, signal }: Downloads): Promise<IncomingMessage> {
  const isTls = url.protocol === 'https:';
  if (!isTls && url.protocol !== 'http:') throw new ImportError(`${url.href} is no address of HTTP.`);
  const port = url.port === '' ? (isTls ? HTTPS_PORT : HTTP_PORT) : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = (await resolveHost(host, signal)).filter((each) => policy.allows(each, port));
  if (addresses.length === 0) throw new ImportError(`${url.host} has no public address that the node can reach.`);
  return new Promise((resolve, reject) => {
    const send = isTls ? requestHttps : requestHttp;
    const request = send(
      url,
      { lookup: lookupOf(addresses), agent: false, signal, headers: { 'user-agent': 'Deno/2 ninefold' } },
      resolve,
    );
    onNoResponse(request, (error) => reject(new ImportError(`${url.href} cannot be loaded: ${error.message}`)));
    request.end();
  });
}

async function readAll(response: IncomingMessage, downloads: Downloads): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    downloads.count(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Loads a file of a registry that the operator of the node chose, so its address need not be public.
 * @throws ImportError
 */
export async function downloadFromRegistry(
  url: string,
  { signal, count }: Pick<Downloads, 'signal' | 'count'>,
  accept = '*/*',
): Promise<Buffer> {
  const response = await fetch(url, { signal, headers: { accept } }).catch((error: Error) => {
    throw new ImportError(`The registry cannot be reached at ${new URL(url).origin}: ${reasonOf(error)}`);
  });
  if (!response.ok) throw new ImportError(`The registry answers ${response.status} to ${url}.`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    count(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const reasonOf = (error: Error): string => {
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
};
