import { randomBytes } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { type Host, hostName } from './host.ts';

/** Closes the idle connections of one pool. Resolves once they are closed. */
type CloseIdle = () => Promise<unknown>;

/** The state that all connections of this process to one PostgreSQL server share. */
export class ServerState {
  /** Settings of the startup message that the server does not have, because its release of PostgreSQL is older. */
  readonly unknownSettings = new Set<string>();
  /** Hosts that were asked for TLS and have none, by name. */
  readonly hostsWithoutTls = new Set<string>();
  /** Value of a setting that each session starts with. A connection pooler loses it. */
  readonly marker = randomBytes(12).toString('hex');
  readonly #closers = new Set<CloseIdle>();
  #closing: Promise<void> | null = null;
  #primary: string | null = null;
  /** The functions that abandon open connections, by the name of the host. */
  readonly #connections = new Map<string, Set<(reason: string) => void>>();

  /** Returns the hosts in the order in which a connection tries them: first the last known primary. */
  inOrder(hosts: readonly Host[]): readonly Host[] {
    if (hosts.length === 1) return hosts;
    return [...hosts].sort((a, b) => Number(this.isPrimary(b)) - Number(this.isPrimary(a)));
  }

  /** Returns true if this host accepted the last login. */
  isPrimary(host: Host): boolean {
    return hostName(host) === this.#primary;
  }

  /**
   * Records a login at a primary. If another host was the primary before, abandons the connections to it: that server
   * is down, was replaced or cannot be reached, and statements on it would wait until TCP gives up.
   * @param abandon Abandons the connection.
   * @returns A function that must be called when the connection is closed.
   */
  addConnection(host: Host, abandon: (reason: string) => void): () => void {
    const name = hostName(host);
    const before = this.#primary;
    this.#primary = name;
    const all = this.#connections.get(name) ?? new Set();
    this.#connections.set(name, all.add(abandon));
    if (before !== null && before !== name) {
      for (const each of [...(this.#connections.get(before) ?? [])]) each(`${name} has become the primary`);
    }
    return () => all.delete(abandon);
  }

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
