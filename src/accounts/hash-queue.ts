import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../contract/limits.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** Lets a limited number of callers wait at once. */
export class LimitedPauses {
  readonly #max: number;
  #waiting = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Waits. Returns false without a wait if as many callers as possible wait already. */
  async wait(milliseconds: number): Promise<boolean> {
    if (this.#waiting >= this.#max) return false;
    this.#waiting++;
    await sleep(milliseconds).finally(() => this.#waiting--);
    return true;
  }
}

/**
 * Runs a few tasks at a time and lets a limited number wait, so that a flood of sign-ins takes neither all threads of
 * the process nor its memory.
 */
export class HashQueue {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  readonly #refusals: LimitedPauses;
  #running = 0;

  constructor(
    atOnce: number = limits.concurrentPasswordHashes.default,
    maxWaiting: number = limits.passwordHashesWaiting.default,
  ) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
    this.#refusals = new LimitedPauses(maxWaiting);
  }

  /**
   * Rejects if `run` would refuse work now.
   * @throws over_request_rate_limit after a pause
   */
  async requirePlace(): Promise<void> {
    if (!this.#isFull()) return;
    await this.pauseBeforeRefusal();
    throw refusal();
  }

  /**
   * Waits before a sign-in is refused because the node is busy. Without the pause, a client that repeats the request at
   * once would take processor time from other requests. Only a limited number of requests wait; the others are refused
   * at once.
   */
  async pauseBeforeRefusal(): Promise<void> {
    await this.#refusals.wait(limits.signInRefusalMilliseconds.default);
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
