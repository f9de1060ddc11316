import { RescanCounter } from '../../contract/sql-rescans.ts';
import { errorResponse } from './startup-message.ts';

/** Number of bytes of a message's type and length. */
const HEAD = 5;
/** The length of a message counts its own four bytes. */
const SHORTEST = 4;
const QUERY = 'Q'.charCodeAt(0);
const PARSE = 'P'.charCodeAt(0);
const ERROR = 'E'.charCodeAt(0);
const STATEMENT_TOO_COMPLEX = '54001';
/** Maximum length of the ErrorResponse of a refused statement, which contains no text of the client. */
const LONGEST_REFUSAL = 8192;

/** Error of a client whose bytes are not messages of PostgreSQL's protocol. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/**
 * Reads the messages of a client after its StartupMessage, and makes PostgreSQL refuse statements that exceed the limit
 * sqlRescans. It stores no message: it replaces the rest of the message with zeros. PostgreSQL reads the statement up to
 * the first zero, finds bytes after it, and refuses the message before it executes anything. The session, its transaction
 * and its pipeline are then in the state that PostgreSQL's protocol defines for a failed message.
 */
export class StatementGuard {
  readonly #onRefused: () => void;
  readonly #head = Buffer.alloc(HEAD);
  #headBytes = 0;
  /** Number of bytes of the current message that have not arrived. */
  #left = 0;
  /** Counts the current message; null if it contains no statement. */
  #counter: RescanCounter | null = null;
  #isRefused = false;

  /** @param onRefused Called for each refused message. */
  constructor(onRefused: () => void) {
    this.#onRefused = onRefused;
  }

  /**
   * Reads bytes of the client, and overwrites those that PostgreSQL must not read.
   * @throws ProtocolError
   */
  filter(chunk: Buffer): Buffer {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left === 0) {
        const copied = chunk.copy(this.#head, this.#headBytes, at, at + HEAD - this.#headBytes);
        this.#headBytes += copied;
        at += copied;
        if (this.#headBytes < HEAD) break;
        this.#beginMessage();
      }
      const end = Math.min(chunk.length, at + this.#left);
      this.#filterBody(chunk, at, end);
      this.#left -= end - at;
      at = end;
    }
    return chunk;
  }

  #beginMessage(): void {
    const length = this.#head.readUInt32BE(1);
    if (length < SHORTEST) throw new ProtocolError('a message is shorter than its length');
    this.#headBytes = 0;
    this.#left = length - SHORTEST;
    const type = this.#head[0];
    this.#counter = type === QUERY || type === PARSE ? new RescanCounter() : null;
    this.#isRefused = false;
  }

  #filterBody(chunk: Buffer, start: number, end: number): void {
    if (this.#isRefused) chunk.fill(0, start, end);
    const from = this.#isRefused ? null : (this.#counter?.read(chunk, start, end) ?? null);
    if (from === null) return;
    this.#isRefused = true;
    this.#onRefused();
    chunk.fill(0, from, end);
  }
}

/**
 * Reads the messages of the server, and replaces the error of a refused statement by an error that names the reason.
 * Forwards all other bytes unchanged, except that an incomplete head of a message waits for its rest.
 */
export class RefusalReader {
  #held: Buffer = Buffer.alloc(0);
  /** Number of bytes of the current message that have not arrived. */
  #left = 0;
  /** Number of refused statements whose error has not arrived. */
  #expected = 0;

  /** Announces the error of a refused statement. */
  expect(): void {
    this.#expected++;
  }

  /** Reads bytes of the server. Returns the bytes for the client. */
  filter(chunk: Buffer): Buffer {
    const data = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    const out: Buffer[] = [];
    let from = 0;
    let at = Math.min(this.#left, data.length);
    this.#left -= at;
    let end = data.length;
    while (at < data.length) {
      if (data.length - at < HEAD) {
        end = at;
        break;
      }
      const next = at + 1 + data.readUInt32BE(at + 1);
      const mayReplace = data[at] === ERROR && this.#expected > 0 && next - at <= LONGEST_REFUSAL;
      if (mayReplace && next > data.length) {
        end = at;
        break;
      }
      if (mayReplace && isRefusal(data.subarray(at + HEAD, next))) {
        this.#expected--;
        out.push(data.subarray(from, at), TOO_COMPLEX);
        from = next;
      }
      this.#left = Math.max(0, next - data.length);
      at = next;
    }
    this.#held = Buffer.from(data.subarray(end));
    const rest = data.subarray(from, end);
    return out.length === 0 ? rest : Buffer.concat([...out, rest]);
  }
}

/**
 * Returns true if an ErrorResponse is that of a message with bytes after its statement: the function of PostgreSQL's
 * source code that raised the error (field R) is pq_getmsgend (pqformat.c).
 */
const isRefusal = (body: Buffer): boolean => body.includes('\0Rpq_getmsgend\0');

const TOO_COMPLEX = errorResponse(
  'ERROR',
  STATEMENT_TOO_COMPLEX,
  'PostgreSQL would take too long to read this statement',
  {
    detail:
      'A long run of comment marks (/*, */) or signs (+, -) without a space exceeds the limit sqlRescans of Ninefold.',
    hint: 'Remove the run, or divide it with spaces.',
  },
);
