import type { ConnectionBudget } from './connection-budget.ts';

/**
 * The slots that one pool takes of the budget: one for each connection, and one for each companion, a connection outside the pool that
 * stays open as long as the pool has any. The first connection takes the slots of the companions with its own, so that a pool which has
 * one of them never waits for the other. Without a budget nothing is counted.
 */
export class PoolSlots {
  readonly budget: ConnectionBudget | undefined;
  readonly #companions: number;
  #hasCompanions = false;
  /** A slot that was taken ahead of its connection. */
  #isReserved = false;

  constructor(budget: ConnectionBudget | undefined, companions: number) {
    this.budget = budget;
    this.#companions = companions;
  }

  /** Slots that closing the last connection of the pool gives back. */
  get ofLast(): number {
    return this.#hasCompanions ? 1 + this.#companions : 1;
  }

  /** Takes the slot of a connection; waits for it for so many milliseconds. Throws PoolTimeoutError. */
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

  /** Gives the slot of a connection back. */
  give(): void {
    this.budget?.give(1);
  }

  /** Takes the slots of the first connection and of the companions, unless the pool has them. Throws PoolTimeoutError. */
  async reserve(milliseconds: number): Promise<void> {
    if (this.#hasCompanions) return;
    await this.take(milliseconds);
    this.#isReserved = true;
  }

  /** Gives back a reserved slot that no connection has used. */
  cancelReserve(): void {
    if (this.#isReserved) this.give();
    this.#isReserved = false;
  }

  /** Returns the function that gives the slots of the companions back, once they have ended. */
  releaseCompanions(): () => void {
    const slots = this.#hasCompanions ? this.#companions : 0;
    this.#hasCompanions = false;
    return () => this.budget?.give(slots);
  }

  /** Lets a caller that waits for slots take those of a connection that has just become idle. */
  offerIdle(): void {
    if (this.budget?.isWanted) this.budget.serve();
  }
}
