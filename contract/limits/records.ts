import { limitsOf } from './limit.ts';

/** Limits of stored request data: how many requests are stored, and for how long. */
export const recordLimits = limitsOf('records', {
  observationFlushMilliseconds: {
    unit: 'milliseconds',
    default: 5000,
    meaning: 'How often a worker writes its counts of requests, errors and limits to the database.',
  },
  lastFlushMilliseconds: {
    unit: 'milliseconds',
    default: 3000,
    meaning: 'How long a stopping worker continues to write its counts. The rest is lost.',
  },
  countedCalls: {
    unit: 'count',
    default: 200,
    meaning: 'Different calls of one app that a worker counts between two writes. Further calls are counted together.',
  },
  minuteStatisticsHours: {
    unit: 'hours',
    default: 25,
    meaning: 'How long requests are counted by the minute. Older requests are counted by the hour.',
  },
  hourStatisticsDays: {
    unit: 'days',
    default: 90,
    meaning: 'How long requests counted by the hour are stored. Chapter 7 shows the last week.',
    setting: 'logs_statistics_days',
    range: [8, 3650],
  },
  statisticsRows: {
    unit: 'count',
    default: 200_000,
    meaning: 'Maximum stored rows of counted requests of one app. The oldest rows are deleted first.',
  },
  stateChangeDays: {
    unit: 'days',
    default: 1825,
    meaning:
      'How long the state changes of rows are stored: at least 30 days; 0 stores them without an end. The last state change of a row stays with the row.',
    setting: 'state_changes_days',
    range: [0, 36_500],
  },
  stateChangeFiguresDays: {
    unit: 'days',
    default: 30,
    meaning: 'The period for which chapter 4 counts state changes and shows the time in a state.',
  },
  stateChangeSweepSeconds: {
    unit: 'seconds',
    default: 600,
    meaning: 'How often a worker deletes old state changes.',
  },
  stateChangesPerBatch: {
    unit: 'count',
    default: 1000,
    meaning: 'State changes that one statement checks for deletion.',
  },
  rememberedCalls: {
    unit: 'count',
    default: 200,
    meaning: 'The most recent requests of one app whose traces one worker stores in memory.',
  },
  rememberedBuilderCalls: {
    unit: 'count',
    default: 100,
    meaning:
      'The most recent requests of builders to one app, with the console or the CLI, whose traces one worker stores in memory.',
  },
  keptTraces: {
    unit: 'count',
    noun: 'requests',
    default: 2000,
    meaning:
      'Request traces that the app’s database stores, and as many of builders’ requests. The oldest are deleted first.',
    setting: 'logs_traces',
    range: [100, 100_000],
  },
  keptTracesPerCode: {
    unit: 'count',
    default: 200,
    meaning:
      'Request traces of one error that the app’s database stores, so that a frequent error does not displace rare ones.',
  },
  tracesPerFlush: {
    unit: 'count',
    default: 50,
    meaning: 'Traces of failed and slow requests of one app that a worker writes at a time.',
  },
  tracesPerFlushAndCode: {
    unit: 'count',
    default: 10,
    meaning: 'Traces of one error that a worker writes at a time.',
  },
  traceBytes: {
    unit: 'bytes',
    default: 16 * 1024,
    meaning: 'How much of a long statement, and of a long query, a trace contains.',
  },
  slowCallMilliseconds: {
    unit: 'milliseconds',
    default: 1000,
    meaning: 'A request that takes longer is slow, and its trace is stored.',
    setting: 'logs_slow_milliseconds',
    range: [1, 3_600_000],
  },
  traceWaitMilliseconds: {
    unit: 'milliseconds',
    default: 700,
    meaning: 'How long the workers of all nodes may take to report that they have the trace of a request.',
  },
  queuedTraces: {
    unit: 'count',
    noun: 'requests',
    default: 1000,
    meaning:
      'Sampled requests of one worker that wait for the collector of traces. Further ones are dropped and counted.',
  },
  tracesPerExport: {
    unit: 'count',
    noun: 'requests',
    default: 100,
    meaning: 'Sampled requests that a worker sends to the collector at a time.',
  },
  exportMilliseconds: {
    unit: 'milliseconds',
    default: 10_000,
    meaning: 'How long the collector of traces may take to accept a batch. After that, the batch is dropped.',
  },
  namedApps: {
    unit: 'count',
    default: 50,
    meaning: 'The busiest apps that have their own series in /metrics. The others are added up.',
  },
  logWaitMilliseconds: {
    unit: 'milliseconds',
    default: 300,
    meaning: 'How long the workers of all nodes may take to write the most recent requests of an app to its log.',
  },
  logDays: {
    unit: 'days',
    default: 14,
    meaning: 'How long the log of requests stores a line.',
    setting: 'logs_days',
    range: [1, 365],
  },
  logRequests: {
    unit: 'count',
    noun: 'requests',
    default: 200_000,
    meaning: 'Requests that the log of one app stores. The oldest are deleted first.',
    setting: 'logs_requests',
    range: [1000, 2_000_000],
  },
  loggedPerFlush: {
    unit: 'count',
    default: 1000,
    meaning:
      'Requests of one app that a worker writes to the log at a time. Further requests are counted, and left out unless the server failed.',
  },
  countedErrors: {
    unit: 'count',
    default: 100,
    meaning:
      'Different errors and limits of one app that a worker counts between two writes. Further ones are counted together.',
  },
  errorDays: {
    unit: 'days',
    default: 8,
    meaning: 'How long the counts of errors and of reached limits are stored. Chapters 8 and 9 show the last week.',
    setting: 'logs_error_days',
    range: [8, 3650],
  },
  errorRows: {
    unit: 'count',
    default: 50_000,
    meaning: 'Maximum stored rows of counted errors of one app. The oldest rows are deleted first.',
  },
  errorRequests: {
    unit: 'count',
    default: 5,
    meaning: 'The most recent request ids that are stored for each error.',
  },
  observedApps: {
    unit: 'count',
    default: 1000,
    meaning: 'Apps whose requests one worker counts between two writes.',
  },
});

