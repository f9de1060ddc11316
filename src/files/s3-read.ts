import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type ByteRange, BytesTruncatedError } from './byte-store.ts';
import { type S3Client, toS3Error } from './s3-client.ts';
import { S3Error, toUnavailable } from './s3-error.ts';

/** Number of times that a read goes on after a lost connection, counted anew after each `PROGRESS`. */
const RESUMPTIONS = 4;
/** Number of bytes after which a read is considered to work. */
const PROGRESS = 8 * 1024 * 1024;
/** Number of bytes that are requested from the server before the reader takes them. */
const BUFFER = 256 * 1024;

/** An open response: its bytes `position`..`end` follow. */
interface OpenObject {
  readonly response: IncomingMessage;
  readonly end: number;
  readonly etag: string;
}

/**
 * Opens an object or a range of it. If the connection is lost, the rest is requested with a further range.
 * The stream fails if fewer bytes arrive than the server promised or the range has.
 * @throws S3Error, or BytesTruncatedError if the object ends before the range.
 */
export async function readObject(client: S3Client, object: string, key: string, range?: ByteRange): Promise<Readable> {
  const start = range?.start ?? 0;
  const first = await openObject(client, object, start, range?.end ?? null);
  if (range && first.end < range.end) {
    first.response.destroy();
    throw new BytesTruncatedError(key, range.end - start + 1, first.end - start + 1);
  }
  const stream = Readable.from(bytesOf(client, object, start, first), { objectMode: false, highWaterMark: BUFFER });
  // A reader that stops before the first byte never starts the generator, which would release the connection.
  return stream.once('close', () => first.response.destroy());
}

async function* bytesOf(client: S3Client, object: string, start: number, first: OpenObject): AsyncGenerator<Buffer> {
  let open = first;
  let position = start;
  let [lostAt, resumptions] = [start, 0];
  for (;;) {
    try {
      for await (const chunk of chunksOf(open.response, client.timing.idle)) {
        position += chunk.length;
        yield chunk;
      }
      if (position === first.end + 1) return;
    } catch (error) {
      if (!(error instanceof S3Error && error.isTemporary)) throw toUnavailable(error);
    }
    if (position - lostAt >= PROGRESS) resumptions = 0;
    lostAt = position;
    resumptions++;
    if (resumptions > RESUMPTIONS) throw toUnavailable(new S3Error(0, 'ConnectionLost'));
    try {
      open = await openObject(client, object, position, first.end, first.etag);
      if (open.end !== first.end) throw new S3Error(0, 'SizeChanged');
    } catch (error) {
      throw toUnavailable(error);
    }
  }
}

/**
 * Requests the bytes `start`..`end`; without `end`, all from `start`.
 * @param etag The object must still have this ETag, unless it is empty.
 */
async function openObject(
  client: S3Client,
  object: string,
  start: number,
  end: number | null,
  etag = '',
): Promise<OpenObject> {
  const hasRange = start > 0 || end !== null;
  const headers = {
    ...(hasRange && { range: `bytes=${start}-${end ?? ''}` }),
    ...(etag !== '' && { 'if-match': etag }),
  };
  const response = await client.open({ method: 'GET', object, headers });
  const last = lastByte(response, start, hasRange);
  if (last === null) {
    response.destroy();
    throw new S3Error(0, 'InvalidLength');
  }
  return { response, end: last, etag: response.headers.etag ?? '' };
}

/** Returns the last byte that the response has; null if its headers contradict the request or each other. */
function lastByte({ statusCode, headers }: IncomingMessage, start: number, hasRange: boolean): number | null {
  const length = /^\d{1,15}$/.test(headers['content-length'] ?? '') ? Number(headers['content-length']) : null;
  if (length === null) return null;
  if (!hasRange) return statusCode === 200 ? length - 1 : null;
  const [, from, to] = /^bytes (\d{1,15})-(\d{1,15})\/(?:\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  if (statusCode !== 206 || Number(from) !== start || Number(to) - start + 1 !== length) return null;
  return Number(to);
}

/** Yields the chunks of a response. Fails if the next chunk needs more than `idle` milliseconds. */
async function* chunksOf(response: IncomingMessage, idle: number): AsyncGenerator<Buffer> {
  const expire = () => response.destroy(new S3Error(0, 'Timeout'));
  let timer = setTimeout(expire, idle);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      // Only the server's time counts: the reader takes as long as it needs.
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(expire, idle);
    }
  } catch (error) {
    throw toS3Error(error);
  } finally {
    clearTimeout(timer);
  }
}
