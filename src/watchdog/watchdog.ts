import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type AppBounds, limits } from '../../contract/limits.ts';
import type { RightName } from '../../contract/server-rights.ts';
import type { BoundMessage } from '../apps/exceeded-bounds.ts';
import type { ConnectionConfig } from '../database/connection-config.ts';
import { Election } from '../database/election.ts';
import { Pool } from '../database/pool.ts';
import type { Events } from '../observe/events.ts';
import {
  type Breach,
  leaders,
  listenerBreaches,
  lockBreaches,
  sharedLockBreaches,
  sumBreaches,
  timeBreaches,
} from './breaches.ts';
import { DatabaseSizes } from './database-sizes.ts';
import { EndlessLoops } from './endless-loops.ts';
import { OwnerLogins } from './owner-logins.ts';
import type { Processes } from './processes.ts';
import { ProcessorShares } from './processor-shares.ts';
import type { Session } from './sessions.ts';
import { SessionReader } from './sessions.ts';
import { SharedWrites } from './shared-writes.ts';
import { type Suspension, Suspensions } from './suspensions.ts';
import { type LockCount, readClosedDatabases, readLocks, readSharedBytes, readTemporaryBytes } from './usage.ts';

/** How long the unused connection of the watchdog stays open, and how long a check waits for it. */
const IDLE_MILLISECONDS = 3_600_000;
const WAIT_MILLISECONDS = 5000;

/** Limits whose breach immediately harms the other apps of the server, even if it happens only once. */
const grave: readonly (keyof AppBounds)[] = ['appLocks', 'notifyBytesPerSecond', 'sharedCatalogBytesPerSecond'];
/**
 * Limits whose breaches lead to a suspension. For the other limits, only the sessions are ended, because a breach is
 * less certain or less harmful: work takes long or grows, or a listener is only assumed to be the cause.
 */
const suspending: readonly (keyof AppBounds)[] = [...grave, 'appMemoryBytes', 'appTemporaryBytes'];
/** Share of the limit of locks below which the locks of a process are not counted, which makes the check faster. */
const COUNTED_SHARE = 1 / 200;
/** Factor by which the interval between two checks is longer while no session of any app is working. */
const REST = 2;
/**
 * Number of checks between two readings of values that change slowly: sizes of files and databases, the NOTIFY queue.
 */
const SLOW_LOOKS = 5;

/**
 * If the segments of parallel workers are larger than this in total, the shared memory of each process is counted too.
 */
const SEGMENT_BYTES = 64 * 1024 * 1024;

/** The dependencies of the watchdog. */
export interface WatchdogParts {
  /** Connection parameters of the superuser in the maintenance database. */
  target: ConnectionConfig;
  bounds: AppBounds;
  /** The processes of the server if it runs on this machine with Linux; otherwise null. */
  processes: Processes | null;
  events: Events;
  /** Sends a message to all workers of this node, before the sessions are ended. */
  send: (message: BoundMessage) => void;
  /**
   * True if other nodes may use the server. They elect one watchdog, so that no node reopens a login that another has
   * closed.
   */
  isShared: boolean;
  /** The rights of a superuser that the node's login lacks on the server. */
  missingRights: readonly RightName[];
  /** Called with the number of nodes that use the server. */
  onNodes?: (count: number) => void;
}

/** A message of one node's watchdog to the others: what it sends to its workers, or the wish to get all suspensions. */
interface SharedMessage {
  readonly from: string;
  readonly message: BoundMessage | null;
}

/** Second key of the advisory lock of the elected watchdog. */
const WATCHDOG_LOCK = 3;
/** Channel between the watchdogs of nodes. */
const BOUNDS_CHANNEL = 'ninefold_bounds';
/** PostgreSQL refuses a notification of 8000 bytes. A message with more processes lacks the others. */
const MAX_PROCESS_IDS = 900;

/**
 * Checks every 100 ms, or every 200 ms while all apps are idle, how much of the server the sessions of each app use,
 * and ends sessions of an app that exceeds its limits. It enforces limits that PostgreSQL does not enforce itself or
 * that the app's owner could change. Of the nodes that share a server, one does this for all.
 */
