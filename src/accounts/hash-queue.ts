import { limits } from '../../contract/limits.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/**
 * Runs a few pieces of work at a time and lets a bounded number wait, so that a flood of sign-ins takes neither all threads
 * of the process nor its memory.
 */
export class HashQueue {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(
    atOnce: number = limits.concurrentPasswordHashes.default,
    maxWaiting: number = limits.passwordHashesWaiting.default,
  ) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Runs the work when it is its turn and returns its result.
   * @throws over_request_rate_limit if too many calls wait already
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= this.#maxWaiting) {
        throw new NinefoldError('over_request_rate_limit', {
          message: 'Too many passwords are being checked at the moment',
          retryAfter: 1,
          limit: 'passwordHashesWaiting',
        });
      }
      // A finished call hands its place to the next one, so the count does not change.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
