import { limits } from '../../../../contract/limits.ts';
import { NinefoldError } from '../../../errors/ninefold-error.ts';
import {
  ALGORITHM,
  amzTime,
  canonicalPath,
  canonicalRequest,
  type QueryPair,
  type Scope,
  UNSIGNED_PAYLOAD,
} from '../../../files/sign-v4.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** The parts of a request that its signature covers. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query as the client sent them. */
  readonly target: string;
  readonly headers: Headers;
}

/** A request with a signature that is not verified yet. */
export interface SignedRequest {
  readonly accessKey: string;
  readonly signature: string;
  readonly scope: Scope;
  /** The signed time, as in x-amz-date. */
  readonly time: string;
  /** The token of a session; null for a request with an access key of its own. */
  readonly sessionToken: string | null;
  /** The header x-amz-content-sha256. */
  readonly payloadHash: string;
  /** The text that the signature covers through its hash. */
  readonly canonical: string;
}

/** The parts of a signature in the header Authorization or in the query. */
interface Authorization {
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly time: string;
  readonly sessionToken: string | null;
  readonly payloadHash: string;
  /** Seconds for which a presigned URL is valid; null for a signature in the header. */
  readonly expires: number | null;
}

/**
 * Reads the signature of a request: AWS Signature Version 4 in the header Authorization or in the query
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html).
 * @param now In milliseconds since 1970.
 * @throws NinefoldError AccessDenied for a request without a signature; AuthorizationHeaderMalformed,
 * MissingSecurityHeader, RequestTimeTooSkewed, RequestExpired, NotImplemented, InvalidURI.
 */
export function readSignedRequest(request: ReceivedRequest, now: number): SignedRequest {
  const mark = request.target.indexOf('?');
  const path = mark < 0 ? request.target : request.target.slice(0, mark);
  const pairs = mark < 0 ? [] : readPairs(request.target.slice(mark + 1));
  const { authorization } = request.headers;
  const parts =
    authorization === undefined ? fromQuery(pairs, request.headers) : fromHeaders(authorization, request.headers);
  const { accessKey, scope } = readCredential(parts.credential);
  checkTime(parts, scope, now);
  checkHeaders(parts, request.headers);
  const canonical = canonicalRequest({
    method: request.method,
    path: decodable(() => canonicalPath(path)),
    query: pairs.filter(([name]) => name !== 'X-Amz-Signature'),
    headers: request.headers,
    signedHeaders: parts.signedHeaders,
    payloadHash: parts.payloadHash,
  });
  const { signature, time, sessionToken, payloadHash } = parts;
  return { accessKey, scope, signature, time, sessionToken, payloadHash, canonical };
}

/** Decodes the pairs of a query. A plus sign is a plus sign. @throws NinefoldError InvalidURI */
function readPairs(query: string): readonly QueryPair[] {
  return query.split('&').flatMap((pair): QueryPair[] => {
    if (pair === '') return [];
    const equals = pair.indexOf('=');
    const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    return [decodable(() => [decodeURIComponent(name), decodeURIComponent(value)])];
  });
}

function decodable<Value>(read: () => Value): Value {
  try {
    return read();
  } catch {
    throw new NinefoldError('InvalidURI');
  }
}

function fromHeaders(authorization: string, headers: Headers): Authorization {
  const space = authorization.indexOf(' ');
  const algorithm = space < 0 ? authorization : authorization.slice(0, space);
  checkAlgorithm(algorithm);
  const fields = new Map<string, string>();
  for (const field of authorization.slice(algorithm.length).split(',')) {
    const equals = field.indexOf('=');
    if (equals > 0) fields.set(field.slice(0, equals).trim(), field.slice(equals + 1).trim());
  }
  const { date, 'x-amz-date': amzDate, 'x-amz-content-sha256': payloadHash } = headers;
  const time = amzDate ?? timeOfDate(date);
  if (time === null) throw missing('x-amz-date');
  if (payloadHash === undefined) throw missing('x-amz-content-sha256');
  return {
    ...signatureFields(fields.get('Credential'), fields.get('SignedHeaders'), fields.get('Signature')),
    time,
    sessionToken: headers['x-amz-security-token'] ?? null,
    payloadHash,
    expires: null,
  };
}

