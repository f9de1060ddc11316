import { createHash, createHmac } from 'node:crypto';

/**
 * Signatures of AWS, version 4, as S3 uses them. A client makes and a server checks a signature with the same functions:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
 */

export const ALGORITHM = 'AWS4-HMAC-SHA256';
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
/** SHA-256 of an empty body. */
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Name and value of a query parameter, without percent-encoding. */
export type QueryPair = readonly [name: string, value: string];

/** The parts of a request that a signature covers. */
export interface SignableRequest {
  readonly method: string;
  /** The path as `encodePath` writes it. A server passes the path that it received through `canonicalPath`. */
  readonly path: string;
  /** The query parameters in any order, without X-Amz-Signature. */
  readonly query: readonly QueryPair[];
  /** The headers, with names in lower case. Only those of `signedHeaders` are covered. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Names in lower case. */
  readonly signedHeaders: readonly string[];
  /** The value of x-amz-content-sha256: SHA-256 of the body in hexadecimal digits, or UNSIGNED-PAYLOAD. */
  readonly payloadHash: string;
}

/** The day, region and service for which a signing key is valid. */
export interface Scope {
  /** YYYYMMDD. */
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

export interface SigningCredentials {
  readonly accessKey: string;
  readonly secret: string;
}

/** Percent-encodes every byte except the unreserved characters of RFC 3986. */
const encodeUri = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Percent-encodes a path, but not its slashes. S3 encodes once and keeps `.`, `..` and double slashes. */
export const encodePath = (path: string): string => path.split('/').map(encodeUri).join('/');

/** Returns the path that a client signed. @throws URIError if the path has an invalid escape. */
export const canonicalPath = (path: string): string => path.split('/').map(decodeURIComponent).map(encodeUri).join('/');

/** Returns the query as it is signed: encoded, and sorted by name and value. A client can send this text. */
export const canonicalQuery = (query: readonly QueryPair[]): string =>
  query
    .map(([name, value]) => [encodeUri(name), encodeUri(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the text that the signature covers through its hash. */
export function canonicalRequest(request: SignableRequest): string {
  const names = [...request.signedHeaders].sort(compare);
  const headers = names.map((name) => `${name}:${(request.headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`);
  return [
    request.method,
    request.path,
    canonicalQuery(request.query),
    headers.join(''),
    names.join(';'),
    request.payloadHash,
  ].join('\n');
}

export const scopeText = ({ date, region, service }: Scope): string => `${date}/${region}/${service}/aws4_request`;

/** Returns the text that is signed. @param time YYYYMMDD'T'HHMMSS'Z', as in x-amz-date. */
export const stringToSign = (time: string, scope: Scope, canonical: string): string =>
  [ALGORITHM, time, scopeText(scope), sha256(canonical)].join('\n');

/** Derives the key of one day, region and service from the secret key. */
export function signingKey(secret: string, { date, region, service }: Scope): Buffer {
  return [date, region, service, 'aws4_request'].reduce<Buffer>(
    (key, part) => hmac(key, part),
    Buffer.from(`AWS4${secret}`),
  );
}

/** Returns the signature of a text in hexadecimal digits. */
export const signText = (key: Buffer, text: string): string => hmac(key, text).toString('hex');

/** Returns the signature of a request in hexadecimal digits. */
export function signatureOf(request: SignableRequest, time: string, scope: Scope, secret: string): string {
  return signText(signingKey(secret, scope), stringToSign(time, scope, canonicalRequest(request)));
}

/** Writes a time as x-amz-date has it: 20130524T000000Z. */
export const amzTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/[-:]|\.\d{3}/g, '');

/** Returns the scope of a request to S3. @param time As `amzTime` writes it. */
const scopeOf = (time: string, region: string): Scope => ({ date: time.replace(/T.*$/, ''), region, service: 's3' });

/** A request to sign. All its headers are signed; they include `host`. */
export type UnsignedRequest = Omit<SignableRequest, 'signedHeaders'> & {
  readonly headers: Readonly<Record<string, string>>;
};

/** Returns the headers of a request with those that sign it. @param now In milliseconds. */
export function signHeaders(
  request: UnsignedRequest,
  credentials: SigningCredentials,
  region: string,
  now: number,
): Record<string, string> {
  const time = amzTime(now);
  const headers = { ...request.headers, 'x-amz-content-sha256': request.payloadHash, 'x-amz-date': time };
  const signedHeaders = Object.keys(headers).sort(compare);
  const scope = scopeOf(time, region);
  const signature = signatureOf({ ...request, headers, signedHeaders }, time, scope, credentials.secret);
  const credential = `${credentials.accessKey}/${scopeText(scope)}`;
  const authorization = `${ALGORITHM} Credential=${credential},SignedHeaders=${signedHeaders.join(';')},Signature=${signature}`;
  return { ...headers, authorization };
}

/** Returns the query of a presigned URL. @param seconds How long the URL is valid. @param now In milliseconds. */
export function presignQuery(
  request: Omit<UnsignedRequest, 'payloadHash'>,
  credentials: SigningCredentials,
  region: string,
  seconds: number,
  now: number,
): QueryPair[] {
  const time = amzTime(now);
  const signedHeaders = Object.keys(request.headers).sort(compare);
  const scope = scopeOf(time, region);
  const query: QueryPair[] = [
    ...request.query,
    ['X-Amz-Algorithm', ALGORITHM],
    ['X-Amz-Credential', `${credentials.accessKey}/${scopeText(scope)}`],
    ['X-Amz-Date', time],
    ['X-Amz-Expires', String(seconds)],
    ['X-Amz-SignedHeaders', signedHeaders.join(';')],
  ];
  const signed = { ...request, query, signedHeaders, payloadHash: UNSIGNED_PAYLOAD };
  return [...query, ['X-Amz-Signature', signatureOf(signed, time, scope, credentials.secret)]];
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
