import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { canonicalPath, type QueryPair, signatureOf } from '../../src/files/sign-v4.ts';

/** Faults of the server. A number counts the requests that still have the fault. */
export interface S3Faults {
  /** Milliseconds before a response. */
  delay: number;
  /** Requests that get 503. */
  unavailable: number;
  /** Requests whose connection is reset before a response. */
  resets: number;
  /** Reads that end after half of the promised bytes. */
  truncatedReads: number;
  /** Reads that send half of the promised bytes and then nothing. */
  hangingReads: number;
  /** Reads that promise and send only half of the object, with status 200. */
  shortReads: number;
  /** Uploads that are confirmed, but stored without the last byte. */
  truncatedWrites: number;
  /** Parts whose confirmed ETag is not theirs. */
  wrongEtags: number;
  /** Joined uploads and copies that fail after the status 200. */
  lateErrors: number;
  /** Joined uploads that succeed and whose response is lost. */
  lostResponses: number;
  /** True if the server cannot delete several objects with one request. */
  lacksBulkDelete: boolean;
}

const noFaults: S3Faults = {
  ...{ delay: 0, unavailable: 0, resets: 0, truncatedReads: 0, hangingReads: 0, shortReads: 0 },
  ...{ truncatedWrites: 0, wrongEtags: 0, lateErrors: 0, lostResponses: 0, lacksBulkDelete: false },
};

export interface S3Server {
  readonly url: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secret: string;
  readonly region: string;
  readonly faults: S3Faults;
  /** The objects by name. */
  readonly objects: Map<string, Buffer>;
  /** Method and URL of each request, in the order of arrival. */
  readonly requests: string[];
  /** Returns the number of unfinished uploads. */
  openUploads(): number;
  openConnections(): Promise<number>;
  /** Removes all faults and unfinished uploads, and forgets the requests. */
  reset(): void;
  close(): Promise<void>;
}

/** A response with an error document. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/** A failure that the server notices after the status 200. */
class LateRefusal extends Refusal {
  constructor() {
    super(200, 'InternalError');
  }
}

interface Call {
  readonly method: string;
  readonly object: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly response: ServerResponse;
}

const PAGE = 1000;
const MAX_SKEW = 15 * 60 * 1000;
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const etagOf = (bytes: Uint8Array) => `"${md5(bytes)}"`;
const escapeXml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const xml = (root: string, content: string) => `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${content}</${root}>`;
const tag = (name: string, text: string | number) => `<${name}>${escapeXml(String(text))}</${name}>`;
const tagsIn = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, found = '']) =>
    found.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  );