function fromQuery(pairs: readonly QueryPair[], headers: Headers): Authorization {
  const parameters = new Map(pairs);
  const algorithm = parameters.get('X-Amz-Algorithm');
  if (algorithm === undefined) {
    // The AWS CLI presigns with version 2 for the region us-east-1.
    if (!parameters.has('Signature'))
      throw new NinefoldError('AccessDenied', { message: 'The request has no signature.' });
    throw wrongVersion();
  }
  checkAlgorithm(algorithm);
  const expires = parameters.get('X-Amz-Expires') ?? '';
  const max = limits.s3PresignedSeconds.default;
  if (!/^\d{1,9}$/.test(expires) || Number(expires) < 1 || Number(expires) > max) {
    throw malformed(`X-Amz-Expires is a number of seconds from 1 to ${max}.`);
  }
  const fields = signatureFields(
    parameters.get('X-Amz-Credential'),
    parameters.get('X-Amz-SignedHeaders'),
    parameters.get('X-Amz-Signature'),
  );
  const { 'x-amz-content-sha256': sentHash } = headers;
  const signedHash = fields.signedHeaders.includes('x-amz-content-sha256') ? sentHash : undefined;
  return {
    ...fields,
    time: parameters.get('X-Amz-Date') ?? '',
    sessionToken: parameters.get('X-Amz-Security-Token') ?? null,
    payloadHash: parameters.get('X-Amz-Content-Sha256') ?? signedHash ?? UNSIGNED_PAYLOAD,
    expires: Number(expires),
  };
}

function checkAlgorithm(algorithm: string): void {
  if (algorithm === ALGORITHM) return;
  if (algorithm === 'AWS4-ECDSA-P256-SHA256') {
    throw new NinefoldError('NotImplemented', { message: `Sign with ${ALGORITHM} in place of ${algorithm}.` });
  }
  throw wrongVersion();
}

function signatureFields(
  credential: string | undefined,
  signedHeaders: string | undefined,
  signature: string | undefined,
) {
  if (credential === undefined || signedHeaders === undefined || signature === undefined) {
    throw malformed('The signature needs Credential, SignedHeaders and Signature.');
  }
  return { credential, signedHeaders: signedHeaders.toLowerCase().split(';'), signature };
}

/** Reads `<access key>/<date>/<region>/s3/aws4_request`. Any region is valid, because an app is at one place. */
function readCredential(credential: string): { accessKey: string; scope: Scope } {
  const match = /^([^/]+)\/(\d{8})\/([^/]*)\/([^/]+)\/aws4_request$/.exec(credential);
  if (!match) throw malformed('The credential has the form <access key>/<date>/<region>/s3/aws4_request.');
  const [, accessKey, date, region, service] = match as unknown as [string, string, string, string, string];
  if (service !== 's3') throw malformed('The credential must be for the service s3.');
  return { accessKey, scope: { date, region, service } };
}

const TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** Checks that a signature was made recently, or that a presigned URL is still valid. */
function checkTime({ time, expires }: Authorization, scope: Scope, now: number): void {
  const match = TIME.exec(time);
  const signedAt = match ? Date.parse(time.replace(TIME, '$1-$2-$3T$4:$5:$6Z')) : Number.NaN;
  if (Number.isNaN(signedAt)) throw malformed('The time has the form 20130524T000000Z.');
  if (!time.startsWith(scope.date)) throw malformed('The date of the credential is not the day of the signed time.');
  const age = now - signedAt;
  const skew = limits.s3SkewSeconds.default * 1000;
  if (age < -skew || (expires === null && age > skew)) throw new NinefoldError('RequestTimeTooSkewed');
  if (expires !== null && age > expires * 1000) throw new NinefoldError('RequestExpired');
}

/**
 * Checks that the signature covers the host and every header `x-amz-…`, so that nobody on the way can add one. A
 * presigned URL need not cover the hash of the body.
 */
function checkHeaders({ signedHeaders, expires }: Authorization, headers: Headers): void {
  if (!signedHeaders.includes('host')) throw malformed('The signature must cover the header host.');
  const unsigned = Object.keys(headers).filter(
    (name) =>
      name.startsWith('x-amz-') &&
      !signedHeaders.includes(name) &&
      !(expires !== null && name === 'x-amz-content-sha256'),
  );
  if (unsigned.length === 0) return;
  throw new NinefoldError('AccessDenied', {
    message: `The signature does not cover these headers of the request: ${unsigned.join(', ')}.`,
  });
}

/** Returns the time of the header Date in the form of x-amz-date; null without one. */
function timeOfDate(date: string | undefined): string | null {
  const milliseconds = Date.parse(date ?? '');
  return Number.isNaN(milliseconds) ? null : amzTime(milliseconds);
}

const malformed = (message: string): NinefoldError => new NinefoldError('AuthorizationHeaderMalformed', { message });
const wrongVersion = (): NinefoldError =>
  malformed(`Sign with AWS Signature Version 4 (${ALGORITHM}). The AWS CLI does so for every region but us-east-1.`);
const missing = (name: string): NinefoldError =>
  new NinefoldError('MissingSecurityHeader', { message: `The header ${name} is missing.` });
