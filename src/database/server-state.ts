import { setTimeout as after } from 'node:timers/promises';

/** Closes the idle connections of one pool. Resolves once they are closed. */
type CloseIdle = () => Promise<unknown>;

/** The state that all connections of this process to one PostgreSQL server share. */
export class ServerState {
  /** Settings of the startup message that the server does not have, because its release of PostgreSQL is older. */
  readonly unknownSettings = new Set<string>();
  readonly #closers = new Set<CloseIdle>();
  #closing: Promise<void> | null = null;

  /**
   * Registers a function that `closeIdleConnections` calls when the server has no free slot. Returns a function that
   * removes it.
   */
  registerIdleCloser(closeIdle: CloseIdle): () => void {
    this.#closers.add(closeIdle);
    return () => this.#closers.delete(closeIdle);
  }

  /**
   * Closes the idle connections of all pools. A connection belongs to one database and one role, so other pools cannot
   * use it, but it takes a slot of the server. Resolves once the connections are closed, or after `milliseconds`.
   */
  closeIdleConnections(milliseconds: number): Promise<void> {
    this.#closing ??= Promise.race([
      Promise.all([...this.#closers].map((closeIdle) => closeIdle())).then(() => undefined),
      after(milliseconds, undefined, { ref: false }),
    ]).finally(() => {
      this.#closing = null;
    });
    return this.#closing;
  }
}
