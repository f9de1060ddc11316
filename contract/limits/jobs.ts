import { limitsOf } from './limit.ts';

/** Limits of scheduled jobs, and of HTTP requests from SQL. */
export const jobLimits = limitsOf('jobs', {
  appJobs: {
    unit: 'count',
    default: 100,
    meaning: 'Scheduled jobs of one app.',
    code: '54000',
  },
  jobCommandBytes: {
    unit: 'bytes',
    default: 65_536,
    meaning: 'Size of the command of one job.',
    code: '54000',
  },
  appRunningJobs: {
    unit: 'count',
    default: 4,
    meaning: 'Concurrent jobs of one app. Further jobs wait.',
  },
  nodeRunningJobs: {
    unit: 'count',
    default: 32,
    meaning:
      'Concurrent jobs of all apps. An app gets a further job only while enough places are left for other apps, and for apps of other builders.',
  },
  scheduledWorkConnections: {
    unit: 'count',
    default: 16,
    meaning:
      'Connections to the databases of all apps for jobs, mails and HTTP requests from SQL; at most a sixteenth of nodeConnections, in which they are included. The session of a running job is not counted.',
  },
  jobCatchUpSeconds: {
    unit: 'seconds',
    default: 3600,
    meaning:
      'How late a missed run of a job may be made. Of several missed runs only one is made. Older runs are skipped.',
  },
  jobRunsKept: {
    unit: 'count',
    default: 200,
    meaning: 'Runs of one job that cron.job_run_details stores.',
  },
  appRunsKept: {
    unit: 'count',
    default: 10_000,
    meaning: 'Runs of all jobs of an app, including removed jobs, that cron.job_run_details stores.',
  },
  jobMessageCharacters: {
    unit: 'characters',
    default: 2000,
    meaning: 'How much of an error the result of a run contains.',
  },
  jobStopMilliseconds: {
    unit: 'milliseconds',
    default: 5000,
    meaning: 'How long a stopping node waits for running jobs before it cancels them.',
  },
  queuedHttpRequests: {
    unit: 'count',
    default: 10_000,
    meaning: 'Waiting HTTP requests of one app. A further request gets an error as its response.',
  },
  httpUrlBytes: {
    unit: 'bytes',
    default: 8192,
    meaning: 'Size of the URL of an HTTP request from SQL. A longer URL gets an error as its response.',
  },
  httpHeaderBytes: {
    unit: 'bytes',
    default: 16_384,
    meaning:
      'Size of the headers of an HTTP request from SQL, and of its response. Larger headers get an error as the response.',
  },
  httpRequestBytes: {
    unit: 'bytes',
    default: 1_048_576,
    meaning: 'Size of the body of an HTTP request from SQL. A larger body gets an error as its response.',
  },
  httpResponseBytes: {
    unit: 'bytes',
    default: 1_048_576,
    meaning: 'Size of the body of a response to an HTTP request from SQL. A larger body is stored as an error.',
  },
  httpRequestMilliseconds: {
    unit: 'milliseconds',
    default: 60_000,
    meaning: 'How long an HTTP request from SQL may take, whatever its timeout_milliseconds says.',
  },
  appHttpRequests: {
    unit: 'count',
    default: 8,
    meaning: 'Concurrent HTTP requests from the SQL of one app. Further requests wait.',
  },
  nodeHttpRequests: {
    unit: 'count',
    default: 64,
    meaning: 'Concurrent HTTP requests from the SQL of all apps. Further requests wait.',
  },
  appHttpRequestsPerSecond: {
    unit: 'count',
    default: 20,
    meaning: 'HTTP requests from the SQL of one app that start within a second. Further requests wait.',
  },
  httpResponseHours: {
    unit: 'hours',
    default: 6,
    meaning: 'How long responses to HTTP requests from SQL, and the list of requests of webhooks, are stored.',
  },
  httpResponsesKept: {
    unit: 'count',
    default: 10_000,
    meaning: 'Stored responses to HTTP requests from the SQL of one app.',
  },
});
