import { limits } from './limits.ts';

/** The characters of PostgreSQL's operators (`op_chars` in scan.l). Comments begin and end with two of them. */
const OPERATOR_CHARACTERS = '~!@#^&|`?+-*/%<>=';

const isOperatorByte = new Uint8Array(256);
for (const character of OPERATOR_CHARACTERS) isOperatorByte[character.charCodeAt(0)] = 1;

const SLASH = 0x2f;
const STAR = 0x2a;
const PLUS = 0x2b;
const MINUS = 0x2d;

/**
 * Counts the characters that PostgreSQL's lexer reads repeatedly. The lexer reads a run of operator characters to its
 * end, then goes back to the first sign or mark of a comment in it, and reads the rest of the run again. The time grows
 * with the square of the run, and the lexer obeys neither `statement_timeout` nor pg_terminate_backend() in this time.
 *
 * The count does not depend on where strings and comments begin. The body of a function is a string that another lexer
 * reads, and settings of the session change how a string ends.
 */
export class RescanCounter {
  /** Count of the previous runs. */
  #ended = 0;
  /** Length and last byte of the current run. */
  #length = 0;
  #last = 0;
  /** Number of marks that begin or end a comment, and of signs. The lexer can go back to each of them. */
  #marks = 0;
  #signs = 0;
  /**
   * Number of signs before the first `--`; null without `--`. The signs after it are in a comment, unless the run ends
   * an earlier comment.
   */
  #signsBeforeDashes: number | null = null;
  #endsComment = false;

  /**
   * Reads the next bytes of a text, in an encoding that contains ASCII. Returns the index of the byte at which the count
   * exceeds the limit sqlRescans; null if the count does not exceed it.
   */
  read(bytes: Uint8Array, start = 0, end = bytes.length): number | null {
    for (let i = start; i < end; i++) {
      const byte = bytes[i] as number;
      if (isOperatorByte[byte] === 1) {
        if (this.#addToRun(byte) > limits.sqlRescans.default) return i;
      } else if (this.#length > 0) this.#endRun();
    }
    return null;
  }

  /** Adds a byte to the current run. Returns the count. */
  #addToRun(byte: number): number {
    this.#length++;
    if (this.#last === SLASH && byte === STAR) this.#marks++;
    if (this.#last === STAR && byte === SLASH) {
      this.#marks++;
      this.#endsComment = true;
    }
    if (byte === PLUS || byte === MINUS) this.#signs++;
    if (this.#last === MINUS && byte === MINUS) this.#signsBeforeDashes ??= this.#signs - 2;
    this.#last = byte;
    return this.#ended + this.#countOfRun();
  }

  #countOfRun(): number {
    const signs = this.#endsComment ? this.#signs : (this.#signsBeforeDashes ?? this.#signs);
    return this.#length * (this.#marks + signs);
  }

  #endRun(): void {
    this.#ended += this.#countOfRun();
    this.#length = 0;
    this.#last = 0;
    this.#marks = 0;
    this.#signs = 0;
    this.#signsBeforeDashes = null;
    this.#endsComment = false;
  }
}

/** Returns true if PostgreSQL's lexer would read more characters of the SQL repeatedly than the limit sqlRescans. */
export const exceedsRescans = (sql: string): boolean =>
  new RescanCounter().read(new TextEncoder().encode(sql)) !== null;
