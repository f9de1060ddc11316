import type { Connection } from './connection.ts';
import type { PoolSlots } from './connection-budget.ts';
import type { ServerState } from './server-state.ts';

/** The shortest and the longest pause between two checks for idle connections. */
const LEAST_MILLISECONDS = 50;
const MOST_MILLISECONDS = 5000;

/** The parts of a pool that the idle closer uses. */
export interface IdleCloserParts {
  /** Connections that are not in exclusive use. Closing a connection removes it from the set. */
  readonly shared: Set<Connection>;
  readonly slots: PoolSlots;
  readonly server: ServerState;
  /** Returns true if the pool has no open connection and is not opening one. */
  isEmpty: () => boolean;
  /** Returns true while the pool must keep its idle connections. */
  isHeld: () => boolean;
  /** Returns true while the companion connections stay open without a connection of the pool. */
  keepsCompanions: () => boolean;
  /** Called when the last connection is closed. Resolves once the companion connections of the pool are closed. */
  onEmpty: () => Promise<void>;
}

/**
 * Closes idle connections of a pool: after a time without use, when another pool needs a slot, and when the server
 * accepts no further connections.
 */
export class IdleCloser {
  readonly #parts: IdleCloserParts;
  #idleMilliseconds: number;
  #sweeper: NodeJS.Timeout | null = null;
  #withdrawOffer: () => void = () => undefined;
  #leaveBudget: () => void = () => undefined;

  /** @param idleMilliseconds Time without use after which a connection is closed. */
  constructor(parts: IdleCloserParts, idleMilliseconds: number) {
    this.#parts = parts;
    this.#idleMilliseconds = idleMilliseconds;
  }

  /** Starts watching the connections. Does nothing if already started. */
  start(): void {
    if (this.#sweeper) return;
    const every = Math.max(LEAST_MILLISECONDS, Math.min(MOST_MILLISECONDS, this.#idleMilliseconds / 2));
    this.#sweeper = setInterval(() => this.#sweep(), every);
    this.#sweeper.unref();
    this.#withdrawOffer = this.#parts.server.registerIdleCloser(() => this.#closeIdle());
    this.#leaveBudget =
      this.#parts.slots.budget?.register({
        oldestIdle: () => this.#longestIdle()?.lastUsed ?? null,
        closeOldest: () => this.#closeLongestIdle(),
      }) ?? (() => undefined);
  }

  stop(): void {
    if (this.#sweeper) clearInterval(this.#sweeper);
    this.#sweeper = null;
    this.#withdrawOffer();
    this.#leaveBudget();
  }

  /** Shortens the time without use after which a connection is closed. */
  shorten(idleMilliseconds: number): void {
    this.#idleMilliseconds = Math.min(this.#idleMilliseconds, idleMilliseconds);
    if (!this.#sweeper) return;
    this.stop();
    this.start();
  }

  /** Closes all idle connections. Resolves once the server has closed them. */
  async #closeIdle(): Promise<void> {
    const { shared } = this.#parts;
    const idle = [...shared].filter(isIdle);
    for (const connection of idle) shared.delete(connection);
    await Promise.all(idle.map((connection) => connection.end()));
  }

  #longestIdle(): Connection | null {
    if (this.#parts.isHeld()) return null;
    let longest: Connection | null = null;
    for (const connection of this.#parts.shared) {
      if (isIdle(connection) && (longest === null || connection.lastUsed < longest.lastUsed)) longest = connection;
    }
    return longest;
  }

  #closeLongestIdle(): { slots: number; ended: Promise<void> } {
    const connection = this.#longestIdle();
    if (!connection) return { slots: 0, ended: Promise.resolve() };
    const { shared, slots, isEmpty, keepsCompanions } = this.#parts;
    shared.delete(connection);
    const ended = connection.end();
    if (!isEmpty() || keepsCompanions()) return { slots: 1, ended };
    const ofLast = slots.ofLast;
    return { slots: ofLast, ended: Promise.all([ended, this.#endCompanions()]).then(() => undefined) };
  }

  #sweep(): void {
    const { shared, isEmpty, isHeld, keepsCompanions } = this.#parts;
    const oldest = performance.now() - this.#idleMilliseconds;
    for (const connection of shared) {
      if (connection.inFlight === 0 && connection.lastUsed < oldest) {
        shared.delete(connection);
        connection.close();
      }
    }
    if (isEmpty() && !isHeld() && !keepsCompanions() && this.#sweeper) void this.#endCompanions();
  }

  /** Closes the companion connections of the pool after its last connection, and returns their slots. */
  async #endCompanions(): Promise<void> {
    this.stop();
    const release = this.#parts.slots.releaseCompanions();
    await this.#parts.onEmpty();
    release();
  }
}

const isIdle = (connection: Connection): boolean => connection.inFlight === 0 && connection.canAcceptBatch;
