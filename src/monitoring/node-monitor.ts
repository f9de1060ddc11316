import { cpus } from 'node:os';
import type { GaugeName } from '../../contract/metrics.ts';
import type { AppLoad, NodeFigures, NodeMinute } from '../../contract/node.ts';
import { CONSOLE_REF } from '../apps/registry/app-record.ts';
import type { Registry } from '../apps/registry/registry.ts';
import type { Executor } from '../database/database.ts';
import { addAll } from '../observe/histogram.ts';
import { areas, callsOf, classes, durationsOf, noCalls, quantileSeconds, sumOf } from './call-counts.ts';
import { CallTotals, OTHER } from './call-totals.ts';
import { exposition, type HistogramValue } from './exposition.ts';
import { Gauges } from './gauges.ts';
import { diskOf, memory, ProcessorUse } from './machine.ts';
import { series } from './series.ts';
import {
  type DatabaseTotals,
  readDatabaseTotals,
  readServerFigures,
  readSizes,
  type ServerFigures,
} from './server-figures.ts';
import type { FiguresForm, WaitingMails, WorkerReport } from './worker-report.ts';

/** Interval of the points of the history. */
const MINUTE_MILLISECONDS = 60_000;
/** Number of points of the history: one day. */
const HISTORY_MINUTES = 1440;
/** Time for which measured sizes of databases are used. */
const SIZES_MILLISECONDS = 300_000;
/** Time for which they are used if apps were created or deleted meanwhile. */
const NEW_MILLISECONDS = 30_000;
/** How long a scrape waits for PostgreSQL. */
const SERVER_MILLISECONDS = 2000;
/** Number of points of a chart on the page of the node. */
const SHOWN_POINTS = 144;
/** Number of apps on the page of the node. */
const LISTED_APPS = 50;
const MICROSECONDS = 1e6;

/** The parts of the primary process whose figures the monitor reads. */
export interface MonitorParts {
  /** Folder whose file system is watched. */
  readonly home: string;
  readonly version: string;
  readonly embedded: boolean;
  readonly startedAt: string;
  /** A connection of the superuser to the console's database. */
  readonly database: Executor;
  readonly registry: Pick<Registry, 'list'>;
  /** Asks all workers for a report and resolves when they have sent it, or after a second. */
  readonly collect: () => Promise<void>;
  readonly workers: () => number;
  readonly lostLines: () => number;
  /** Closes the connection. */
  readonly close: () => Promise<void>;
}

