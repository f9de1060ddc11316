import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { BodyStream, Reply } from '../../contract/call-request.ts';
import type { HeaderPolicy } from './app-headers.ts';
import type { SlowReaders } from './slow-readers.ts';

/** Maximum size of a body that is joined with the head of the response, so that one system call sends both. */
const JOINED_BYTES = 16 * 1024;

/** Writes an app's reply with the headers that `policy` selects. Bytes are sent unchanged. */
export function writeReply(
  response: ServerResponse,
  reply: Reply,
  policy: HeaderPolicy,
  slowReaders: SlowReaders,
): void {
  const headers = policy(reply);
  const length = lengthOf(reply, response.req.method === 'HEAD');
  if (length !== null) headers['content-length'] = String(length);
  response.writeHead(reply.status, headers);
  const { body } = reply;
  if (body === null) response.end();
  else if (isStream(body)) {
    if (body instanceof Readable) slowReaders.countStream(response, body);
    stream(response, body);
  } else if (body.length > JOINED_BYTES) writeLarge(response, body, slowReaders);
  else if (typeof body === 'string') response.end(body);
  else response.end(latin1(body), 'latin1');
}

function writeLarge(response: ServerResponse, body: string | Uint8Array, slowReaders: SlowReaders): void {
  const sliced = slowReaders.body(response, body);
  if (typeof sliced === 'string' || isBytes(sliced)) response.end(sliced);
  else stream(response, sliced);
}

/** Releases the body of a reply whose client has disconnected. */
export function discardBody({ body }: Reply): void {
  if (body !== null && isStream(body)) body.destroy();
}

/** Returns the length of the body in bytes; null for responses without Content-Length (RFC 9110, section 8.6). */
function lengthOf({ status, body }: Reply, isHead: boolean): number | null {
  if (body === null) return isHead || status === 204 || status === 304 ? null : 0;
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

const isBytes = (body: unknown): body is Uint8Array => body instanceof Uint8Array;

const isStream = (body: string | Uint8Array | BodyStream): body is BodyStream =>
  typeof body !== 'string' && !isBytes(body);

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

/** Streams the body as fast as the client reads. If the body fails, the connection is closed. */
function stream(response: ServerResponse, body: BodyStream | Readable): void {
  pipeline(body, response, () => undefined);
}
