import type { Limit } from './limit.ts';

/** Scheduled jobs, and HTTP requests from SQL. */
export const jobLimits = {
  appJobs: {
    group: 'jobs',
    unit: 'count',
    default: 100,
    meaning: 'Scheduled jobs of one app.',
    code: '54000',
  },
  jobCommandBytes: {
    group: 'jobs',
    unit: 'bytes',
    default: 65_536,
    meaning: 'Size of the command of one job.',
    code: '54000',
  },
  appRunningJobs: {
    group: 'jobs',
    unit: 'count',
    default: 4,
    meaning: 'Jobs of one app that run at the same time. Further jobs wait.',
  },
  nodeRunningJobs: {
    group: 'jobs',
    unit: 'count',
    default: 32,
    meaning:
      'Jobs of all apps that run at the same time. An app gets a further one only while enough places are left for other apps, and for apps of other builders.',
  },
  jobCatchUpSeconds: {
    group: 'jobs',
    unit: 'seconds',
    default: 3600,
    meaning:
      'How late a run may be made after no node could make it. Of several missed runs of a job only one is made. Older ones are skipped.',
  },
  jobRunsKept: {
    group: 'jobs',
    unit: 'count',
    default: 200,
    meaning: 'Runs of one job that cron.job_run_details holds.',
  },
  appRunsKept: {
    group: 'jobs',
    unit: 'count',
    default: 10_000,
    meaning: 'Runs of all jobs of an app that cron.job_run_details holds, removed jobs included.',
  },
  jobMessageCharacters: {
    group: 'jobs',
    unit: 'characters',
    default: 2000,
    meaning: 'How much of an error the result of a run holds.',
  },
  jobStopMilliseconds: {
    group: 'jobs',
    unit: 'milliseconds',
    default: 5000,
    meaning: 'How long a node that stops waits for running jobs before it cancels them.',
  },
  queuedHttpRequests: {
    group: 'jobs',
    unit: 'count',
    default: 10_000,
    meaning: 'HTTP requests of one app that wait to be sent. A further one gets an error as its response.',
  },
  httpUrlBytes: {
    group: 'jobs',
    unit: 'bytes',
    default: 8192,
    meaning: 'Size of the URL of an HTTP request from SQL. A longer one gets an error as its response.',
  },
  httpHeaderBytes: {
    group: 'jobs',
    unit: 'bytes',
    default: 16_384,
    meaning:
      'Size of the headers of an HTTP request from SQL, and of its response. More gets an error as its response.',
  },
  httpRequestBytes: {
    group: 'jobs',
    unit: 'bytes',
    default: 1_048_576,
    meaning: 'Size of the body of an HTTP request from SQL. A larger one gets an error as its response.',
  },
  httpResponseBytes: {
    group: 'jobs',
    unit: 'bytes',
    default: 1_048_576,
    meaning: 'Size of the body of a response to an HTTP request from SQL. A larger one is stored as an error.',
  },
  httpRequestMilliseconds: {
    group: 'jobs',
    unit: 'milliseconds',
    default: 60_000,
    meaning: 'How long an HTTP request from SQL may take, whatever its timeout_milliseconds says.',
  },
  appHttpRequests: {
    group: 'jobs',
    unit: 'count',
    default: 8,
    meaning: 'HTTP requests from the SQL of one app that are under way at the same time. Further ones wait.',
  },
  nodeHttpRequests: {
    group: 'jobs',
    unit: 'count',
    default: 64,
    meaning: 'HTTP requests from the SQL of all apps that are under way at the same time. Further ones wait.',
  },
  appHttpRequestsPerSecond: {
    group: 'jobs',
    unit: 'count',
    default: 20,
    meaning: 'HTTP requests from the SQL of one app that are begun in a second. Further ones wait.',
  },
  httpResponseHours: {
    group: 'jobs',
    unit: 'hours',
    default: 6,
    meaning: 'How long responses to HTTP requests from SQL, and the list of requests of webhooks, are stored.',
  },
  httpResponsesKept: {
    group: 'jobs',
    unit: 'count',
    default: 10_000,
    meaning: 'Responses to HTTP requests from the SQL of one app that are stored.',
  },
} as const satisfies Record<string, Limit>;
