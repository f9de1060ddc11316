import { setTimeout as delay } from 'node:timers/promises';
import type { AppConnection } from '../../contract/admin.ts';
import { clientOf } from '../support/clients.ts';

const writers = 8;
const pauseMilliseconds = 50;
const answerMilliseconds = 15_000;

/**
 * Inserts rows with the stock client, several at a time, and remembers the acknowledged ones. A row whose insert failed
 * is never sent again, because its outcome is unknown: the writer continues with the next number.
 */
export class Writer {
  readonly acknowledged = new Set<number>();
  readonly attempted = new Set<number>();
  readonly #client;
  readonly #waiting: { count: number; resolve: () => void }[] = [];

  constructor(app: AppConnection) {
    this.#client = clientOf(app);
  }

  /** Writes until `count` rows were acknowledged. A failed attempt is followed by a pause and the next attempt. */
  async write(count: number): Promise<void> {
    await Promise.all(Array.from({ length: writers }, () => this.#writeOneByOne(count)));
  }

  /** Resolves when `count` rows were acknowledged. */
  reached(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve });
    });
  }

  async #writeOneByOne(count: number): Promise<void> {
    while (this.acknowledged.size < count) {
      const id = this.attempted.size + 1;
      this.attempted.add(id);
      const insert = this.#client.from('events').insert({ id }).abortSignal(AbortSignal.timeout(answerMilliseconds));
      const { error, status } = await insert;
      if (error === null && status === 201) this.#acknowledge(id);
      else await delay(pauseMilliseconds);
    }
  }

  #acknowledge(id: number): void {
    this.acknowledged.add(id);
    for (const { count, resolve } of this.#waiting) if (this.acknowledged.size >= count) resolve();
  }
}
