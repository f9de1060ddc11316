/** A metric of the node: the only place with its name, kind, labels and words. */
export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** The names of the labels, in the order in which a line has them. */
  readonly labels?: readonly string[];
  /** The upper bounds of the buckets of a histogram, in seconds. */
  readonly buckets?: readonly number[];
  readonly meaning: string;
}

const defineMetrics = <const Metrics extends Readonly<Record<`ninefold_${string}`, Metric>>>(metrics: Metrics) =>
  metrics;

/** Upper bounds of the durations of calls. A call that reads one row takes about a millisecond. */
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** The metrics that `/metrics` returns, in order. Names and units follow the conventions of Prometheus. */
export const metrics = defineMetrics({
  ninefold_up: { kind: 'gauge', meaning: '1 as long as the node answers.' },
  ninefold_info: {
    kind: 'gauge',
    labels: ['version', 'node_version', 'postgres_version'],
    meaning: '1, with the versions as labels.',
  },
  ninefold_start_time_seconds: { kind: 'gauge', meaning: 'Time at which the node started, in seconds since 1970.' },
  ninefold_workers: { kind: 'gauge', meaning: 'Worker processes that serve requests.' },
  ninefold_apps: { kind: 'gauge', meaning: 'Apps on the database server, without the console.' },
  ninefold_event_loop_lag_seconds: {
    kind: 'gauge',
    meaning: 'Delay of the event loop (99th percentile) of the slowest worker since the last scrape.',
  },
  ninefold_process_memory_bytes: {
    kind: 'gauge',
    labels: ['process'],
    meaning: 'Resident memory of the primary process, and of all workers together.',
  },
  ninefold_process_cpu_seconds_total: {
    kind: 'counter',
    labels: ['process'],
    meaning: 'Processor time of the primary process, and of all workers together.',
  },
  ninefold_calls_total: {
    kind: 'counter',
    labels: ['app', 'area', 'status'],
    meaning:
      'Requests by app, API and class of the status (`2xx` to `5xx`). `app` is `_other` for the apps that are not among the busiest, and empty for requests that reached no app.',
  },
  ninefold_call_seconds: {
    kind: 'histogram',
    labels: ['app'],
    buckets: CALL_SECONDS,
    meaning: 'Time from the arrival of a request until its response is ready.',
  },
  ninefold_errors_total: {
    kind: 'counter',
    labels: ['code'],
    meaning: 'Error responses by code. Codes that are not in the error catalog count as `other`.',
  },
  ninefold_limited_total: {
    kind: 'counter',
    labels: ['limit'],
    meaning: 'Requests that were refused because they exceed a limit, by the name of the limit.',
  },
  ninefold_calls_in_flight: { kind: 'gauge', meaning: 'Requests to apps whose response is not ready.' },
  ninefold_http_connections: { kind: 'gauge', meaning: 'Open client connections, sockets of realtime included.' },
  ninefold_http_sent_bytes_total: { kind: 'counter', meaning: 'Bytes sent to clients, headers included.' },
  ninefold_pool_connections: {
    kind: 'gauge',
    meaning: 'Connections of the workers to databases of apps, open or being opened.',
  },
  ninefold_pool_waiting: { kind: 'gauge', meaning: 'Calls that wait for a database connection.' },
  ninefold_pool_wait_seconds: {
    kind: 'histogram',
    buckets: CALL_SECONDS,
    meaning: 'How long calls waited for a database connection. Calls that did not wait are not counted.',
  },
  ninefold_password_hashes_waiting: { kind: 'gauge', meaning: 'Password hashes that wait for a thread.' },
  ninefold_sign_ins_total: {
    kind: 'counter',
    labels: ['result'],
    meaning: 'Sign-ins of members and builders: `succeeded` or `failed`.',
  },
  ninefold_mails_waiting: {
    kind: 'gauge',
    meaning:
      'Mails and texts in the queues of the apps that the leading worker has checked. Only the node with this worker counts them.',
  },
  ninefold_mails_oldest_seconds: { kind: 'gauge', meaning: 'Age of the oldest mail or text that waits.' },
  ninefold_jobs_running: { kind: 'gauge', meaning: 'Scheduled jobs that run on this node.' },
  ninefold_jobs_total: {
    kind: 'counter',
    labels: ['result'],
    meaning: 'Ended runs of scheduled jobs: `succeeded` or `failed`.',
  },
  ninefold_log_lines_lost_total: { kind: 'counter', meaning: 'Lines of the log that could not be written.' },
  ninefold_spans_sent_total: { kind: 'counter', meaning: 'Spans that the collector of traces accepted.' },
  ninefold_spans_dropped_total: {
    kind: 'counter',
    meaning: 'Spans that were dropped because the queue was full or the collector refused them.',
  },
  ninefold_postgres_up: { kind: 'gauge', meaning: '1 if PostgreSQL answered the scrape, otherwise 0.' },
  ninefold_postgres_connections: { kind: 'gauge', meaning: 'Client connections of the PostgreSQL server.' },
  ninefold_postgres_connections_max: { kind: 'gauge', meaning: 'PostgreSQL’s max_connections.' },
  ninefold_postgres_deadlocks_total: {
    kind: 'counter',
    meaning: 'Deadlocks in all databases. Read at most every five minutes.',
  },
  ninefold_postgres_oldest_transaction_seconds: {
    kind: 'gauge',
    meaning: 'Age of the oldest open transaction.',
  },
  ninefold_postgres_frozen_xid_age: {
    kind: 'gauge',
    meaning:
      'Age of the oldest unfrozen transaction id. PostgreSQL stops writes near two thousand million. Read at most every five minutes.',
  },
  ninefold_postgres_wal_bytes_total: { kind: 'counter', meaning: 'Bytes of write-ahead log (WAL) since initdb.' },
  ninefold_replication_lag_seconds: {
    kind: 'gauge',
    labels: ['standby'],
    meaning: 'How far each connected standby or backup receiver is behind.',
  },
  ninefold_database_bytes: {
    kind: 'gauge',
    labels: ['app'],
    meaning:
      'Size of the databases of the busiest apps, and of all others as `_other`. Measured at most every five minutes.',
  },
  ninefold_disk_free_bytes: { kind: 'gauge', meaning: 'Free space of the file system of NINEFOLD_HOME.' },
  ninefold_disk_size_bytes: { kind: 'gauge', meaning: 'Size of the file system of NINEFOLD_HOME.' },
  ninefold_slot_retained_bytes: {
    kind: 'gauge',
    labels: ['slot'],
    meaning: 'Write-ahead log that PostgreSQL keeps for a replication slot.',
  },
  ninefold_backup_age_seconds: { kind: 'gauge', meaning: 'Time since the last complete and verified backup.' },
  ninefold_drill_age_seconds: { kind: 'gauge', meaning: 'Time since the last successful trial of a restore.' },
  ninefold_loss_window_seconds: {
    kind: 'gauge',
    meaning: 'How many seconds of committed data would be lost if the machine were lost.',
  },
});

/** The name of a metric. */
export type MetricName = keyof typeof metrics;

type NamesOf<Kind extends Metric['kind']> = {
  [Name in MetricName]: (typeof metrics)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];

/** The name of a counter. */
export type CounterName = NamesOf<'counter'>;
/** The name of a gauge. */
export type GaugeName = NamesOf<'gauge'>;
