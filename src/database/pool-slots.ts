import type { ConnectionBudget } from './connection-budget.ts';

/**
 * The slots of one pool in the connection budget: one for each connection and one for each companion, which is a
 * connection outside the pool that stays open as long as the pool has any. The first connection takes the slots of all
 * companions together with its own, so that two pools cannot wait for each other with half of their slots. Without a
 * budget nothing is counted.
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

  /** Number of slots that become free when the pool closes its last connection. */
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

  /** Marks the companions as closing. Returns a function to call once they are closed, which returns their slots. */
  releaseCompanions(): () => void {
    const slots = this.#hasCompanions ? this.#companions : 0;
    this.#hasCompanions = false;
    return () => this.budget?.give(slots);
  }

  /** Lets a caller that waits for slots take the slots of a connection that has just become idle. */
  offerIdle(): void {
    if (this.budget?.isWanted) this.budget.serve();
  }
}
