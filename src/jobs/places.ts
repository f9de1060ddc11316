/**
 * Counts concurrent work of all apps and of each owner of apps. An owner gets another slot only while at least half as
 * many slots are free as the owner uses. So even an owner of many apps leaves a third of the slots to other owners.
 */
export class Places {
  readonly total: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(total: number) {
    this.total = total;
  }

  get free(): number {
    return this.total - this.#used;
  }

  /** Returns how many slots the owner may take in addition to those that it uses. */
  openTo(owner: string): number {
    const surplus = 2 * this.free - (this.#held.get(owner) ?? 0);
    return this.free > 0 && surplus >= 0 ? Math.min(this.free, Math.floor(surplus / 3) + 1) : 0;
  }

  take(owner: string, count = 1): void {
    this.#used += count;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + count);
  }

  give(owner: string, count = 1): void {
    this.#used -= count;
    const left = (this.#held.get(owner) ?? 0) - count;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
  }
}
