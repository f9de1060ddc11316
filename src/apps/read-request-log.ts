import type { LogCaller, LogLine, LogSummary } from '../../contract/observed.ts';
import { hiddenCallers, logCallers } from '../../contract/observed.ts';
import { firstJson } from '../database/statement.ts';
import type { App } from './app.ts';
import { parseLogLines } from './failed-requests.ts';
import { runAsServerRole } from './run-as-server-role.ts';

/** Filter of the log; null matches any value. */
export interface LogFilter {
  /** Start of the period in ISO 8601; null for no start. The end of the period is excluded. */
  from: string | null;
  to: string | null;
  /** First digits of the status. */
  statuses: readonly number[] | null;
  callers: readonly LogCaller[];
  /** Area and first part of the path, such as /rest/v1/tickets. */
  path: string | null;
  withoutPaths: readonly string[];
  code: string | null;
  /** Id of the call in chapter 7. */
  call: string | null;
  userId: string | null;
  requestId: string | null;
  /** Minimum duration in milliseconds. */
  slower: number | null;
  /** Text in the method, the path, the query, the code, the call or the request id. */
  search: string | null;
  /** Ids of members whose requests match `search` too. */
  searchedUsers: readonly string[];
}

/** Maximum values of the filter by path in a summary. */
const MAX_PATHS = 30;
const MAX_POINTS = 60;

const CALLER = `case when area = 'auth' and path = '/health' then 'health' when source = 'builder' then 'console'
  when source = 'secret-key' then 'key' when source in ('token', 'external-token') then 'member' else 'anon' end`;

const PATH_GROUP = `pg_catalog.left('/' || area || '/v1' || coalesce(substring(path from '^/rpc/[^/]*'), substring(path from '^/[^/]*'), ''), 100)`;

/** SQL of the filters by values that a summary does not count by. Parameters 1 to 9. */
const NAMED = `($1::timestamptz is null or at >= $1) and ($2::timestamptz is null or at < $2)
  and ($3::text is null or code = $3) and ($4::text is null or call = $4) and ($5::text is null or user_id = $5)
  and ($6::text is null or request_id = $6) and ($7::float8 is null or milliseconds >= $7)
  and ($8::text is null or pg_catalog.strpos(pg_catalog.lower(method || ' /' || area || '/v1' || path || '?' || query), $8) > 0
    or pg_catalog.strpos(pg_catalog.lower(pg_catalog.concat_ws(' ', code, subject, call, role)), $8) > 0
    or pg_catalog.starts_with(pg_catalog.lower(request_id), $8) or user_id = any (array(select json_array_elements_text($9::json))))`;

/**
 * SQL of the filters by status, caller and path. A summary also counts the requests by these values. Parameters 10 to
 * 13.
 */
const STATUS_MATCHES =
  '($10::json is null or status / 100 = any (array(select json_array_elements_text($10::json)::integer)))';
const CALLER_MATCHES = `(${CALLER}) = any (array(select json_array_elements_text($11::json)))`;
const PATH_MATCHES = `(($12::text is null or ${PATH_GROUP} = $12)
  and ${PATH_GROUP} <> all (array(select json_array_elements_text($13::json))))`;

const filterParams = (filter: LogFilter): (string | null)[] => [
  ...[filter.from, filter.to, filter.code, filter.call, filter.userId, filter.requestId],
  filter.slower === null ? null : String(filter.slower),
  filter.search === null ? null : filter.search.toLowerCase(),
  JSON.stringify(filter.searchedUsers),
  filter.statuses === null ? null : JSON.stringify(filter.statuses),
  JSON.stringify(filter.callers),
  filter.path,
  JSON.stringify(filter.withoutPaths),
];

const LINES = `select pg_catalog.json_agg(line) from (
    select pg_catalog.json_build_object('request_id', request_id, 'area', area, 'call', call, 'method', method, 'path', pg_catalog.left(path, 300),
      'query', pg_catalog.left(query, 500), 'status', status, 'code', code, 'subject', subject, 'role', role, 'user_id', user_id,
      'source', source, 'milliseconds', milliseconds, 'id', id::text,
      'at', pg_catalog.to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as line
    from ninefold.request_log
    where ${NAMED} and ${STATUS_MATCHES} and ${CALLER_MATCHES} and ${PATH_MATCHES}
      and ($14::timestamptz is null or (at, id) < ($14::timestamptz, $15::bigint))
    order by at desc, id desc limit $16::integer
  ) lines`;

/** A place in the log: the time and the id of a line. */
export interface LogPlace {
  at: string;
  id: string;
}

/**
 * Reads lines of the log, newest first.
 * @param before Reads the lines before this place; null reads from the newest.
 * @param max Maximum number of lines.
 */
