/** Rates of logins. */
export interface LoginRates {
  /** Number of logins that one role may make per second. After a pause, a role may make twice as many at once. */
  readonly rolePerSecond: number;
  /** Number of logins that all roles together may make per second. After a pause, twice as many at once are allowed. */
  readonly allPerSecond: number;
  /** Longest wait of a login in milliseconds; a login that would wait longer is refused. */
  readonly waitMilliseconds: number;
}

/** If this many roles are stored, those whose next login would not have to wait are removed. */
const REMEMBERED = 1000;
const BURST_SECONDS = 2;

/**
 * Spreads logins over time, for each role and for all together (generic cell rate algorithm). Times are milliseconds of
 * performance.now().
 */
export class LoginPace {
  readonly #rates: LoginRates;
  /** Time from which on the previous logins of a role no longer count, by role. */
  readonly #freeAt = new Map<string, number>();
  #allFreeAt = 0;

  constructor(rates: LoginRates) {
    this.#rates = rates;
  }

  /**
   * Takes a turn. Returns the milliseconds to wait for it; If the wait would be too long, takes no turn and returns
   * null.
   */
  take(role: string, now: number): number | null {
    const { rolePerSecond, allPerSecond, waitMilliseconds } = this.#rates;
    const freeAt = Math.max(now, this.#freeAt.get(role) ?? 0);
    const allFreeAt = Math.max(now, this.#allFreeAt);
    const wait = Math.max(0, freeAt - now - BURST_SECONDS * 1000, allFreeAt - now - BURST_SECONDS * 1000);
    if (wait > waitMilliseconds) return null;
    if (this.#freeAt.size >= REMEMBERED) this.#forget(now);
    this.#freeAt.set(role, freeAt + 1000 / rolePerSecond);
    this.#allFreeAt = allFreeAt + 1000 / allPerSecond;
    return wait;
  }

  #forget(now: number): void {
    for (const [role, freeAt] of this.#freeAt) if (freeAt <= now) this.#freeAt.delete(role);
  }
}
