import { writeSync } from 'node:fs';

/** Number of attempts to write a line while the reader of a pipe is slow, and the pause between them. */
const ATTEMPTS = 7;
const PAUSE_MILLISECONDS = 5;

/**
 * Writes lines to a file descriptor synchronously and counts the lines that it cannot write, for example because the
 * disk is full or the reader of a pipe has ended. Such a line is dropped: output must neither end a node nor delay its
 * end. Every further line is tried, so writing continues once the descriptor accepts bytes.
 */
export class LineOutput {
  readonly #fd: number;
  readonly #describeLoss: (count: number) => string;
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));
  #lostLines = 0;
  /** Lines that were lost since the last line that was written. */
  #unreported = 0;
  /** True if only the beginning of the last line was written. */
  #isCut = false;

  /**
   * @param fd File descriptor, such as 1 or 2.
   * @param describeLoss Returns the line that precedes the next written line after `count` lines were lost.
   */
  constructor(fd: number, describeLoss: (count: number) => string = () => '') {
    this.#fd = fd;
    this.#describeLoss = describeLoss;
  }

  /** Number of lines that could not be written. */
  get lostLines(): number {
    return this.#lostLines;
  }

  /** Writes text that ends with a line break. */
  write(line: string): void {
    const report = this.#unreported > 0 ? this.#describeLoss(this.#unreported) : '';
    if (this.#writeAll(Buffer.from(`${this.#isCut ? '\n' : ''}${report}${line}`))) {
      this.#unreported = 0;
      return;
    }
    this.#lostLines++;
    this.#unreported++;
  }

  #writeAll(bytes: Buffer): boolean {
    // A reader that did not read the last line in time delays no further line.
    let attempts = this.#unreported > 0 ? 1 : ATTEMPTS;
    let written = 0;
    while (written < bytes.length) {
      try {
        written += writeSync(this.#fd, bytes, written);
        this.#isCut = written < bytes.length;
      } catch (error) {
        const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
        if (!isFull || --attempts === 0) return false;
        Atomics.wait(this.#pause, 0, 0, PAUSE_MILLISECONDS);
      }
    }
    return true;
  }
}
