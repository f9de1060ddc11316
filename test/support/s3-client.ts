import { createHash, createHmac } from 'node:crypto';
import type { AppConnection } from '../../contract/admin.ts';
import type { CreatedS3Key } from '../../contract/files.ts';
import { admin } from './apps.ts';
import { type HttpResponse, send } from './http.ts';
import type { NodeAddress } from './node.ts';

/** The access of a client to the S3 protocol of an app. */
export interface S3Access {
  /** The address of the protocol: `<app>/storage/v1/s3`. */
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secret: string;
  readonly sessionToken?: string;
  /** The origin to connect to, if the host of the endpoint has no address. */
  readonly connectTo?: string;
}

export interface S3Request {
  /** The query, encoded as it is sent and signed, with sorted names: `list-type=2&prefix=a%2F`. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The header x-amz-content-sha256; the hash of the body by default. */
  readonly payloadHash?: string;
  /** The signed time in milliseconds since 1970; the current time by default. */
  readonly time?: number;
  /** Headers that are sent but not signed. */
  readonly unsigned?: Readonly<Record<string, string>>;
}

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Percent-encodes a text as AWS does: each byte except the unreserved characters. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const REGION = 'us-east-1';
const amzTime = (time: number): string => new Date(time).toISOString().replace(/[-:]|\.\d+/g, '');

/**
 * A client of the S3 protocol that signs requests itself and sends them exactly as they are given. Its signatures are
 * written for the tests and share no code with the node.
 */
export class S3Client {
  readonly #access: S3Access;

  constructor(access: S3Access) {
    this.#access = access;
  }

  /** Sends a signed request. @param path `/bucket/key`, not encoded. */
  send(method: string, path: string, request: S3Request = {}): Promise<HttpResponse> {
    const { endpoint, connectTo } = this.#access;
    const { query = '', headers = {}, body, unsigned = {} } = request;
    const { origin, host, pathname } = new URL(endpoint);
    const target = pathname + path.split('/').map(encoded).join('/');
    const payloadHash = request.payloadHash ?? sha256(body ?? '');
    const signed = { ...headers, host, 'x-amz-content-sha256': payloadHash };
    const authorization = this.authorize(method, target, query, signed, payloadHash, request.time);
    return send(connectTo ?? origin, query === '' ? target : `${target}?${query}`, {
      method,
      headers: { ...signed, ...authorization, ...unsigned },
      ...(body !== undefined && { body }),
    });
  }

  /** Returns the headers that sign a request. */
  authorize(
    method: string,
    target: string,
    query: string,
    headers: Readonly<Record<string, string>>,
    payloadHash: string,
    time = Date.now(),
  ): Record<string, string> {
    const { accessKey, sessionToken } = this.#access;
    const date = amzTime(time);
    const own = { 'x-amz-date': date, ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }) };
    const all: Record<string, string> = { ...headers, ...own };
    const names = Object.keys(all).sort();
    const lines = names.map((name) => `${name}:${all[name]}\n`).join('');
    const signedQuery = query
      .split('&')
      .map((pair) => (pair === '' || pair.includes('=') ? pair : `${pair}=`))
      .join('&');
    const canonical = [method, target, signedQuery, lines, names.join(';'), payloadHash].join('\n');
    const signature = this.#sign(date, canonical);
    const credential = `${accessKey}/${date.slice(0, 8)}/${REGION}/s3/aws4_request`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
    return { ...own, authorization };
  }

  /** Returns a presigned target below the origin. */
  presign(method: string, path: string, seconds: number, { time = Date.now() } = {}): string {
    const { accessKey, endpoint, sessionToken } = this.#access;
    const { host, pathname } = new URL(endpoint);
    const target = pathname + path.split('/').map(encoded).join('/');
    const date = amzTime(time);
    const parameters: Record<string, string> = {
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': `${accessKey}/${date.slice(0, 8)}/${REGION}/s3/aws4_request`,
      'X-Amz-Date': date,
      'X-Amz-Expires': String(seconds),
      ...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
      'X-Amz-SignedHeaders': 'host',
    };
    const query = Object.entries(parameters)
      .map(([name, value]) => `${name}=${encoded(value)}`)
      .join('&');
    const canonical = [method, target, query, `host:${host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join('\n');
    return `${target}?${query}&X-Amz-Signature=${this.#sign(date, canonical)}`;
  }

  /**
   * Sends a body in chunks with signatures (aws-chunked).
   * @param change Changes the body after it was signed.
   */
  sendChunks(
    path: string,
    content: Buffer,
    { chunkBytes = 65_536, change = (body: Buffer) => body } = {},
  ): Promise<HttpResponse> {
    const { origin, host, pathname } = new URL(this.#access.endpoint);
    const target = pathname + path.split('/').map(encoded).join('/');
    const payloadHash = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
    const headers = {
      host,
      'content-encoding': 'aws-chunked',
      'x-amz-content-sha256': payloadHash,
      'x-amz-decoded-content-length': String(content.length),
    };
    const own = this.authorize('PUT', target, '', headers, payloadHash);
    const date = own['x-amz-date'] ?? '';
    let previous = own.authorization?.split('Signature=')[1] ?? '';
    const parts: Buffer[] = [];
    for (let i = 0, isLast = false; !isLast; i += chunkBytes) {
      const chunk = content.subarray(i, i + chunkBytes);
      isLast = chunk.length === 0;
      const lines = ['AWS4-HMAC-SHA256-PAYLOAD', date, this.#scope(date), previous, sha256(''), sha256(chunk)];
      previous = hmac(this.#key(date), lines.join('\n')).toString('hex');
      parts.push(
        Buffer.from(`${chunk.length.toString(16)};chunk-signature=${previous}\r\n`),
        chunk,
        Buffer.from('\r\n'),
      );
    }
    return send(origin, target, { method: 'PUT', headers: { ...headers, ...own }, body: change(Buffer.concat(parts)) });
  }

  #sign(date: string, canonical: string): string {
    const text = ['AWS4-HMAC-SHA256', date, this.#scope(date), sha256(canonical)].join('\n');
    return hmac(this.#key(date), text).toString('hex');
  }

  #scope(date: string): string {
    return `${date.slice(0, 8)}/${REGION}/s3/aws4_request`;
  }

  #key(date: string): Buffer {
    const day = hmac(`AWS4${this.#access.secret}`, date.slice(0, 8));
    return hmac(hmac(hmac(day, REGION), 's3'), 'aws4_request');
  }
}

/** Creates an access key of an app. */
export async function createS3Access(node: NodeAddress, app: Pick<AppConnection, 'ref' | 'url'>): Promise<S3Access> {
  const { id, secret } = await admin<CreatedS3Key>(node, 'POST', `/apps/${app.ref}/files/s3-keys`, { name: 'test' });
  return { endpoint: `${app.url}/storage/v1/s3`, accessKey: id, secret };
}

/** Returns the text of all elements with a name in a document, with references resolved. */
export const textsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) =>
    text.replace(/&(?:(amp|lt|gt|quot)|#(\d+));/g, (_, entity?: string, code?: string) =>
      entity === undefined ? String.fromCodePoint(Number(code)) : (references[entity] ?? ''),
    ),
  );

const references: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