/** Limits of the audit logs. */
export const auditLimits = limitsOf('records', {
  auditDays: {
    unit: 'days',
    default: 90,
    meaning: 'How long entries of the audit log are stored.',
    setting: 'audit_log_retention',
    range: [1, 3650],
  },
  auditEntries: {
    unit: 'count',
    default: 2_000_000,
    meaning: 'Entries that the audit log of one app stores. The oldest are deleted first.',
  },
  auditSearchRows: {
    unit: 'count',
    default: 25_000,
    meaning:
      'Entries of the audit log that one request of a search reads. The next request continues with older entries.',
  },
  auditRefusals: {
    unit: 'count',
    default: 1000,
    meaning: 'Refused sign-ins of one app that the audit log stores per hour.',
  },
  auditPerPage: {
    unit: 'count',
    default: 1000,
    meaning: 'Maximum entries on a page of the audit log.',
  },
  sweptRows: {
    unit: 'count',
    default: 5000,
    meaning: 'Maximum rows of each table of accounts that one clean-up deletes.',
  },
  unusedTokenSeconds: {
    unit: 'seconds',
    default: 604_800,
    meaning: 'How long tokens of mails and challenges of second factors are stored. They expire earlier.',
  },
  builderAuditDays: {
    unit: 'days',
    default: 400,
    meaning: 'How long the log of builders stores its entries.',
  },
  builderAuditEntries: {
    unit: 'count',
    default: 20_000,
    meaning: 'Entries of one app that the log of builders stores. The oldest are deleted first.',
  },
  auditedCharacters: {
    unit: 'characters',
    default: 500,
    meaning: 'Characters of SQL, or of the value of a setting, that an entry of the log of builders contains.',
  },
});
