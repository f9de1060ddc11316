import { PoolTimeoutError } from './database-error.ts';

/** A pool with connections that count against the budget. */
export interface BudgetHolder {
  /**
   * Returns the last use of the longest idle connection, in milliseconds of performance.now(); null without an idle
   * connection.
   */
  oldestIdle(): number | null;
  /** Closes the longest idle connection. `slots` are free once `ended` resolves. */
  closeOldest(): { slots: number; ended: Promise<void> };
}

interface Waiter {
  readonly slots: number;
  readonly admit: () => void;
}

/** Number of slots kept free, so that opening a connection seldom waits until another connection is closed. */
const SPARE_SLOTS = 4;

/**
 * Limits the connections of one process to the databases of all apps. If more connections than `idle` are open, opening
 * another one first closes the longest idle connection of any app. If `max` connections are open and none is idle,
 * callers wait in order.
 */
export class ConnectionBudget {
  readonly #max: number;
  readonly #idle: number;
  readonly #holders = new Set<BudgetHolder>();
  readonly #waiters: Waiter[] = [];
  #taken = 0;
  /** Slots of connections that are being closed. They are still included in `#taken`. */
  #closing = 0;

  /**
   * @param max Maximum number of slots.
   * @param idle Number of slots up to which idle connections stay open; at most `max`.
   */
  constructor(max: number, idle: number) {
    this.#max = max;
    this.#idle = Math.min(idle, max);
  }

  /** Number of slots in use, including those of connections that are being closed. */
  get taken(): number {
    return this.#taken;
  }

  /** True while a caller waits for slots. A pool then calls `serve` when one of its connections becomes idle. */
  get isWanted(): boolean {
    return this.#waiters.length > 0;
  }

  /**
   * Registers a pool whose idle connections may be closed for other pools. Returns a function that removes the
   * registration.
   */
  register(holder: BudgetHolder): () => void {
    this.#holders.add(holder);
    return () => this.#holders.delete(holder);
  }

  /**
   * Takes slots, or waits until they are free.
   * @param milliseconds Maximum waiting time.
   * @throws PoolTimeoutError if the slots do not become free in time.
   */
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

  /** Returns slots to the budget and serves waiting callers. */
  give(slots: number): void {
    this.#taken -= slots;
    this.serve();
  }

  /** Admits waiting callers in order, and closes idle connections for those that still wait. */
  serve(): void {
    for (let first = this.#waiters[0]; first && this.#taken + first.slots <= this.#max; first = this.#waiters[0]) {
      this.#waiters.shift();
      this.#taken += first.slots;
      first.admit();
    }
    const wanted = this.#waiters.reduce((sum, { slots }) => sum + slots, 0);
    if (wanted > 0) this.#closeIdle(this.#max - wanted);
  }

  /** Closes the longest idle connections until at most `max` connections stay open. */
  #closeIdle(max: number): void {
    while (this.#taken - this.#closing > max) {
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