/** Adds up the figures of all workers and reads those of the server, for `/metrics` and for the page of the node. */
export class NodeMonitor {
  readonly gauges = new Gauges();
  readonly #parts: MonitorParts;
  readonly #calls = new CallTotals();
  readonly #counters = new Map<string, number>();
  /** Current values by worker and name. They leave with the worker. */
  readonly #ofWorkers = new Map<number, WorkerReport>();
  #poolWaits: Float64Array | null = null;
  readonly #history: NodeMinute[] = [];
  readonly #processor = new ProcessorUse();
  #collecting: Promise<void> | null = null;
  #sizes: { at: number; apps: number; byApp: ReadonlyMap<string, number>; totals: DatabaseTotals } | null = null;
  #measuring: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: MonitorParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#endMinute(), MINUTE_MILLISECONDS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await Promise.all([this.#collecting, this.#measuring]);
    await this.#parts.close();
  }

  /** Adds the report of a worker. */
  receive(worker: number, report: WorkerReport): void {
    this.#ofWorkers.set(worker, report);
    for (const [key, count] of report.counters) this.#counters.set(key, (this.#counters.get(key) ?? 0) + count);
    for (const [app, counts] of report.calls) this.#calls.add(app, counts);
    if (this.#poolWaits === null) this.#poolWaits = report.poolWaits.slice();
    else addAll(this.#poolWaits, report.poolWaits);
  }

  /** Removes the current values of a worker that has ended. Its counters stay. */
  onEnded(worker: number): void {
    this.#ofWorkers.delete(worker);
  }

  /** Returns the figures in the requested form. */
  read(form: FiguresForm): Promise<string> {
    return form === 'metrics' ? this.metrics() : this.page().then((figures) => JSON.stringify(figures));
  }

  /** Returns all metrics in the text format of Prometheus. */
  async metrics(): Promise<string> {
    const [, server, disk] = await Promise.all([this.#collect(), this.#readServer(), diskOf(this.#parts.home)]);
    void this.#measure(server);
    const values = new Map<string, number>(this.#counters);
    const set = (name: GaugeName, value: number) => values.set(name, value);
    const { version, startedAt, workers, lostLines } = this.#parts;
    set('ninefold_up', 1);
    values.set(series('ninefold_info', version, process.versions.node, server?.version ?? ''), 1);
    set('ninefold_start_time_seconds', Date.parse(startedAt) / 1000);
    set('ninefold_workers', workers());
    values.set('ninefold_log_lines_lost_total', lostLines());
    this.#setWorkers(values);
    if (disk) {
      set('ninefold_disk_free_bytes', disk.free);
      set('ninefold_disk_size_bytes', disk.size);
    }
    setServer(values, server);
    this.#setCalls(values);
    this.#setSizes(values);
    for (const [name, value] of this.gauges.entries()) set(name, value);
    return exposition({ values, histograms: this.#histograms() });
  }

  /** Returns the figures for the page of the node. */
  async page(): Promise<NodeFigures> {
    const [, server, disk] = await Promise.all([this.#collect(), this.#readServer(), diskOf(this.#parts.home)]);
    const measuring = this.#measure(server);
    if (this.#sizes === null) await measuring;
    const { embedded, startedAt, workers, lostLines } = this.#parts;
    const sizes = this.#sizes?.byApp ?? null;
    const { used, size } = memory();
    return {
      at: new Date().toISOString(),
      started_at: startedAt,
      workers: workers(),
      postgres: {
        up: server !== null,
        version: server?.version ?? null,
        embedded,
        connections: server?.connections ?? null,
        max_connections: server?.maxConnections ?? null,
        oldest_transaction_seconds: server?.oldestTransactionSeconds ?? null,
        frozen_xid_age: this.#sizes?.totals.frozenXidAge ?? null,
      },
      disk: disk && { used_bytes: disk.size - disk.free, size_bytes: disk.size },
      memory: { used_bytes: used, size_bytes: size },
      cores: cpus().length,
      history: thinned(this.#history),
      apps: this.#busiest(),
      app_count: server?.apps ?? this.#sizes?.apps ?? 0,
      database_bytes: sizes && [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0),
      jobs: {
        running: this.#sum('ninefold_jobs_running'),
        succeeded: this.#counters.get(series('ninefold_jobs_total', 'succeeded')) ?? 0,
        failed: this.#counters.get(series('ninefold_jobs_total', 'failed')) ?? 0,
      },
      mails: this.#mails()?.map(({ since, ...queue }) => ({ ...queue, since: new Date(since).toISOString() })) ?? null,
      calls_in_flight: this.#sum('ninefold_calls_in_flight'),
      calls_waiting_for_connection: this.#sum('ninefold_pool_waiting'),
      lost_log_lines: lostLines(),
      backup: this.#backup(),
    };
  }

  /** Collects the reports of all workers. Concurrent calls share one round. */
  #collect(): Promise<void> {
    this.#collecting ??= this.#parts.collect().finally(() => {
      this.#collecting = null;
    });
    return this.#collecting;
  }

  /** Reads the figures of the server; null if it does not answer in time. */
  async #readServer(): Promise<ServerFigures | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), SERVER_MILLISECONDS);
    });
    try {
      return await Promise.race([readServerFigures(this.#parts.database).catch(() => null), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Measures the databases of all apps unless they were measured recently and are as many as before. */
  #measure(server: ServerFigures | null): Promise<void> {
    if (server === null) return Promise.resolve();
    const { at, apps } = this.#sizes ?? { at: Number.NEGATIVE_INFINITY, apps: 0 };
    if (performance.now() - at < (apps === server.apps ? SIZES_MILLISECONDS : NEW_MILLISECONDS))
      return Promise.resolve();
    this.#measuring ??= this.#readSizes()
      // The error is ignored, because the server may restart. The next scrape measures again.
      .catch(() => undefined)
      .finally(() => {
        this.#measuring = null;
      });
    return this.#measuring;
  }

  async #readSizes(): Promise<void> {
    const { database, registry } = this.#parts;
    const apps = await registry.list();
    const byName = await readSizes(
      database,
      apps.map((app) => app.database),
    );
    this.#calls.keepOnly(new Set(apps.map(({ ref }) => ref)));
    const byApp = apps.map(({ ref, database: name }) => [ref, byName.get(name) ?? 0] as const);
    const count = apps.filter(({ ref }) => ref !== CONSOLE_REF).length;
    const totals = await readDatabaseTotals(database);
    this.#sizes = { at: performance.now(), apps: count, byApp: new Map(byApp), totals };
  }

  async #endMinute(): Promise<void> {
    const [, disk] = await Promise.all([this.#collect(), diskOf(this.#parts.home)]);
    this.#history.push({
      at: new Date().toISOString(),
      calls_per_second: this.#calls.endMinute() / (MINUTE_MILLISECONDS / 1000),
      processor: this.#processor.take(),
      memory_bytes: memory().used,
      disk_bytes: disk && disk.size - disk.free,
    });
    if (this.#history.length > HISTORY_MINUTES) this.#history.shift();
  }

  #sum(name: GaugeName): number {
    let sum = 0;
    for (const { gauges } of this.#ofWorkers.values()) sum += gauges[name] ?? 0;
    return sum;
  }

  /** Returns the queues of mails, the oldest first; null if no worker of this node leads the scheduled work. */
  #mails(): WaitingMails[] | null {
    const leading = [...this.#ofWorkers.values()].find(({ mails }) => mails !== null);
    return leading?.mails?.filter(({ waiting }) => waiting > 0).sort((a, b) => a.since - b.since) ?? null;
  }

  #setWorkers(values: Map<string, number>): void {
    const memoryOf = (process: string) => series('ninefold_process_memory_bytes', process);
    const reports = [...this.#ofWorkers.values()];
    const names = new Set(reports.flatMap(({ gauges }) => Object.keys(gauges) as GaugeName[]));
    names.delete('ninefold_process_memory_bytes');
    for (const name of names) values.set(name, this.#sum(name));
    const { user, system } = process.cpuUsage();
    values.set(memoryOf('primary'), process.memoryUsage.rss());
    values.set(memoryOf('workers'), this.#sum('ninefold_process_memory_bytes'));
    values.set(series('ninefold_process_cpu_seconds_total', 'primary'), (user + system) / MICROSECONDS);
    values.set('ninefold_event_loop_lag_seconds', Math.max(0, ...reports.map(({ lagSeconds }) => lagSeconds)));
    const mails = this.#mails();
    if (mails === null) return;
    values.set(
      'ninefold_mails_waiting',
      mails.reduce((sum, { waiting }) => sum + waiting, 0),
    );
    values.set('ninefold_mails_oldest_seconds', mails[0] ? Math.max(0, Date.now() - mails[0].since) / 1000 : 0);
  }

  #setCalls(values: Map<string, number>): void {
    for (const [app, counts] of this.#calls.totals) {
      for (const [area, areaName] of areas.entries()) {
        for (const [status, statusName] of classes.entries()) {
          const count = callsOf(counts, area, status);
          if (count > 0) values.set(series('ninefold_calls_total', app, areaName, statusName), count);
        }
      }
    }
  }

  #setSizes(values: Map<string, number>): void {
    if (this.#sizes === null) return;
    const { deadlocks, frozenXidAge } = this.#sizes.totals;
    values.set('ninefold_postgres_deadlocks_total', deadlocks);
    values.set('ninefold_postgres_frozen_xid_age', frozenXidAge);
    let others = 0;
    for (const [app, bytes] of this.#sizes.byApp) {
      if (this.#calls.totals.has(app)) values.set(series('ninefold_database_bytes', app), bytes);
      else others += bytes;
    }
    values.set(series('ninefold_database_bytes', OTHER), others);
  }

  #histograms(): Map<string, HistogramValue[]> {
    const calls = [...this.#calls.totals].map(([app, counts]) => ({ labels: [app], values: durationsOf(counts) }));
    const waits = this.#poolWaits === null ? [] : [{ labels: [], values: this.#poolWaits }];
    return new Map<string, HistogramValue[]>([
      ['ninefold_call_seconds', calls],
      ['ninefold_pool_wait_seconds', waits],
    ]);
  }

  /** Returns the apps with the most calls, then those with the largest databases among the others. */
  #busiest(): NodeFigures['apps'] {
    const { seconds, apps } = this.#calls.load();
    const sizes = this.#sizes?.byApp ?? new Map<string, number>();
    const known = [...new Set([...apps.keys(), ...sizes.keys()])].filter((ref) => ref !== CONSOLE_REF);
    const loads = known.map((ref) => loadOf(ref, apps.get(ref) ?? noCalls(), seconds, sizes.get(ref) ?? null));
    const busiest = loads.toSorted((a, b) => b.calls_per_second - a.calls_per_second).slice(0, LISTED_APPS);
    const largest = loads.toSorted((a, b) => (b.database_bytes ?? 0) - (a.database_bytes ?? 0)).slice(0, LISTED_APPS);
    return [...new Set([...busiest, ...largest])];
  }

  #backup(): NodeFigures['backup'] {
    const [age, drill, loss] = (
      ['ninefold_backup_age_seconds', 'ninefold_drill_age_seconds', 'ninefold_loss_window_seconds'] as const
    ).map((name) => this.gauges.read(name));
    if (age === null && drill === null && loss === null) return null;
    return {
      backup_age_seconds: age ?? null,
      drill_age_seconds: drill ?? null,
      loss_window_seconds: loss ?? null,
    };
  }
}

function loadOf(ref: string, counts: Float64Array, seconds: number, bytes: number | null): AppLoad {
  const { calls, failed } = sumOf(counts);
  return {
    ref,
    calls_per_second: calls / seconds,
    failed: calls === 0 ? 0 : failed / calls,
    p50_seconds: quantileSeconds(counts, 0.5),
    p99_seconds: quantileSeconds(counts, 0.99),
    database_bytes: bytes,
  };
}

/** Returns the points of a history, or averages of neighbours if there are more points than a chart shows. */
function thinned(points: readonly NodeMinute[]): NodeMinute[] {
  const each = Math.ceil(points.length / SHOWN_POINTS);
  if (each <= 1) return [...points];
  const groups = Array.from({ length: Math.ceil(points.length / each) }, (_, i) =>
    points.slice(i * each, (i + 1) * each),
  );
  return groups.map((group) => {
    const mean = (read: (point: NodeMinute) => number) => group.reduce((sum, one) => sum + read(one), 0) / group.length;
    const last = group[group.length - 1] as NodeMinute;
    return {
      at: last.at,
      calls_per_second: mean((one) => one.calls_per_second),
      processor: mean((one) => one.processor),
      memory_bytes: mean((one) => one.memory_bytes),
      disk_bytes: last.disk_bytes,
    };
  });
}

function setServer(values: Map<string, number>, server: ServerFigures | null): void {
  values.set('ninefold_postgres_up', server === null ? 0 : 1);
  if (server === null) return;
  values.set('ninefold_apps', server.apps);
  values.set('ninefold_postgres_connections', server.connections);
  values.set('ninefold_postgres_connections_max', server.maxConnections);
  values.set('ninefold_postgres_oldest_transaction_seconds', server.oldestTransactionSeconds);
  values.set('ninefold_postgres_wal_bytes_total', server.walBytes);
  for (const { name, bytes } of server.slots) values.set(series('ninefold_slot_retained_bytes', name), bytes);
  for (const { name, seconds } of server.standbys) {
    values.set(series('ninefold_replication_lag_seconds', name), seconds);
  }
}
