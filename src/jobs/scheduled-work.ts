import { randomUUID } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import type { App, Notification } from '../apps/app.ts';
import type { Apps } from '../apps/apps.ts';
import { isCurrent } from '../apps/apps.ts';
import type { ExceededBounds } from '../apps/exceeded-bounds.ts';
import { Background } from '../apps/maintenance/background.ts';
import type { ServerPools } from '../apps/provisioning/server-pools.ts';
import { type AppRecord, CONSOLE_REF, databaseName } from '../apps/registry/app-record.ts';
import type { Origins } from '../apps/registry/origins.ts';
import type { Registry } from '../apps/registry/registry.ts';
import { type Server, superuserIn } from '../apps/registry/server.ts';
import { ConnectionBudget } from '../database/connection-budget.ts';
import { isLastingFailure } from '../database/database-error.ts';
import { Election } from '../database/election.ts';
import type { Pool } from '../database/pool.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Events } from '../observe/events.ts';
import { AppWork, type SharedParts } from './app-work.ts';
import { readDueRows, readWrites, writeDueRow } from './due-store.ts';
import { byUrgency, countWrites } from './look-order.ts';
import { MailPlaces } from './mail-sender.ts';
import { Places } from './places.ts';
import type { AddressPolicy } from './public-address.ts';
import { WorkFigures } from './work-figures.ts';

/**
 * Interval at which the write counters of all databases are read. A changed counter reveals jobs and requests in the
 * database for which no worker received a notification.
 */
const COUNTERS_MILLISECONDS = 5000;
/** Maximum interval between two checks of an app whose rows change although it schedules nothing. */
const LONGEST_PAUSE_MILLISECONDS = 60_000;
/** Maximum interval for reading the clock, because the clock may be changed. */
const CLOCK_MILLISECONDS = 1000;
/** Maximum number of apps that are checked at the same time. */
const LOOKS = 4;
/** Time within which several notifications of the same app are forwarded as one. */
const NOTIFY_MILLISECONDS = 20;
/** Length of the pause after a check, as a multiple of the duration of the check. */
const PAUSE_FACTOR = 9;
const SUSPENDED_MILLISECONDS = 1000;
/**
 * A stored due time may be earlier than the real one, but not later. It is stored again once it is this many
 * milliseconds earlier.
 */
const STALE_MILLISECONDS = 60_000;
/** Channel on which workers announce scheduled work to the leader. */
const JOBS_CHANNEL = 'ninefold_jobs';
/** Second key of the advisory lock of the leader. */
const JOBS_LOCK = 2;

interface Entry {
  /** Time at which the app must be checked next, in milliseconds since 1970; Infinity if nothing is scheduled. */
  due: number;
  /** True if the write counter has changed since the last check. */
  isChanged: boolean;
  /** Number of rows that were written since the last check. */
  newWrites: number;
  /** Time before which the app is not checked, in milliseconds of performance.now(). */
  pausedUntil: number;
  isServing: boolean;
  /** Pause before the next check after a failed one, in milliseconds. */
  retry: number;
  work: AppWork | null;
  storedDue: number | null;
  storedWrites: string | null;
  /** The write counter of the database when it was last read. */
  writes: string | null;
  /**
   * Until this time, a changed counter causes no further check; in milliseconds of performance.now(). At each check,
   * `pause` is added to the current time.
   */
  countsAfter: number;
  pause: number;
}

/**
 * Runs the scheduled jobs of all apps, and sends their HTTP requests and mails. One worker of all nodes leads and does
 * this; the others forward notifications from the databases of their apps. An idle app has no connection between runs,
 * because its next due time is stored in the console's database.
 */
export class ScheduledWork {
  readonly #parts: { apps: Apps; registry: Registry; bounds: ExceededBounds; console: Pool; servers: ServerPools };
  readonly #shared: SharedParts;
  readonly #election: Election;
  readonly #background: Background;
  readonly #cancel = new AbortController();
  readonly #entries = new Map<string, Entry>();
  readonly #announcing = new Map<string, NodeJS.Timeout>();
  readonly #looks = new Set<Promise<void>>();
  /** The work of deleted apps that has not ended. */
  readonly #ending = new Set<Promise<void>>();
  #hasLead = false;
  #isStopping = false;
  #timer: NodeJS.Timeout | null = null;
  #counters: NodeJS.Timeout | null = null;