export class Watchdog {
  readonly #parts: WatchdogParts;
  /**
   * Connection for the checks. It stays open, so that the watchdog still works when the server has no free connection.
   */
  readonly #database: Pool;
  /** Connection for slow queries, so that counting locks never waits until a slow query has ended. */
  readonly #files: Pool;
  readonly #sessions: SessionReader;
  readonly #suspensions: Suspensions;
  readonly #logins: OwnerLogins;
  readonly #sizes: DatabaseSizes;
  readonly #notifies: SharedWrites;
  readonly #catalogs: SharedWrites;
  readonly #shares: ProcessorShares | null;
  readonly #loops: EndlessLoops | null;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  #looks = 0;
  readonly #failing = new Set<string>();
  #slow: Promise<void> | null = null;
  #isSlowBusy = false;
  #hasSegments = false;
  readonly #slowBreaches: Breach[] = [];
  readonly #id = randomUUID();
  readonly #election: Election | null;
  #hasLead = false;

  constructor(parts: WatchdogParts) {
    const { target, bounds, processes } = parts;
    this.#parts = parts;
    const options = { max: 1, idleMilliseconds: IDLE_MILLISECONDS, waitMilliseconds: WAIT_MILLISECONDS };
    this.#database = new Pool({ ...target, applicationName: 'ninefold-watchdog' }, options);
    this.#files = new Pool({ ...target, applicationName: 'ninefold-watchdog' }, options);
    this.#sessions = new SessionReader(this.#database);
    this.#suspensions = new Suspensions(bounds.appSuspensionSeconds, limits.appSuspensionMaxSeconds.default);
    this.#logins = new OwnerLogins(this.#database);
    this.#sizes = new DatabaseSizes(this.#files, bounds.appDatabaseBytes, (message) => this.#send(message));
    this.#notifies = new SharedWrites('notifyBytesPerSecond', bounds.notifyBytesPerSecond);
    this.#catalogs = new SharedWrites('sharedCatalogBytesPerSecond', bounds.sharedCatalogBytesPerSecond);
    this.#shares = processes && new ProcessorShares(processes, bounds.appProcessorShare / 100);
    this.#loops = processes && new EndlessLoops(processes);
    this.#election = parts.isShared ? this.#newElection() : null;
  }

