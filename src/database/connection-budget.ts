import { PoolTimeoutError } from './database-error.ts';

/** A pool with connections that count against the budget. */
export interface BudgetHolder {
  /** Returns when its longest idle connection was used last, by performance.now(); null without an idle connection. */
  oldestIdle(): number | null;
  /** Closes its longest idle connection. `slots` are given back by the time at which `ended` resolves. */
  closeOldest(): { slots: number; ended: Promise<void> };
}

interface Waiter {
  readonly slots: number;
  readonly admit: () => void;
}

/** Slots that are kept free, so that opening a connection seldom waits for the end of another. */
const SPARE_SLOTS = 4;

/**
 * Bounds the connections of one process to the databases of all apps. If more connections than `idle` are open, opening another one
 * closes the longest idle connection first, whichever app it belongs to. If `max` are open and none is idle, callers wait in order.
 */
export class ConnectionBudget {
  readonly #max: number;
  readonly #idle: number;
  readonly #holders = new Set<BudgetHolder>();
  readonly #waiters: Waiter[] = [];
  #taken = 0;
  /** Slots of connections that are being closed, which still count as taken. */
  #closing = 0;

  /** @param max Slots in all. @param idle Slots up to which idle connections stay open; at most `max`. */
  constructor(max: number, idle: number) {
    this.#max = max;
    this.#idle = Math.min(idle, max);
  }

  /** Slots that are taken, those of connections that are being closed included. */
  get taken(): number {
    return this.#taken;
  }

  /** True while a caller waits for slots: a pool with a connection that becomes idle calls `serve`. */
  get isWanted(): boolean {
    return this.#waiters.length > 0;
  }

  /** Makes the idle connections of `holder` available to others. Returns the function that withdraws them. */
  register(holder: BudgetHolder): () => void {
    this.#holders.add(holder);
    return () => this.#holders.delete(holder);
  }

  /** Takes slots; waits for them for so many milliseconds. Throws PoolTimeoutError. */
  async take(slots: number, milliseconds: number): Promise<void> {
    if (this.#waiters.length === 0 && this.#taken + slots <= this.#max) {
      this.#taken += slots;
      this.#closeIdle(this.#idle - SPARE_SLOTS);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(new PoolTimeoutError('no connection of the node became free in time'));
        this.serve();
      }, milliseconds);
      const waiter: Waiter = {
        slots,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#waiters.push(waiter);
      this.serve();
    });
  }

  /** Gives slots back. */
  give(slots: number): void {
    this.#taken -= slots;
    this.serve();
  }

  /** Admits the callers that wait, the first first, and closes idle connections for them. */
  serve(): void {
    for (let first = this.#waiters[0]; first && this.#taken + first.slots <= this.#max; first = this.#waiters[0]) {
      this.#waiters.shift();
      this.#taken += first.slots;
      first.admit();
    }
    const wanted = this.#waiters.reduce((sum, { slots }) => sum + slots, 0);
    if (wanted > 0) this.#closeIdle(this.#max - wanted);
  }

  /** Closes the longest idle connections until no more than `most` stay open. */
  #closeIdle(most: number): void {
    while (this.#taken - this.#closing > most) {
      const holder = this.#longestIdle();
      if (!holder) return;
      const { slots, ended } = holder.closeOldest();
      this.#closing += slots;
      void ended.then(() => {
        this.#closing -= slots;
        this.serve();
      });
    }
  }

  #longestIdle(): BudgetHolder | null {
    let [longest, oldest]: [BudgetHolder | null, number] = [null, Number.POSITIVE_INFINITY];
    for (const holder of this.#holders) {
      const since = holder.oldestIdle();
      if (since !== null && since < oldest) [longest, oldest] = [holder, since];
    }
    return longest;
  }
}
