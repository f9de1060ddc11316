import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingBody } from '../../contract/call-request.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Arrival } from './arrival.ts';
import type { BufferedBodies } from './buffered-bodies.ts';

/** The first size of the buffer of a body without Content-Length. */
const FIRST_BYTES = 64 * 1024;

/** Maximum size of a body, and the error for a larger one. */
export interface BodyBound {
  readonly bytes: number;
  readonly code: ErrorCode;
}

/**
 * Limits of a body, if they depend on the caller. The first `free` bytes are read for any caller. `bound` is called
 * before further bytes are read; it throws if the caller may not send more.
 */
export interface BodyBounds {
  readonly free: number;
  readonly bound: () => BodyBound | Promise<BodyBound>;
}

/** Returns limits that are the same for every caller. */
export const boundOf = (bytes: number, code: ErrorCode = 'body_too_large'): BodyBounds => ({
  free: bytes,
  bound: () => ({ bytes, code }),
});

/** Reads the body of one request, or returns it as a stream. */
export interface ArrivingBody {
  read(bounds: BodyBounds): Promise<Uint8Array | null>;
  stream(): IncomingBody;
}

/** Reads the whole body of one request. */
export type ReceiveBody = ArrivingBody['read'];

/** Returns the body of a request as it arrives. The stream of a client that disconnects ends with an error. */
export function arrivingBody(
  request: IncomingMessage,
  response: ServerResponse,
  bufferedBytes: BufferedBodies,
  arrival: Arrival,
): ArrivingBody {
  return {
    read: (bounds) => readBody(request, response, bounds, bufferedBytes),
    stream: () => {
      arrival.allowLong();
      const { 'content-length': length } = request.headers;
      return { length: length === undefined ? null : Number(length), [Symbol.asyncIterator]: () => chunksOf(request) };
    },
  };
}

/**
 * Reads the chunks of a body. Leaving the loop early keeps the connection and discards the rest of the body, so that the
 * client gets the response and can send its next request.
 */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Uint8Array, void> {
  try {
    yield* request.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new NinefoldError('body_incomplete', { cause });
  } finally {
    request.resume();
  }
}

/**
 * Reads the complete body; null for an empty one. Never settles if the client disconnects before the end, because no
 * response is needed.
 * @throws NinefoldError with the code of the limit, or too_many_bodies; the connection must then be closed, because the
 * rest of the body is still arriving.
 * @throws The errors of `bounds.bound`.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  bounds: BodyBounds,
  bufferedBytes: BufferedBodies,
): Promise<Buffer | null> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length <= bounds.free) return gather(request, response, bounds, length, bufferedBytes);
  const bound = await bounds.bound();
  if (length > bound.bytes) throw refusal(bound.code);
  return gather(request, response, { free: bound.bytes, bound: () => bound }, length, bufferedBytes);
}

const refusal = (code: ErrorCode, retryAfter?: number): NinefoldError =>
  new NinefoldError(code, { headers: { connection: 'close' }, ...(retryAfter !== undefined && { retryAfter }) });

function gather(
  request: IncomingMessage,
  response: ServerResponse,
  bounds: BodyBounds,
  length: number,
  bufferedBytes: BufferedBodies,
): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    let { free } = bounds;
    let only: Buffer | null = null;
    let gathered: GatheredBody | null = null;
    let isStopped = false;
    const stop = (error: unknown): void => {
      isStopped = true;
      request.off('data', onData);
      request.resume();
      gathered = null;
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      if (only === null) only = chunk;
      else {
        gathered ??= new GatheredBody(only, length, response, bufferedBytes, () => stop(refusal('too_many_bodies', 1)));
        if (!isStopped) gathered.add(chunk);
      }
      if (isStopped) gathered = null;
      else if ((gathered?.length ?? only.length) > free) void askForMore();
    };
    const askForMore = async (): Promise<void> => {
      request.pause();
      try {
        const bound = await bounds.bound();
        free = bound.bytes;
        if ((gathered?.length ?? only?.length ?? 0) > free) throw refusal(bound.code);
        request.resume();
      } catch (error) {
        stop(error);
      }
    };
    request.on('data', onData);
    request.on('error', () => undefined);
    request.on('end', () => resolve(gathered?.end() ?? only));
  });
}

/**
 * Collects the parts of a body in one growing buffer, so that a million small parts take no more memory than a few
 * large ones.
 */
class GatheredBody {
  readonly #expected: number;
  readonly #held: ReturnType<BufferedBodies['begin']>;
  #buffer = Buffer.alloc(0);
  length = 0;

  /** @param expected The announced length in bytes; 0 if unknown. */
  constructor(
    first: Buffer,
    expected: number,
    response: ServerResponse,
    bufferedBytes: BufferedBodies,
    refuse: () => void,
  ) {
    this.#expected = expected;
    this.#held = bufferedBytes.begin(response, refuse);
    this.add(first);
  }

  add(chunk: Buffer): void {
    const length = this.length + chunk.length;
    const before = this.#buffer.length;
    if (length > before) this.#grow(length);
    chunk.copy(this.#buffer, this.length);
    this.length = length;
    this.#held.grow(chunk.length, this.#buffer.length - before);
  }

  end(): Buffer {
    this.#held.arrived();
    return this.#buffer.subarray(0, this.length);
  }

  #grow(length: number): void {
    const doubled = Math.max(length, FIRST_BYTES, 2 * this.#buffer.length);
    // The memory is not taken from Buffer's shared pool, so that it can be transferred to a thread.
    const grown = Buffer.allocUnsafeSlow(this.#expected > length ? Math.min(this.#expected, doubled) : doubled);
    this.#buffer.copy(grown, 0, 0, this.length);
    this.#buffer = grown;
  }
}
