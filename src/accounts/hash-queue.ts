import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../contract/limits.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/**
 * Runs a few tasks at a time and lets a limited number wait, so that a flood of sign-ins takes neither all threads of
 * the process nor its memory.
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
   * Rejects if `run` would refuse work now.
   * @throws over_request_rate_limit after a pause
   */
  async requirePlace(): Promise<void> {
    if (!this.#isFull()) return;
    await pauseBeforeRefusal();
    throw refusal();
  }

  #isFull(): boolean {
    return this.#running >= this.#atOnce && this.#waiting.length >= this.#maxWaiting;
  }

  /**
   * Runs the work when it is its turn and returns its result.
   * @throws over_request_rate_limit if too many calls wait already
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isFull()) throw refusal();
    if (this.#running >= this.#atOnce) {
      // A finished task passes its place on to the first waiting task, so the number of running tasks does not change.
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

const refusal = (): NinefoldError =>
  new NinefoldError('over_request_rate_limit', {
    message: 'Too many passwords are being checked at the moment',
    retryAfter: 1,
    limit: 'passwordHashesWaiting',
    quota: { count: limits.passwordHashesWaiting.default },
  });

let pausing = 0;

/**
 * Waits before a sign-in is refused because the node is busy. Without the pause, a client that repeats the request at
 * once would take processor time from other requests. Only a limited number of requests wait; the others are refused at
 * once.
 */
export async function pauseBeforeRefusal(): Promise<void> {
  if (pausing >= limits.passwordHashesWaiting.default) return;
  pausing++;
  await sleep(limits.signInRefusalMilliseconds.default).finally(() => pausing--);
}