/** Starts an S3 server with one bucket in memory. It checks the signature and the hash of each request. */
export async function startS3Server(): Promise<S3Server> {
  const credentials = { accessKey: 'AKTEST', secret: randomUUID(), region: 'test-1' };
  const bucket = 'test-bucket';
  const faults = { ...noFaults };
  const objects = new Map<string, Buffer>();
  const modified = new Map<string, string>();
  const uploads = new Map<string, Map<number, Buffer>>();
  const requests: string[] = [];

  const has = (name: { [K in keyof S3Faults]: S3Faults[K] extends number ? K : never }[keyof S3Faults]) => {
    if (faults[name] <= 0) return false;
    faults[name]--;
    return true;
  };
  const sendXml = (response: ServerResponse, root: string, content: string) => {
    response.writeHead(200, { 'content-type': 'application/xml' }).end(xml(root, content));
  };
  const store = (object: string, bytes: Buffer) => {
    objects.set(object, has('truncatedWrites') ? bytes.subarray(0, -1) : bytes);
    modified.set(object, new Date().toISOString());
  };
  const find = (object: string): Buffer => {
    const bytes = objects.get(object);
    if (!bytes) throw new Refusal(404, 'NoSuchKey');
    return bytes;
  };
  const partsOf = (query: URLSearchParams): Map<number, Buffer> => {
    const parts = uploads.get(query.get('uploadId') ?? '');
    if (!parts) throw new Refusal(404, 'NoSuchUpload');
    return parts;
  };

  function read({ method, object, headers, response }: Call): void {
    const bytes = find(object);
    const etag = etagOf(bytes);
    if (headers['if-match'] !== undefined && headers['if-match'] !== etag) throw new Refusal(412, 'PreconditionFailed');
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    const start = Number(from ?? 0);
    if (from !== undefined && start >= bytes.length) throw new Refusal(416, 'InvalidRange');
    const end = Math.min(to ? Number(to) : bytes.length - 1, bytes.length - 1);
    let part = bytes.subarray(start, end + 1);
    const isGet = method === 'GET';
    if (isGet && has('shortReads')) part = part.subarray(0, part.length >> 1);
    if (from !== undefined)
      response.setHeader('content-range', `bytes ${start}-${start + part.length - 1}/${bytes.length}`);
    response.writeHead(from === undefined ? 200 : 206, { etag, 'content-length': part.length });
    if (isGet && has('truncatedReads')) {
      response.write(part.subarray(0, part.length >> 1), () => response.socket?.destroy());
    } else if (isGet && has('hangingReads')) response.write(part.subarray(0, part.length >> 1));
    else response.end(isGet ? part : undefined);
  }

  function write({ object, query, headers, body, response }: Call): void {
    let bytes = body;
    const source = headers['x-amz-copy-source'];
    if (typeof source === 'string') {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(headers['x-amz-copy-source-range'] ?? '')) ?? [];
      bytes = find(decodeURIComponent(source).slice(bucket.length + 2));
      if (from !== undefined) bytes = bytes.subarray(Number(from), Number(to) + 1);
    }
    const etag = has('wrongEtags') ? etagOf(Buffer.from('wrong')) : etagOf(bytes);
    const isPart = query.has('partNumber');
    if (source !== undefined && has('lateErrors')) throw new LateRefusal();
    if (isPart) partsOf(query).set(Number(query.get('partNumber')), bytes);
    else store(object, bytes);
    if (source === undefined) response.writeHead(200, { etag }).end();
    else sendXml(response, isPart ? 'CopyPartResult' : 'CopyObjectResult', tag('ETag', etag));
  }

  function join({ object, query, body, response }: Call): void {
    const parts = partsOf(query);
    const text = body.toString();
    const [numbers, etags] = [tagsIn(text, 'PartNumber'), tagsIn(text, 'ETag')];
    const bytes = numbers.map((number, index) => {
      const part = parts.get(Number(number));
      if (!part || etagOf(part) !== etags[index]) throw new Refusal(400, 'InvalidPart');
      return part;
    });
    if (has('lateErrors')) throw new LateRefusal();
    store(object, Buffer.concat(bytes));
    uploads.delete(query.get('uploadId') ?? '');
    if (has('lostResponses')) response.socket?.destroy();
    else
      sendXml(response, 'CompleteMultipartUploadResult', tag('ETag', `"${md5(Buffer.concat(bytes))}-${bytes.length}"`));
  }

  function deleteMany({ headers, body, response }: Call): void {
    if (faults.lacksBulkDelete) throw new Refusal(501, 'NotImplemented');
    const expected = createHash('md5').update(body).digest('base64');
    if (headers['content-md5'] !== expected) throw new Refusal(400, 'BadDigest');
    const keys = tagsIn(body.toString(), 'Key');
    if (keys.length > PAGE) throw new Refusal(400, 'MalformedXML');
    for (const key of keys) objects.delete(key);
    sendXml(response, 'DeleteResult', keys.map((key) => `<Deleted>${tag('Key', key)}</Deleted>`).join(''));
  }

  function list({ query, response }: Call): void {
    const prefix = query.get('prefix') ?? '';
    const after = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString();
    const count = Math.min(Number(query.get('max-keys') ?? PAGE), PAGE);
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, count);
    const entries = page.map((key) => {
      const bytes = find(key);
      const fields = [
        tag('Key', key),
        tag('Size', bytes.length),
        tag('LastModified', modified.get(key) ?? new Date(0).toISOString()),
      ];
      return `<Contents>${fields.join('')}${tag('ETag', etagOf(bytes))}</Contents>`;
    });
    const isTruncated = keys.length > page.length;
    const next = Buffer.from(page.at(-1) ?? '').toString('base64');
    const rest = isTruncated ? tag('NextContinuationToken', next) : '';
    sendXml(response, 'ListBucketResult', tag('IsTruncated', String(isTruncated)) + rest + entries.join(''));
  }

  function create({ response }: Call): void {
    const id = randomUUID();
    uploads.set(id, new Map());
    sendXml(response, 'InitiateMultipartUploadResult', tag('UploadId', id));
  }

  function abort({ query, response }: Call): void {
    partsOf(query);
    uploads.delete(query.get('uploadId') ?? '');
    response.writeHead(204).end();
  }

  function remove({ object, response }: Call): void {
    objects.delete(object);
    response.writeHead(204).end();
  }

  function handlerOf({ method, object, query }: Call): ((call: Call) => void) | null {
    const name = `${method} ${object === '' ? 'bucket' : 'object'}`;
    if (name === 'GET bucket' && query.get('list-type') === '2') return list;
    if (name === 'POST bucket' && query.has('delete')) return deleteMany;
    if (name === 'GET object' || name === 'HEAD object') return read;
    if (name === 'PUT object') return write;
    if (name === 'POST object') return query.has('uploads') ? create : join;
    if (name === 'DELETE object') return query.has('uploadId') ? abort : remove;
    return null;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    requests.push(`${method} ${request.url}`);
    try {
      if (has('resets')) return void request.socket.destroy();
      // Like a busy server, this one does not wait for the body before it refuses.
      if (has('unavailable')) throw new Refusal(503, 'SlowDown');
      const body = await buffer(request);
      if (faults.delay > 0) await new Promise((resolve) => setTimeout(resolve, faults.delay));
      const url = new URL(request.url ?? '', 'http://server');
      checkSignature(request, url, body, credentials);
      const [, found, ...rest] = url.pathname.split('/');
      if (found !== bucket) throw new Refusal(404, 'NoSuchBucket');
      const object = decodeURIComponent(rest.join('/'));
      const call = { method, object, query: url.searchParams, headers, body, response };
      const handler = handlerOf(call);
      if (!handler) throw new Refusal(501, 'NotImplemented');
      handler(call);
    } catch (error) {
      const { status, code } = error instanceof Refusal ? error : new Refusal(500, 'InternalError');
      const details = tag('Code', code) + tag('Message', `The key ${credentials.accessKey} was refused.`);
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(method === 'HEAD' ? undefined : xml('Error', details));
    }
  }

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    ...credentials,
    ...{ bucket, faults, objects, requests },
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    openUploads: () => uploads.size,
    openConnections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    reset: () => {
      Object.assign(faults, noFaults);
      requests.length = 0;
      uploads.clear();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** @throws Refusal unless the request is signed with the credentials and its body has the signed hash. */
function checkSignature(
  { method = '', headers }: IncomingMessage,
  url: URL,
  body: Buffer,
  { accessKey, secret, region }: { accessKey: string; secret: string; region: string },
): void {
  const fields =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,\s*SignedHeaders=([\w;-]+),\s*Signature=(\w{64})$/;
  const [, id, date = '', scope = '', names = '', signature] = fields.exec(headers.authorization ?? '') ?? [];
  if (id !== accessKey) throw new Refusal(403, 'InvalidAccessKeyId');
  if (scope !== region) throw new Refusal(400, 'AuthorizationHeaderMalformed');
  const time = String(headers['x-amz-date']);
  const sentAt = Date.parse(time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(Date.now() - sentAt) < MAX_SKEW) || !time.startsWith(date))
    throw new Refusal(403, 'RequestTimeTooSkewed');
  const signedHeaders = names.split(';');
  const unsigned = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  if (!unsigned.every((name) => signedHeaders.includes(name))) throw new Refusal(403, 'AccessDenied');
  const request = {
    method,
    path: canonicalPath(url.pathname),
    query: [...url.searchParams] as QueryPair[],
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    signedHeaders,
    payloadHash: String(headers['x-amz-content-sha256']),
  };
  if (signatureOf(request, time, { date, region, service: 's3' }, secret) !== signature) {
    throw new Refusal(403, 'SignatureDoesNotMatch');
  }
  if (request.payloadHash !== sha256(body)) throw new Refusal(400, 'XAmzContentSHA256Mismatch');
}
