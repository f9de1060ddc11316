import { Worker } from 'node:worker_threads';
import type { CallRequest } from '../../../contract/call-request.ts';
import type { ErrorCode } from '../../../contract/errors.ts';
import { type LimitName, limits } from '../../../contract/limits.ts';
import type { RestSettings } from '../../../contract/settings.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Payload } from './api-request.ts';
import { parseRequest } from './parse-request.ts';
import { isParsed, type PayloadKind, type ReadPayload } from './payload.ts';

/** Message to the thread. */
export interface ParseTask {
  readonly kind: PayloadKind;
  readonly bytes: Uint8Array;
}
/** Result of the thread. */
export type ParseOutcome =
  | { readonly payload: Payload }
  | {
      readonly refused: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly details: unknown;
        readonly limit: LimitName | null;
      };
    };

interface Waiting extends ParseTask {
  readonly resolve: (payload: Payload) => void;
  readonly reject: (error: Error) => void;
}

interface Bounds {
  readonly memory: number;
  readonly milliseconds: number;
}

const standardBounds: Bounds = {
  memory: limits.parserMemory.default,
  milliseconds: limits.parseMilliseconds.default,
};

/** Time without a task after which the thread ends and releases its memory. */
const IDLE_MILLISECONDS = 10_000;

/**
 * Parses large bodies in a thread, so that no other request of the worker waits. The first body starts the thread. It
 * parses one body at a time and alternates between apps, so that no app waits for all bodies of another. A thread that
 * takes too long is terminated.
 */
export class BodyParser {
  readonly #entry: URL;
  readonly #bounds: Bounds;
  #thread: Worker | null = null;
  /** Waiting bodies by app. The first app is next. */
  readonly #waiting = new Map<string, Waiting[]>();
  #current: Waiting | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** @param entry URL of the built file of `body-parser-thread.ts`. */
  constructor(entry: URL, bounds: Bounds = standardBounds) {
    this.#entry = entry;
    this.#bounds = bounds;
  }

  /**
   * Parses `bytes`, which the caller must not use afterwards.
   * @throws NinefoldError body_too_complex, and the errors of `readPayload`
   */
  parse(app: string, kind: PayloadKind, bytes: Uint8Array): Promise<Payload> {
    return new Promise((resolve, reject) => {
      const waiting = { kind, bytes, resolve, reject };
      const ofApp = this.#waiting.get(app);
      if (ofApp) ofApp.push(waiting);
      else this.#waiting.set(app, [waiting]);
      if (this.#current === null) this.#next();
    });
  }

  /** Terminates the thread and rejects waiting bodies. */
  close(): void {
    for (const waiting of [...this.#waiting.values()].flat()) waiting.reject(new NinefoldError('body_too_complex'));
    this.#waiting.clear();
    this.#fail();
  }

  #next(): void {
    if (this.#timer) clearTimeout(this.#timer);
    const waiting = this.#takeFirst();
    this.#current = waiting;
    if (waiting === null) {
      this.#timer = setTimeout(() => this.#end(), IDLE_MILLISECONDS).unref();
      return;
    }
    this.#timer = setTimeout(() => this.#fail(), this.#bounds.milliseconds).unref();
    const { kind, bytes } = waiting;
    // Only bytes that fill their buffer are transferred to the thread. Bytes that are part of a larger buffer are
    // copied.
    const isWhole = bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
    this.#thread ??= this.#start();
    this.#thread.postMessage({ kind, bytes }, isWhole ? [bytes.buffer as ArrayBuffer] : []);
  }

  /**
   * Returns the next body of the next app. The app then moves to the end of the queue, so its other bodies wait until
   * all other apps had their turn.
   */
  #takeFirst(): Waiting | null {
    for (const [app, waiting] of this.#waiting) {
      const first = waiting.shift() ?? null;
      this.#waiting.delete(app);
      if (waiting.length > 0) this.#waiting.set(app, waiting);
      return first;
    }
    return null;
  }

  #start(): Worker {
    const thread = new Worker(this.#entry, {
      // The thread only computes, so it gets no secrets of the environment.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: Math.round(this.#bounds.memory / 2 ** 20) },
    });
    thread.unref();
    thread.on('message', (outcome: ParseOutcome) => {
      if (this.#thread !== thread) return;
      const current = this.#takeCurrent();
      if ('payload' in outcome) current?.resolve(outcome.payload);
      else {
        const { code, message, details, limit } = outcome.refused;
        current?.reject(new NinefoldError(code, { message, details, ...(limit && { limit }) }));
      }
      this.#next();
    });
    thread.on('error', (error) => {
      if (this.#thread === thread) this.#fail(error);
    });
    return thread;
  }

  #takeCurrent(): Waiting | null {
    const current = this.#current;
    this.#current = null;
    return current;
  }

  /** Rejects the current body, and parses the next one in a new thread. */
  #fail(cause?: unknown): void {
    const current = this.#takeCurrent();
    this.#end();
    current?.reject(new NinefoldError('body_too_complex', { cause }));
    this.#next();
  }

  #end(): void {
    void this.#thread?.terminate();
    this.#thread = null;
  }
}

/**
 * Lets `parser` parse a body that is too large to be parsed while other requests wait, and returns a function for
 * `parseRequest` that returns the result. Returns undefined for other bodies.
 * @throws NinefoldError as `parseRequest` and `BodyParser.parse`
 */
export async function parseAhead(
  request: CallRequest,
  settings: RestSettings,
  app: string,
  parser: BodyParser,
): Promise<ReadPayload | undefined> {
  const { body } = request;
  if (body === null || body.length <= limits.threadBodyBytes.default) return undefined;
  const asked: PayloadKind[] = [];
  parseRequest(request, settings, (kind) => {
    asked.push(kind);
    return { kind: 'raw', body };
  });
  const [kind] = asked;
  if (!kind || !isParsed(kind)) return undefined;
  // The bytes move to the thread, so this thread can no longer read them.
  request.body = null;
  const payload = await parser.parse(app, kind, body);
  return () => payload;
}