  /** True while this node enforces the limits. */
  get #isLeading(): boolean {
    return this.#election === null || (this.#hasLead && this.#election.isHeld);
  }

  #newElection(): Election {
    const { target, onNodes } = this.#parts;
    return new Election({
      ...{ target, lock: WATCHDOG_LOCK, name: 'ninefold-node', channel: BOUNDS_CHANNEL },
      onListening: () => this.#share(null),
      onGained: () => {
        this.#hasLead = true;
        this.#takeOver().catch((error: unknown) => this.#report('sessions', error));
      },
      onLost: () => {
        this.#hasLead = false;
        this.#logins.forget();
      },
      onNotified: (payload) => this.#receive(payload),
      ...(onNodes && { onPeers: onNodes }),
    });
  }

  /** Continues the suspensions that another node has decided, also if this node has just started. */
  async #takeOver(): Promise<void> {
    const found = await this.#logins.openEnded();
    const now = performance.now();
    for (const { app, limit: name, seconds } of found) {
      const limit = suspending.find((each) => each === name);
      if (limit === undefined || this.#suspensions.isSuspended(app, now)) continue;
      this.#suspensions.adopt(app, limit, seconds, now);
      this.#parts.send(this.#suspensionMessage({ app, limit, seconds }));
    }
    for (const { app, limit, seconds } of this.#suspensions.current(now)) {
      this.#logins.close(app, limit, now + seconds * 1000);
    }
  }

  #send(message: BoundMessage): void {
    this.#parts.send(message);
    this.#share(message);
  }

  /** Sends a message to the other nodes. An error is ignored: while the server restarts, no app exceeds a limit. */
  #share(message: BoundMessage | null): void {
    if (this.#election === null) return;
    const short =
      message?.type === 'bound exceeded'
        ? { ...message, processIds: message.processIds.slice(0, MAX_PROCESS_IDS) }
        : message;
    const payload = JSON.stringify({ from: this.#id, message: short } satisfies SharedMessage);
    this.#files
      .run([{ text: `select pg_catalog.pg_notify('${BOUNDS_CHANNEL}', $1)`, params: [payload], planKey: 'watchdog' }])
      .catch(() => undefined);
  }

  /** Processes a message of another node. Only superusers can send one, because no app may use the database. */
  #receive(payload: string): void {
    const { from, message } = JSON.parse(payload) as SharedMessage;
    if (from === this.#id) return;
    if (message === null) {
      if (this.#isLeading) for (const each of this.currentBounds()) this.#share(each);
      return;
    }
    if (message.type === 'bound exceeded' && message.suspendedSeconds > 0) {
      this.#suspensions.adopt(
        message.app,
        message.limit as keyof AppBounds,
        message.suspendedSeconds,
        performance.now(),
      );
    }
    this.#parts.send(message);
  }

  /**
   * Starts the watchdog. Resolves after the first check; on a shared server, when this node takes part in the election.
   * @throws DatabaseError or ConnectionError if the server cannot be used.
   */
  async start(): Promise<void> {
    if (this.#election === null) {
      await this.#logins.openAll();
      await this.#look();
    }
    this.#election?.start();
    this.#running = this.#run();
  }

  /** Returns the messages for a new worker: the suspensions that have not ended. */
  currentBounds(): BoundMessage[] {
    return this.#suspensions.current(performance.now()).map((suspension) => this.#suspensionMessage(suspension));
  }

  #suspensionMessage({ app, limit, seconds }: Suspension): BoundMessage {
    const bound = this.#parts.bounds[limit];
    return { type: 'bound exceeded', app, limit, bound, suspendedSeconds: seconds, processIds: [] };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#slow;
    // If the server has already stopped, this fails. Then the next start opens the logins. Another node that takes over
    // opens them when the suspensions end.
    if (this.#election === null) await this.#logins.settle(Number.POSITIVE_INFINITY).catch(() => undefined);
    await this.#election?.stop();
    await Promise.all([this.#database.close(), this.#files.close()]);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const interval = limits.appWatchMilliseconds.default;
    let isBusy = false;
    for (;;) {
      await delay(isBusy ? interval : interval * REST, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (!this.#isLeading) continue;
      try {
        isBusy = await this.#look();
        this.#failing.delete('sessions');
      } catch (error) {
        this.#report('sessions', error);
      }
    }
  }

  /** Reports a failed check. While the server restarts, every check fails; only the first failure is reported. */
  #report(part: 'sessions' | 'files', error: unknown): void {
    if (this.#failing.has(part) || this.#stopping.signal.aborted) return;
    this.#failing.add(part);
    this.#parts.events.emit({ type: 'fault', requestId: null, where: `the watchdog over ${part}`, error });
  }

  /** Runs one check. Returns true if a session of an app is working or was working since the last check. */
  async #look(): Promise<boolean> {
    this.#looks++;
    const { bounds, processes } = this.#parts;
    const sessions = await this.#sessions.read();
    const now = performance.now();
    const busy = sessions.filter(
      ({ state, stateMilliseconds }) =>
        state !== 'idle' || stateMilliseconds < (REST + 1) * limits.appWatchMilliseconds.default,
    );
    const breaches = timeBreaches(busy, bounds);
    if (busy.length > 0) {
      const locks = await readLocks(this.#database, bounds.appLocks * COUNTED_SHARE);
      breaches.push(...lockBreaches(sessions, locks, bounds.appLocks), ...sharedLockBreaches(sessions, locks));
      const pids = (isWriter: (lock: LockCount) => boolean) => new Set(locks.filter(isWriter).map(({ pid }) => pid));
      this.#notifies.see(
        sessions,
        pids(({ notifies }) => notifies),
      );
      this.#catalogs.see(
        sessions,
        pids(({ writesShared }) => writesShared),
      );
    }
    if (processes && busy.length > 0) {
      if (this.#isSlowLook) this.#hasSegments = processes.segmentBytes() > SEGMENT_BYTES;
      const memory = (session: Session) => processes.memoryBytes(session.pid, this.#hasSegments);
      breaches.push(
        ...sumBreaches(this.#isSlowLook ? sessions : busy, memory, 'appMemoryBytes', bounds.appMemoryBytes),
      );
    }
    this.#shares?.update(sessions, now);
    if (this.#isSlowLook) this.#startSlow(sessions, busy);
    breaches.push(...this.#slowBreaches.splice(0));
    for (const breach of breaches) await this.#enforce(breach, now);
    await this.#endSuspended(busy, now);
    await this.#endInClosedDatabases(busy);
    this.#interruptLoops(sessions);
    await this.#logins.settle(now);
    return busy.length > 0;
  }

  get #isSlowLook(): boolean {
    return this.#looks % SLOW_LOOKS === 0;
  }

  /**
   * Starts the slow checks in the background. When they are done, the next check processes the breaches that they
   * found.
   */
  #startSlow(sessions: readonly Session[], busy: readonly Session[]): void {
    this.#suspensions.tidy(performance.now());
    if (this.#isSlowBusy) return;
    this.#isSlowBusy = true;
    this.#slow = this.#lookAtFiles(sessions, busy)
      .then(
        (breaches) => {
          this.#slowBreaches.push(...breaches);
          this.#failing.delete('files');
        },
        (error: unknown) => this.#report('files', error),
      )
      .then(() => {
        this.#isSlowBusy = false;
      });
  }

  async #lookAtFiles(sessions: readonly Session[], busy: readonly Session[]): Promise<Breach[]> {
    const { bounds } = this.#parts;
    const { queue, notified, catalogs } = await readSharedBytes(this.#files);
    const now = performance.now();
    const breaches = [...this.#notifies.look(notified, now), ...this.#catalogs.look(catalogs, now)];
    if (queue > bounds.notifyQueueBytes) {
      breaches.push(...listenerBreaches(sessions, queue, bounds.notifyListenerSeconds));
    }
    if (busy.length > 0 && !this.#parts.missingRights.includes('serverFiles')) {
      const bytes = await readTemporaryBytes(this.#files);
      const used = ({ pid }: Session) => bytes.get(pid) ?? 0;
      breaches.push(...sumBreaches(sessions, used, 'appTemporaryBytes', bounds.appTemporaryBytes));
    }
    breaches.push(...(await this.#sizes.look(busy)));
    return breaches;
  }

  async #enforce({ app, limit, value, pids }: Breach, now: number): Promise<void> {
    const { bounds, events } = this.#parts;
    if (this.#suspensions.isSuspended(app, now)) return;
    const counts = suspending.includes(limit);
    const seconds = counts ? this.#suspensions.record(app, limit, grave.includes(limit), now) : 0;
    const bound = bounds[limit];
    this.#send({ type: 'bound exceeded', app, limit, bound, suspendedSeconds: seconds, processIds: pids });
    if (seconds > 0) this.#logins.close(app, limit, now + seconds * 1000);
    await this.#end(pids);
    const detail = { limit, value, bound, sessions: pids.length, suspendedSeconds: seconds };
    events.emit({ type: 'app', what: 'bounded', app, detail });
  }

  /** Ends all work of a suspended app, including sessions that its owner opened before. */
  async #endSuspended(busy: readonly Session[], now: number): Promise<void> {
    const suspended = busy.filter(({ app, state }) => state !== 'idle' && this.#suspensions.isSuspended(app, now));
    if (suspended.length > 0) await this.#end(leaders(suspended));
  }

  /**
   * Ends sessions that compute in a database without a login: the app is being deleted or copied. The worker has ended
   * them before, so this only watches those that do not end.
   */
  async #endInClosedDatabases(busy: readonly Session[]): Promise<void> {
    if (!this.#isSlowLook) return;
    const old = busy.filter(
      ({ isComputing, statementMilliseconds }) =>
        isComputing && statementMilliseconds > limits.sessionLoopSeconds.default * 1000,
    );
    if (old.length === 0) return;
    const closed = await readClosedDatabases(this.#database);
    await this.#end(leaders(old.filter(({ database }) => closed.has(database))));
  }

  /** Interrupts sessions that were ended and are in a loop that checks for no interrupt. */
  #interruptLoops(sessions: readonly Session[]): void {
    const { processes, events } = this.#parts;
    const found = this.#loops?.find(sessions, (id) => this.#sessions.startOf(id)) ?? [];
    for (const { pid, app } of found) {
      processes?.interruptLoop(pid);
      events.emit({ type: 'app', what: 'interrupted', app, detail: { pid } });
    }
  }

  /**
   * Ends the processes that the last check returned. Compares their start times, because the id of an ended process may
   * belong to another process by now.
   */
  async #end(pids: readonly number[]): Promise<void> {
    const seen = pids.flatMap((pid) => this.#sessions.startOf(pid) ?? []);
    if (seen.length === 0) return;
    this.#shares?.hasten(pids);
    for (const process of seen) this.#loops?.watch(process);
    await this.#database.run([
      {
        text: `select pg_catalog.pg_terminate_backend(seen.pid) from unnest($1::int[], $2::timestamptz[]) as seen (pid, start)
          where exists (select from pg_catalog.pg_stat_get_activity(seen.pid) s where s.backend_start = seen.start)`,
        params: [seen.map(({ pid }) => pid), seen.map(({ start }) => `"${start}"`)].map(
          (list) => `{${list.join(',')}}`,
        ),
        planKey: 'watchdog',
      },
    ]);
  }
}
