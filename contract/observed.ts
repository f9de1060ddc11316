import type { CallEntry, CallFigures } from './specification-calls.ts';
import type { PolicyEntry } from './specification-roles.ts';

/** The API of an app that a request was for, as the log and traces name it. */
export const loggedAreas = ['rest', 'auth', 'storage', 'functions'] as const;
export type LoggedArea = (typeof loggedAreas)[number];

/**
 * The trace of one request. It contains no value from the caller, unless the caller was a builder or a state machine
 * refused the request.
 */
export interface RequestTrace {
  request_id: string;
  /** Time of the request in ISO 8601. */
  at: string;
  area: LoggedArea;
  /** The id that the call has in chapter 7; `rest.unresolved` if no call matches. */
  call: string;
  method: string;
  /** Path below the API, such as /tickets. */
  path: string;
  /** The query with … in place of each value; empty if there is none. */
  query: string;
  status: number;
  /** The error code in the body of the response; null if the request succeeded. */
  code: string | null;
  /** The origin of the error: a constraint as schema.table.name, or the function that raised the error. */
  subject: string | null;
  /** Name of the limit that the request exceeded. */
  limit: string | null;
  /** The state change that a state machine refused. Absent for every other call. */
  refused?: RefusedTransition;
  milliseconds: number;
  who: {
    role: string | null;
    user_id: string | null;
    session_id: string | null;
    /** How the caller authenticated: none, publishable-key, secret-key, token, builder. */
    source: string | null;
    address: string;
  };
  steps: CallStep[];
  /**
   * The statement that returns the result; null if none was sent, and for calls of sign-in and of files, whose statements are
   * Ninefold's own.
   */
  sql: { text: string; parameters: number; truncated: boolean } | null;
  /** The relations and functions that the call uses; the first is the target of the call. */
  touched: { schema: string; name: string; operation: 'select' | 'insert' | 'update' | 'delete' | 'execute' }[];
}

/** A state change that a state machine refused: NF001, NF002 or NF003. The caller is `who` of the trace. */
export interface RefusedTransition {
  /** Id of the entity. */
  entity: string;
  field: string;
  /**
   * Name of the transition, or several names joined with " or ". Null for a new row, and if no transition leads from
   * `from` to `to`.
   */
  transition: string | null;
  /** The state of the row; null for a new row, and for a row whose state is null. */
  from: string | null;
  to: string | null;
  /**
   * Primary key of the row: the values as text, by field. Null for a new row, and for a table without a primary key.
   */
  key: Record<string, string> | null;
  /** The message that the caller received. */
  message: string;
}

/** One step of a request, in milliseconds from the start of the request. */
export interface CallStep {
  name: string;
  from: number;
  took: number;
  /** The result of the step in words; an empty string if there is nothing to say. */
  found: string;
}

/** The response of GET /admin/v1/apps/:ref/traces/:requestId. */
export interface RequestTraceResponse {
  trace: RequestTrace;
  /** The policies of the touched relations as they are when the trace is read. */
  policies: PolicyEntry[];
  /** Time at which the policies were read, in ISO 8601. It is later than the request. */
  policies_as_of: string;
  /** The p50 and p99 durations of this call in the last hour; null if there were no requests. */
  usual: { p50_ms: number | null; p99_ms: number | null };
}

/** A line of GET /admin/v1/apps/:ref/logs and of …/errors. */
export interface ListedCall extends LogLine {
  /** E-mail address or phone number of the account `user_id`; null if there is none. */
  member: string | null;
}

/** A request in short, as a line of the log. */
export interface LogLine {
  request_id: string;
  /** Time of the request in ISO 8601. */
  at: string;
  area: LoggedArea;
  call: string;
  method: string;
  /** Path below the API: /tickets. */
  path: string;
  /** The query with … in place of each value of the caller; empty if there is none. */
  query: string;
  status: number;
  code: string | null;
  subject: string | null;
  role: string | null;
  user_id: string | null;
  /** How the caller authenticated: none, publishable-key, secret-key, token, builder. */
  source: string | null;
  milliseconds: number;
}

/** The kinds of callers in the log. `key`: the secret key. `health`: health checks of the auth API. */
export const logCallers = ['member', 'anon', 'key', 'console', 'health'] as const;
export type LogCaller = (typeof logCallers)[number];

/** The callers whose requests the log leaves out, unless the request for the log names them. */
export const hiddenCallers: readonly LogCaller[] = ['console', 'health'];

/**
 * The response of GET
 * /admin/v1/apps/:ref/logs?from=&to=&status=&caller=&path=&code=&call=&user=&request=&slower=&search=&console=&before=&limit=.
 */
export interface LogResponse {
  /** The requests, sorted by time, newest first. */
  calls: ListedCall[];
  /** True if more stored requests match the filter than the response contains. */
  truncated: boolean;
  /** The value of `before` that continues with older requests; null if there are none. */
  before: string | null;
  /**
   * The settings of the app. The log also stores the traces of failed requests and of requests slower than
   * `slow_milliseconds`, `traces` of them at most.
   */
  kept: { days: number; requests: number; traces: number; slow_milliseconds: number };
}

/**
 * GET /admin/v1/apps/:ref/logs/summary, with the filter of `/logs`: the matching requests over time, and, for each
 * value of a filter, the number of requests that match this value and all other filters.
 */
export interface LogSummary {
  /** Start of the period in ISO 8601. */
  from: string;
  to: string;
  /** Length of a point in seconds. The first point begins at `from`. */
  step_seconds: number;
  /** One element per point of the chart. `ok`: status below 400. `refused`: 4xx. `failed`: 5xx. */
  points: { ok: number[]; refused: number[]; failed: number[] };
  total: number;
  /** The number of requests by the first digit of their status. */
  statuses: Readonly<Record<string, number>>;
  callers: Readonly<Partial<Record<LogCaller, number>>>;
  /** The paths with the most requests, the most frequent first. Each is the area and the first part of the path. */
  paths: { path: string; calls: number }[];
  /** The number of requests whose path is not in `paths`. */
  other_paths: number;
  /** Requests of hidden callers that match all other filters. */
  hidden: number;
  /** Requests in this period that were not stored, because there were too many at a time. */
  left_out: number;
  /** Time of the oldest stored request; null if no request is stored. */
  since: string | null;
}

export type StatisticsWindow = 'hour' | 'day' | 'week';

/** The response of GET /admin/v1/apps/:ref/statistics/calls?window=hour|day|week&call=. */
export interface CallStatisticsResponse {
  window: StatisticsWindow;
  /** Length of a point in seconds. It is a minute for the hour, 15 minutes for the day, and an hour for the week. */
  step_seconds: number;
  /** The time at which each point begins, oldest first, ISO 8601. */
  at: string[];
  /** The calls, sorted by their number of requests, the most frequent call first. */
  calls: CallStatistic[];
}

export interface CallStatistic {
  /** The id that the call has in chapter 7, or a name for requests that match no call: `rest.unresolved`. */
  id: string;
  /** The area of the call in chapter 7; null if chapter 7 does not have the call. */
  area: CallEntry['area'] | null;
  method: CallEntry['method'] | null;
  path: string | null;
  figures: CallFigures;
  /** One element per point of the chart. */
  points: { calls: number[]; failed: number[]; p50_ms: (number | null)[]; p99_ms: (number | null)[] };
}