export async function readLogLines(
  app: App,
  filter: LogFilter,
  before: LogPlace | null,
  max: number,
): Promise<{ lines: LogLine[]; truncated: boolean; last: LogPlace | null }> {
  const params = [...filterParams(filter), before?.at ?? null, before?.id ?? null, String(max + 1)];
  const [result] = await runAsServerRole(app.database, [{ text: LINES, params }]);
  const found = (result && firstJson<(LogPlace & Record<string, unknown>)[]>(result)) ?? [];
  const shown = found.slice(0, max);
  const last = shown.at(-1);
  return {
    lines: parseLogLines(shown),
    truncated: found.length > max,
    last: found.length > max && last ? { at: last.at, id: last.id } : null,
  };
}

const count = (condition: string) => `pg_catalog.count(*) filter (where ${condition})`;
const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

const SUMMARY = `with matching as materialized (
    select at, status, left_out, ${CALLER} as caller, ${PATH_GROUP} as path_group, ${STATUS_MATCHES} as by_status,
      ${CALLER_MATCHES} as by_caller, ${PATH_MATCHES} as by_path
    from ninefold.request_log where ${NAMED}
  ), points as (
    select pg_catalog.floor(extract(epoch from at - $1::timestamptz) / $14::float8)::integer as place,
      ${count('status < 400')} as ok, ${count('status between 400 and 499')} as refused, ${count('status >= 500')} as failed
    from matching where by_status and by_caller and by_path group by 1
  ), statuses as (
    select status / 100 as digit, pg_catalog.count(*) as calls from matching where by_caller and by_path and status between 100 and 599 group by 1
  ), callers as (
    select caller, pg_catalog.count(*) as calls from matching where by_status and by_path group by 1
  ), paths as (
    select path_group as path, pg_catalog.count(*) as calls from matching where by_status and by_caller group by 1 order by 2 desc, 1
  )
  select pg_catalog.json_build_object(
    'points', (select pg_catalog.json_agg(points) from points),
    'total', (select coalesce(pg_catalog.sum(ok + refused + failed), 0) from points),
    'statuses', (select coalesce(pg_catalog.json_object_agg(digit, calls), '{}') from statuses),
    'callers', (select coalesce(pg_catalog.json_object_agg(caller, calls), '{}') from callers),
    'paths', (select coalesce(pg_catalog.json_agg(p), '[]') from (select * from paths limit ${MAX_PATHS}) p),
    'other_paths', (select coalesce(pg_catalog.sum(calls), 0) from (select calls from paths offset ${MAX_PATHS}) p),
    'hidden', (select ${count(`caller in (${oneOf(hiddenCallers)}) and not by_caller and by_status and by_path`)} from matching),
    'left_out', (select coalesce(pg_catalog.sum(left_out), 0) from matching),
    'since', (select pg_catalog.to_char(pg_catalog.min(at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from ninefold.request_log)
  )`;

/** Possible distances between the points of a summary, in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 604_800];

/**
 * Returns the smallest step for which a period has at most MAX_POINTS complete points and one incomplete point. Pure.
 */
const stepOf = (seconds: number): number =>
  STEPS.find((step) => seconds / step <= MAX_POINTS + 1) ?? Math.ceil(seconds / MAX_POINTS);

/** Counts the matching requests of a period by time, status, caller and path. */
export async function readLogSummary(app: App, filter: LogFilter & { from: string; to: string }): Promise<LogSummary> {
  const seconds = (Date.parse(filter.to) - Date.parse(filter.from)) / 1000;
  const step = stepOf(seconds);
  const [result] = await runAsServerRole(app.database, [
    { text: SUMMARY, params: [...filterParams(filter), String(step)] },
  ]);
  type Point = { place: number; ok: number; refused: number; failed: number };
  const { points, ...counted } = (result &&
    firstJson<Omit<LogSummary, 'points' | 'from' | 'to' | 'step_seconds'> & { points: Point[] | null }>(result)) ?? {
    ...{ points: [], total: 0, statuses: {}, callers: {}, paths: [], other_paths: 0, hidden: 0, left_out: 0 },
    since: null,
  };
  const length = Math.ceil(seconds / step);
  const at = new Map((points ?? []).map((point) => [point.place, point]));
  const of = (key: 'ok' | 'refused' | 'failed') => Array.from({ length }, (_, place) => at.get(place)?.[key] ?? 0);
  return {
    from: filter.from,
    to: filter.to,
    step_seconds: step,
    points: { ok: of('ok'), refused: of('refused'), failed: of('failed') },
    ...counted,
  };
}

/** Returns the callers that the log shows by default. */
export const shownCallers = (includesConsole: boolean): LogCaller[] =>
  logCallers.filter((caller) => !hiddenCallers.includes(caller) || (includesConsole && caller === 'console'));
