import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from './connection.ts';
import type { ConnectionConfig } from './connection-config.ts';
import { plain, quoteIdentifier, rowsAsText, type Statement } from './statement.ts';

/** How long opening the connection may take. */
const OPEN_MILLISECONDS = 5000;
/** Pause before the next attempt to open the connection. */
const REOPEN_MILLISECONDS = 2000;
/** Pause between two attempts of a candidate to become the leader. */
const ATTEMPT_MILLISECONDS = 1500;
/** Interval at which a leader proves that it runs. */
const BEAT_MILLISECONDS = 2000;
/**
 * Time without a proof after which a candidate replaces the leader, for example because its process or its machine is
 * stopped. With the pause between attempts, another leader works within 9 s.
 */
const LEASE_MILLISECONDS = 7000;

/** The processes that elect a leader, and what each of them does. */
export interface ElectionOptions {
  /** Connection parameters of the superuser. No app may log in to this database. */
  target: ConnectionConfig;
  /** Second key of the advisory lock that the leader holds. */
  lock: number;
  /** The application_name of the candidates, by which they count each other. */
  name: string;
  /** Channel that all candidates listen to. */
  channel: string;
  /** Called when this process listens and is a candidate, also after a reconnect. */
  onListening?: () => void;
  /**
   * Called when this process becomes the leader.
   * @param hasReplaced True if the previous leader did not respond, so that its process may still run.
   */
  onGained: (hasReplaced: boolean) => void;
  onLost: () => void;
  /** Called for each notification on the channel, even while another process leads. */
  onNotified: (payload: string) => void;
  /** Called with the number of processes that take part, whenever it was read. */
  onPeers?: (count: number) => void;
}

/**
 * Elects one process of all nodes of a server as the leader: the one whose connection holds an advisory lock. PostgreSQL
 * releases the lock when the connection ends, so another process takes over after a crash. A leader that is frozen keeps
 * its connection; so its statements are its lease, and a candidate ends a connection without a recent one. The view
 * pg_stat_activity has their times, so the lease costs no write.
 */
export class Election {
  readonly #options: ElectionOptions;
  readonly #stopping = new AbortController();
  #connection: Connection | null = null;
  #running: Promise<void> = Promise.resolve();
  /** The lease ends at this time, in milliseconds of performance.now(), which also passes while the process is stopped. */
  #heldUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ElectionOptions) {
    this.#options = { ...options, target: { ...options.target, applicationName: options.name } };
  }

  /** True while this process leads, and no other process can have replaced it. */
  get isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resigns. Resolves once the server has closed the connection and released the lock. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#connection?.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      // While the server restarts, each attempt fails. The error is ignored, because requests to apps report it.
      await this.#takePart().catch(() => undefined);
      await this.#pause(REOPEN_MILLISECONDS);
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#stopping;
    await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
  }

  /** Connects, waits for the lock, and leads until the connection is lost. */
  async #takePart(): Promise<void> {
    const { target, channel, onNotified, onListening, onGained, onLost } = this.#options;
    const closed = new AbortController();
    const connection = await Connection.open(target, OPEN_MILLISECONDS, () => {
      this.#heldUntil = Number.NEGATIVE_INFINITY;
      closed.abort();
    });
    this.#connection = connection;
    connection.onNotification((_, payload) => onNotified(payload));
    try {
      await connection.run([plain(`listen ${quoteIdentifier(channel)}`)]);
      onListening?.();
      const hasReplaced = await this.#wait(connection);
      if (this.#isStopping || connection.isClosed) return;
      onGained(hasReplaced);
      try {
        await this.#lead(connection, closed.signal);
      } finally {
        this.#heldUntil = Number.NEGATIVE_INFINITY;
        onLost();
      }
    } finally {
      this.#connection = null;
      connection.close();
    }
  }

  /** Waits for the lock. Returns true if a leader without a valid lease held it. */
  async #wait(connection: Connection): Promise<boolean> {
    const { lock } = this.#options;
    let hasReplaced = false;
    for (;;) {
      const askedAt = performance.now();
      const row = await this.#ask(connection, [
        plain(`select pg_catalog.pg_try_advisory_lock(9009, ${lock}) as gained`),
        endFrozen(lock),
      ]);
      if (row.gained === 't') {
        this.#heldUntil = askedAt + LEASE_MILLISECONDS;
        return hasReplaced;
      }
      if (this.#isStopping) return hasReplaced;
      if (row.ended !== '0') hasReplaced = true;
      await this.#pause(row.ended === '0' ? ATTEMPT_MILLISECONDS : ATTEMPT_MILLISECONDS / 10);
    }
  }

  /** Renews the lease until the connection is lost. */
  async #lead(connection: Connection, closed: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([closed, this.#stopping.signal]);
    while (!signal.aborted) {
      await delay(BEAT_MILLISECONDS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      const askedAt = performance.now();
      await this.#ask(connection, []);
      this.#heldUntil = askedAt + LEASE_MILLISECONDS;
    }
  }

  /** Runs statements that prove that this process runs. Returns their columns, and reports the number of peers. */
  async #ask(connection: Connection, statements: readonly Statement[]): Promise<Record<string, string | null>> {
    const timer = setTimeout(() => connection.abandon('the server did not respond in time'), LEASE_MILLISECONDS);
    try {
      const { name, onPeers } = this.#options;
      const results = await connection.run([...statements, onPeers ? peers(name) : BEAT]);
      const row = Object.assign({}, ...results.map((result) => rowsAsText(result)[0]));
      onPeers?.(Math.max(1, Number(row.peers)));
      return row;
    } finally {
      clearTimeout(timer);
    }
  }
}

const BEAT: Statement = { text: 'select 1', params: [], planKey: 'beat' };

/** SQL text: true for a session whose last statement is so old that its process must be stopped or cut off. */
const isStale = `a.state_change < pg_catalog.clock_timestamp() - interval '${LEASE_MILLISECONDS} ms'`;

/** Ends the session that holds the lock if its lease has ended. */
const endFrozen = (lock: number): Statement => ({
  text: `select pg_catalog.count(*) filter (where pg_catalog.pg_terminate_backend(l.pid)) as ended
    from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.classid = 9009 and l.objid = ${lock} and l.objsubid = 2 and l.granted
      and l.database = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
      and l.pid <> pg_catalog.pg_backend_pid() and ${isStale}`,
  params: [],
});

const peers = (name: string): Statement => ({
  text: `select pg_catalog.count(*) as peers from pg_catalog.pg_stat_activity a
    where a.application_name = $1 and a.datname = pg_catalog.current_database() and not (${isStale})`,
  params: [name],
});
