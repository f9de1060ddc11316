import { PoolTimeoutError } from './database-error.ts';
import { WaitTimes } from './wait-times.ts';

/** A pool with connections that count against the budget. */
export interface BudgetHolder {
  /**
   * Returns the time at which the connection that has been idle for the longest time was last used, in milliseconds of
   * performance.now(); null if no connection is idle.
   */
  oldestIdle(): number | null;
  /**
   * Closes the connection that has been idle for the longest time. In the result, `slots` is the number of slots that
   * become free. They are free once `ended` resolves.
   */
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
 * another one first closes the connection of any app that has been idle for the longest time. If `max` connections are
 * open and none is idle, callers wait in order.
 */
export class ConnectionBudget {
  #max: number;
  #idle: number;
  readonly #holders = new Set<BudgetHolder>();
  readonly #waiters: Waiter[] = [];
  /** The waits of calls for the connections of all pools. */
  readonly waits = new WaitTimes();
  #taken = 0;
  /** Slots of connections that are being closed. They are still counted in `#taken`. */
  #closing = 0;

  /**
   * @param max Maximum number of slots.
   * @param idle Number of slots up to which idle connections stay open; at most `max`.
   */
  constructor(max: number, idle: number) {
    this.#max = max;
    this.#idle = Math.min(idle, max);
  }

  /** Changes the numbers of slots. Idle connections above the new maximum are closed. */
  resize(max: number, idle: number): void {
    this.#max = max;
    this.#idle = Math.min(idle, max);
    this.#closeIdle(max);
    this.serve();
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
   * Takes slots. Waits until they are free, if necessary.
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

  /** Lets waiting callers take slots in order. For those that still wait, closes idle connections. */
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

/**
 * The slots of one pool in the connection budget: one for each connection and one for each companion. A companion is a
 * connection outside the pool that stays open as long as the pool has a connection. The first connection takes the
 * slots of all companions together with its own, so that two pools cannot wait for each other with half of their slots.
 * Without a budget nothing is counted.
 */
export class PoolSlots {
  readonly budget: ConnectionBudget | undefined;
  readonly #companions: number;
  #hasCompanions = false;
  /** True if a slot was taken before its connection is opened. */
  #isReserved = false;

  constructor(budget: ConnectionBudget | undefined, companions: number) {
    this.budget = budget;
    this.#companions = companions;
  }

  /**
   * Number of slots that become free when the pool closes its last connection. They include the slots of the
   * companions.
   */
  get ofLast(): number {
    return this.#hasCompanions ? 1 + this.#companions : 1;
  }

  /**
   * Takes the slot of a connection.
   * @param milliseconds Maximum waiting time.
   * @throws PoolTimeoutError
   */
  async take(milliseconds: number): Promise<void> {
    if (this.#isReserved) {
      this.#isReserved = false;
      return;
    }
    const isFirst = !this.#hasCompanions;
    this.#hasCompanions = true;
    try {
      await this.budget?.take(isFirst ? 1 + this.#companions : 1, milliseconds);
    } catch (error) {
      if (isFirst) this.#hasCompanions = false;
      throw error;
    }
  }

  /** Returns the slot of a connection. */
  give(): void {
    this.budget?.give(1);
  }

  /**
   * Takes the slots of the first connection and of the companions, unless the pool has them already.
   * @throws PoolTimeoutError
   */
  async reserve(milliseconds: number): Promise<void> {
    if (this.#hasCompanions) return;
    await this.take(milliseconds);
    this.#isReserved = true;
  }

  /** Returns a reserved slot that no connection has used. */
  cancelReserve(): void {
    if (this.#isReserved) this.give();
    this.#isReserved = false;
  }

  /** Marks the companions as closing. Returns a function that frees their slots; call it once they are closed. */
  releaseCompanions(): () => void {
    const slots = this.#hasCompanions ? this.#companions : 0;
    this.#hasCompanions = false;
    return () => this.budget?.give(slots);
  }

  /** Lets a caller that waits for slots close a connection that has just become idle and take its slot. */
  offerIdle(): void {
    if (this.budget?.isWanted) this.budget.serve();
  }
}