  constructor(
    parts: {
      server: Server;
      apps: Apps;
      registry: Registry;
      bounds: ExceededBounds;
      console: Pool;
      /** The PostgreSQL servers of the node. */
      servers: ServerPools;
      events: Events;
      origins: Origins;
      sendMailHook: SharedParts['sendMailHook'];
      memberOf: SharedParts['memberOf'];
      store: SharedParts['store'];
      /** Maximum number of connections to the databases of apps. */
      connections: number;
    },
    policy: AddressPolicy,
  ) {
    this.#parts = parts;
    this.#background = new Background(parts.events, 'the scheduled work');
    this.#shared = {
      server: parts.server,
      budget: new ConnectionBudget(parts.connections, parts.connections / 2),
      policy,
      requests: new Places(limits.nodeHttpRequests.default),
      mailPlaces: new MailPlaces(),
      secretsOf: (ref) => parts.registry.secrets.read(ref),
      urlOf: (ref) => parts.origins.appOrigin(ref) ?? parts.origins.appUrl(ref),
      sendMailHook: parts.sendMailHook,
      memberOf: parts.memberOf,
      store: parts.store,
      sweepOneByOne: inTurn(),
      appOf: (ref) => parts.apps.get(ref),
      runner: randomUUID(),
      runs: new Places(limits.nodeRunningJobs.default),
      cancel: this.#cancel.signal,
      isStopping: () => this.#isStopping || !this.#isLeader,
      isSuspended: (ref) => parts.bounds.refusal(ref) !== null,
      figures: new WorkFigures(),
      onFault: (ref, error) => void this.#background.attempt(ref, () => Promise.reject(error)),
    };
    this.#election = new Election({
      target: superuserIn(parts.server, databaseName(CONSOLE_REF)),
      ...{ lock: JOBS_LOCK, name: 'ninefold-jobs', channel: JOBS_CHANNEL },
      onGained: (hasReplaced) => void this.#lead(hasReplaced),
      onLost: () => this.#resign(),
      onNotified: (ref) => this.#wake(ref, Date.now()),
    });
  }

  start(): void {
    this.#election.start();
  }

  /** Returns the work that this worker has done, and the queues of mails if it leads. */
  figures(): {
    running: number;
    runs: WorkFigures['runs'];
    queues: ReturnType<WorkFigures['queues']> | null;
  } {
    const { runs, figures } = this.#shared;
    return {
      running: runs.total - runs.free,
      runs: figures.runs,
      queues: this.#isLeader ? figures.queues() : null,
    };
  }

  /** Forwards the notifications of the app's database. */
  watch(app: App): void {
    app.subscribe((notification: Notification) => {
      if (notification.type === 'scheduled-work') this.#announce(app.ref);
    });
  }

  /** Waits for running work, at most for the limit jobStopMilliseconds, then cancels it. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#clearTimers();
    const timer = setTimeout(() => this.#cancel.abort(), limits.jobStopMilliseconds.default);
    await Promise.all(this.#looks);
    await Promise.all([...this.#ending, ...[...this.#entries.values()].map(({ work }) => work?.close())]);
    clearTimeout(timer);
    await this.#election.stop();
  }

  #announce(ref: string): void {
    if (this.#isStopping || this.#announcing.has(ref)) return;
    const timer = setTimeout(() => {
      this.#announcing.delete(ref);
      if (this.#isLeader) this.#wake(ref, Date.now());
      else {
        // An error is ignored, because the leader also finds scheduled work by the write counters.
        this.#parts.console
          .run([{ text: `select pg_catalog.pg_notify('${JOBS_CHANNEL}', $1)`, params: [ref], planKey: 'jobs' }])
          .catch(() => undefined);
      }
    }, NOTIFY_MILLISECONDS);
    this.#announcing.set(ref, timer.unref());
  }

  /**
   * True while no other process can lead. A process that was stopped for a while finds that its lease has ended before it
   * starts any work.
   */
  get #isLeader(): boolean {
    return this.#hasLead && this.#election.isHeld;
  }

  async #lead(hasReplaced: boolean): Promise<void> {
    this.#hasLead = true;
    // Work that this process did not finish, such as a run that it could not release, has the old runner id. With a new
    // id, this work is recovered like that of another process.
    this.#shared.runner = randomUUID();
    try {
      if (hasReplaced) for (const pool of await this.#parts.servers.pools()) await endSessionsOfJobs(pool);
      for (const { app, due, seenWrites } of await readDueRows(this.#parts.console)) {
        const entry = this.#entry(app);
        entry.storedDue = due;
        entry.storedWrites = seenWrites;
        entry.writes = seenWrites;
        entry.due = Math.min(entry.due, due ?? Number.POSITIVE_INFINITY);
      }
    } catch (error) {
      // The counters are not known then, so each app is checked once.
      this.#shared.onFault(CONSOLE_REF, error);
    }
    void this.#readCounters();
    this.#schedule();
  }

  /** Stops all work, because another worker leads. */
  #resign(): void {
    this.#hasLead = false;
    this.#clearTimers();
    for (const { work } of this.#entries.values()) void work?.close();
    this.#entries.clear();
    this.#shared.figures.forget();
  }

  #clearTimers(): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#counters) clearTimeout(this.#counters);
    for (const timer of this.#announcing.values()) clearTimeout(timer);
    this.#announcing.clear();
  }

  #entry(ref: string): Entry {
    const known = this.#entries.get(ref);
    if (known) return known;
    const entry: Entry = {
      ...{ due: Number.POSITIVE_INFINITY, pausedUntil: 0, isServing: false, work: null, storedDue: null },
      retry: SUSPENDED_MILLISECONDS,
      ...{
        isChanged: false,
        newWrites: 0,
        storedWrites: null,
        writes: null,
        countsAfter: 0,
        pause: COUNTERS_MILLISECONDS,
      },
    };
    this.#entries.set(ref, entry);
    return entry;
  }

  #wake(ref: string, at: number): void {
    if (!this.#isLeader || this.#isStopping || ref === CONSOLE_REF) return;
    const entry = this.#entry(ref);
    entry.due = Math.min(entry.due, at);
    this.#schedule();
  }

  /** Checks apps whose databases were written to since their last check. */
  async #readCounters(): Promise<void> {
    try {
      const writes = await this.#readWrites();
      const now = performance.now();
      for (const { ref, database } of await this.#changed(writes)) {
        const entry = this.#entry(ref);
        if (now < entry.countsAfter) continue;
        const counter = writes.get(database) ?? null;
        entry.newWrites = countWrites(entry.writes, counter);
        entry.writes = counter;
        entry.countsAfter = now + entry.pause;
        entry.pause = Math.min(entry.pause * 2, LONGEST_PAUSE_MILLISECONDS);
        entry.isChanged = true;
      }
      this.#schedule();
    } catch {
      // The error is ignored, because reading fails while the server restarts, and the next attempt follows soon.
    }
    if (this.#isLeader && !this.#isStopping) {
      this.#counters = setTimeout(() => void this.#readCounters(), COUNTERS_MILLISECONDS);
      this.#counters.unref();
    }
  }

  /** Reads the counters of all servers. A server that does not answer leaves its apps out. */
  async #readWrites(): Promise<Map<string, string>> {
    const pools = await this.#parts.servers.pools();
    const [own, ...further] = await Promise.all(
      pools.map((pool, i) => (i === 0 ? readWrites(pool) : readWrites(pool).catch(() => new Map<string, string>()))),
    );
    return new Map([...(own ?? []), ...further.flatMap((counters) => [...counters])]);
  }

  async #changed(writes: ReadonlyMap<string, string>): Promise<{ ref: string; database: string }[]> {
    const apps = await this.#parts.registry.list();
    const refs = new Set(apps.map(({ ref }) => ref));
    // The next check removes the entries of deleted apps.
    for (const [ref, entry] of this.#entries) if (!refs.has(ref)) entry.due = Math.min(entry.due, Date.now());
    return apps.filter(
      ({ ref, database }) =>
        ref !== CONSOLE_REF && writes.has(database) && writes.get(database) !== this.#entries.get(ref)?.writes,
    );
  }

  #schedule(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.#isLeader || this.#isStopping) return;
    const [now, clock] = [Date.now(), performance.now()];
    let next = Number.POSITIVE_INFINITY;
    const ready: [ref: string, entry: Entry][] = [];
    for (const [ref, entry] of this.#entries) {
      if (entry.isServing) continue;
      const wait = Math.max(entry.isChanged ? 0 : entry.due - now, entry.pausedUntil - clock);
      if (wait > 0) next = Math.min(next, wait);
      else if (this.#looks.size < LOOKS) ready.push([ref, entry]);
    }
    const compare = byUrgency(now);
    ready.sort(([, a], [, b]) => compare(a, b));
    for (const [ref, entry] of ready.slice(0, LOOKS - this.#looks.size)) this.#look(ref, entry);
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#schedule(), Math.min(Math.ceil(next), CLOCK_MILLISECONDS));
    this.#timer.unref();
  }

  #look(ref: string, entry: Entry): void {
    entry.isServing = true;
    entry.due = Number.POSITIVE_INFINITY;
    entry.isChanged = false;
    const started = performance.now();
    const look = this.#background
      .attempt(ref, () => this.#serve(ref, entry).catch((error: unknown) => this.#delay(entry, error)))
      .then((isDone) => {
        if (!isDone && this.#entries.has(ref)) entry.due = Math.min(entry.due, Date.now() + entry.retry);
      })
      .finally(() => {
        entry.isServing = false;
        const ended = performance.now();
        entry.pausedUntil = ended + PAUSE_FACTOR * (ended - started);
        this.#looks.delete(look);
        this.#schedule();
      });
    this.#looks.add(look);
  }

  /**
   * Doubles the pause before the next check of an app whose database does not exist or refuses the login. While an app is
   * being deleted, this comes before the app is unknown.
   * @throws `error`
   */
  #delay(entry: Entry, error: unknown): never {
    const { retry } = entry;
    entry.retry = isLastingFailure(error) ? Math.min(retry * 2, LONGEST_PAUSE_MILLISECONDS) : SUSPENDED_MILLISECONDS;
    throw error;
  }

  async #serve(ref: string, entry: Entry): Promise<void> {
    if (this.#shared.isSuspended(ref)) {
      entry.due = Date.now() + SUSPENDED_MILLISECONDS;
      return;
    }
    const record = await this.#recordOf(ref);
    if (entry.work && !(record && entry.work.isOf(record))) this.#end(entry);
    if (record === null) {
      this.#entries.delete(ref);
      this.#shared.figures.forget(ref);
      return;
    }
    if (record.isMoving) {
      this.#end(entry);
      entry.due = Date.now() + SUSPENDED_MILLISECONDS;
      return;
    }
    // Updating the schema changes the write counter, so the app is checked again after an update.
    if (!isCurrent(record)) return;
    entry.work ??= await this.#open(record);
    const due = await entry.work.serve();
    entry.due = Math.min(entry.due, due ?? Number.POSITIVE_INFINITY);
    entry.retry = SUSPENDED_MILLISECONDS;
    await this.#store(ref, entry, due);
  }

  /** Returns the record of an app; null if the app does not exist. */
  async #recordOf(ref: string): Promise<AppRecord | null> {
    try {
      return (await this.#parts.apps.find(ref)).record;
    } catch (error) {
      if (error instanceof NinefoldError && error.code === 'app_unknown') return null;
      throw error;
    }
  }

  async #open(record: AppRecord): Promise<AppWork> {
    const { ref } = record;
    // If an operator created the app, it has no builder. Then it shares its slots with no other app.
    const owner = (await this.#parts.registry.firstBuilderOf(ref)) ?? ref;
    return new AppWork(this.#shared, record, owner, (at) => this.#wake(ref, at));
  }

  /** Ends the work of a deleted app. */
  #end(entry: Entry): void {
    if (entry.work === null) return;
    const ending = entry.work.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    entry.work = null;
  }

  /** Stores the due time in the console's database if the stored time is later than the real one, or much earlier. */
  async #store(ref: string, entry: Entry, due: number | null): Promise<void> {
    const { storedDue, storedWrites, writes } = entry;
    const isSame = (storedDue === null) === (due === null);
    const isLowerBound = isSame && (due === null || storedDue === null || storedDue <= due);
    const isStale = due !== null && storedDue !== null && storedDue < Date.now() - STALE_MILLISECONDS;
    if (isLowerBound && !isStale && storedWrites === writes) return;
    if (!isSame) entry.pause = COUNTERS_MILLISECONDS;
    await writeDueRow(this.#parts.console, { app: ref, due, seenWrites: writes ?? '-1' });
    entry.storedDue = due;
    entry.storedWrites = writes;
  }
}

/**
 * Ends the sessions of jobs and queues that a stopped leader has left open. Their runs would count as running until its
 * process continues.
 */
async function endSessionsOfJobs(maintenance: Pool): Promise<void> {
  await maintenance.run([
    {
      text: `select pg_catalog.pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
        where datname <> $1 and (application_name like 'ninefold job %' or application_name = 'ninefold-jobs')`,
      params: [databaseName(CONSOLE_REF)],
    },
  ]);
}

/** Returns a function that runs work one after the other. */
function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}
