import type { CallEntry, CallFigures } from './specification-calls.ts';
import type { PolicyEntry } from './specification-roles.ts';

/**
 * The trace of one request. It contains no value from the caller, unless the caller was a builder or a state machine
 * refused the request.
 */
export interface RequestTrace {
  request_id: string;
  /** ISO 8601. */
  at: string;
  area: 'rest' | 'auth';
  /** The call's id in chapter 7; `rest.unresolved` if no call matches. */
  call: string;
  method: string;
  /** Path below the area of the API, such as /tickets. */
  path: string;
  /** The query with … in place of each value; empty if there is none. */
  query: string;
  status: number;
  /** Code in the body of an error response; null if the request succeeded. */
  code: string | null;
  /** Origin of the error: a rule as schema.table.name, or the function that raised the error. */
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
   * The statement that returns the result; null if none was sent, and for auth calls, whose statements are Ninefold's
   * own.
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
  /** State of the row; null for a new row, and for a row without a state. */
  from: string | null;
  to: string | null;
  /** Primary key of the row by field, as text; null for a new row, and for a table without a primary key. */
  key: Record<string, string> | null;
  /** The message that the caller received. */
  message: string;
}

/** One step of a request, in milliseconds from the start of the request. */
export interface CallStep {
  name: string;
  from: number;
  took: number;
  /** The result of the step, in words; can be empty. */
  found: string;
}

/** GET /admin/v1/apps/:ref/traces/:requestId. */
export interface RequestTraceResponse {
  trace: RequestTrace;
  /** The current policies of the touched relations. */
  policies: PolicyEntry[];
  /** When the policies were read, after the request; ISO 8601. */
  policies_as_of: string;
  /** p50 and p99 of this call in the last hour; null without calls. */
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
  /** ISO 8601. */
  at: string;
  call: string;
  method: string;
  path: string;
  status: number;
  code: string | null;
  subject: string | null;
  role: string | null;
  user_id: string | null;
  /** How the caller authenticated: none, publishable-key, secret-key, token, builder. */
  source: string | null;
  milliseconds: number;
}

/** GET /admin/v1/apps/:ref/logs?status=&code=&call=&user=&request=&console=&limit=. */
export interface LogResponse {
  /** Sorted by time, newest first. */
  calls: ListedCall[];
  /** True if more stored requests match the filter. */
  truncated: boolean;
  /** The number of workers that returned their requests, including this one. */
  workers: number;
  /** The number of stored traces of failed requests, and of requests that took longer than `slow_milliseconds`. */
  kept: { traces: number; slow_milliseconds: number };
}

export type StatisticsWindow = 'hour' | 'day' | 'week';

/** GET /admin/v1/apps/:ref/statistics/calls?window=hour|day|week&call=. */
export interface CallStatisticsResponse {
  window: StatisticsWindow;
  /** Length of a point, in seconds: a minute, 15 minutes, an hour. */
  step_seconds: number;
  /** The time at which each point begins, oldest first, ISO 8601. */
  at: string[];
  /** Sorted by number of requests, the most frequent call first. */
  calls: CallStatistic[];
}

export interface CallStatistic {
  /** The call's id in chapter 7, or a name for requests that match no call: `rest.unresolved`. */
  id: string;
  /** The area of the call in chapter 7; null if chapter 7 does not have the call. */
  area: CallEntry['area'] | null;
  method: CallEntry['method'] | null;
  path: string | null;
  figures: CallFigures;
  /** One element per point. */
  points: { calls: number[]; failed: number[]; p50_ms: (number | null)[]; p99_ms: (number | null)[] };
}
