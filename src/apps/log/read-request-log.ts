import type { LogCaller, LogLine, LogSummary } from '../../../contract/observed.ts';
import { hiddenCallers, logCallers } from '../../../contract/observed.ts';
import { firstJson } from '../../database/statement.ts';
import type { App } from '../app.ts';
import { runAsServerRole } from '../run-as-server-role.ts';
import { SLOT } from './request-log.ts';
import { parseLogLines } from './stored-traces.ts';

/** Points of at least this length are counted by five minutes. */
const COUNTED_STEP = 600;

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

/** The parts of the filter that a summary counts by. Parameters 3 to 6. */
const STATUS_MATCHES = '($3::json is null or digit = any (array(select json_array_elements_text($3::json)::integer)))';
const CALLER_MATCHES = 'caller = any (array(select json_array_elements_text($4::json)))';
const PATH_MATCHES = `(($5::text is null or path_group = $5)
  and path_group <> all (array(select json_array_elements_text($6::json))))`;

/** The parts of the filter that a summary does not count by. Parameters 1, 2 and 7 to 13. */
const NAMED = `($1::timestamptz is null or at >= $1) and ($2::timestamptz is null or at < $2)
  and ($7::text is null or code = $7) and ($8::text is null or call = $8) and ($9::text is null or user_id = $9)
  and ($10::text is null or request_id = $10) and ($11::float8 is null or milliseconds >= $11)
  and ($12::text is null or pg_catalog.strpos(pg_catalog.lower(method || ' /' || area || '/v1' || path || '?' || query), $12) > 0
    or pg_catalog.strpos(pg_catalog.lower(pg_catalog.concat_ws(' ', code, subject, call, role)), $12) > 0
    or pg_catalog.starts_with(pg_catalog.lower(request_id), $12) or user_id = any (array(select json_array_elements_text($13::json))))`;

/** Duration in milliseconds from which an index contains the lines of the log. */
const INDEXED_MILLISECONDS = 100;

/** The conditions on a line of the log. With a constant, PostgreSQL uses the index of slow requests. */
const namedOf = ({ slower }: LogFilter): string =>
  slower !== null && slower >= INDEXED_MILLISECONDS ? `${NAMED} and milliseconds >= ${INDEXED_MILLISECONDS}` : NAMED;

const countedParams = (filter: LogFilter): (string | null)[] => [
  ...[filter.from, filter.to],
  filter.statuses === null ? null : JSON.stringify(filter.statuses),
  JSON.stringify(filter.callers),
  filter.path,
  JSON.stringify(filter.withoutPaths),
];

const filterParams = (filter: LogFilter): (string | null)[] => [
  ...countedParams(filter),
  ...[filter.code, filter.call, filter.userId, filter.requestId],
  filter.slower === null ? null : String(filter.slower),
  filter.search === null ? null : filter.search.toLowerCase(),
  JSON.stringify(filter.searchedUsers),
];

const linesOf = (named: string) => `select pg_catalog.json_agg(line) from (
    select pg_catalog.json_build_object('request_id', request_id, 'area', area, 'call', call, 'method', method, 'path', pg_catalog.left(path, 300),
      'query', pg_catalog.left(query, 500), 'status', status, 'code', code, 'subject', subject, 'role', role, 'user_id', user_id,
      'source', source, 'milliseconds', milliseconds, 'id', id::text,
      'at', pg_catalog.to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as line
    from ninefold.request_log, lateral (select status / 100 as digit) digits
    where ${named} and ${STATUS_MATCHES} and ${CALLER_MATCHES} and ${PATH_MATCHES}
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
  const [result] = await runAsServerRole(app.serverDatabase, [{ text: linesOf(namedOf(filter)), params }]);
  const found = (result && firstJson<(LogPlace & Record<string, unknown>)[]>(result)) ?? [];
  const shown = found.slice(0, max);
  const last = shown.at(-1);
  return {
    lines: parseLogLines(shown),
    truncated: found.length > max,
    last: found.length > max && last ? { at: last.at, id: last.id } : null,
  };
}

const count = (condition: string) => `coalesce(pg_catalog.sum(calls) filter (where ${condition}), 0)`;
const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** The lines of a period. */
const linesOfPeriod = (named: string) => `select at, status / 100 as digit, caller, path_group, 1 as calls, left_out
  from ninefold.request_log where ${named}`;

/** Returns the lines of a part of the period. The period has no other filter. */
const linesBetween = (
  from: string,
  to: string,
) => `select at, status / 100 as digit, caller, path_group, 1 as calls, left_out
  from ninefold.request_log where at >= ${from} and at < ${to}`;

/**
 * The counts of the complete five minutes of a period, and the lines before and after them. The five minutes of the
 * oldest line are read by line, because a part of their lines may be deleted.
 */
const COUNTS_OF_PERIOD = `select slot as at, status as digit, caller, path_group, calls, left_out
    from ninefold.request_log_counts where slot >= (select first from edges) and slot < (select last from edges)
  union all ${linesBetween('$1', 'least((select first from edges), $2)')}
  union all ${linesBetween('(select last from edges)', '$2')}`;

const EDGES = `oldest as (
    select greatest($1::timestamptz, (
      select pg_catalog.min(at) from ninefold.request_log where at > '-infinity' and at < 'infinity')) as at
  ), first_slot as (
    select case when ${SLOT} = at then at else ${SLOT} + interval '5 minutes' end as first from oldest
  ), edges as (
    select first, greatest(first, ${SLOT}) as last from first_slot, (select $2::timestamptz as at) ending
  )`;

/**
 * Returns the query of a summary over lines or counts. Groups them first, so that a filter tests each group once.
 * @param step The parameter with the length of a point in seconds.
 */
const summaryOf = (counted: string, step: string, edges = '') => `with ${edges}matching as materialized (
    select grouped.*, ${STATUS_MATCHES} as by_status, ${CALLER_MATCHES} as by_caller, ${PATH_MATCHES} as by_path
    from (select pg_catalog.floor(extract(epoch from at - $1::timestamptz) / ${step}::float8)::integer as place, digit, caller, path_group,
        pg_catalog.sum(calls) as calls, pg_catalog.sum(left_out) as left_out
      from (${counted}) counted group by 1, 2, 3, 4) grouped
  ), points as (
    select place, ${count('digit < 4')} as ok, ${count('digit = 4')} as refused, ${count('digit >= 5')} as failed
    from matching where by_status and by_caller and by_path group by 1
  ), statuses as (
    select digit, pg_catalog.sum(calls) as calls from matching where by_caller and by_path and digit between 1 and 5 group by 1
  ), callers as (
    select caller, pg_catalog.sum(calls) as calls from matching where by_status and by_path group by 1
  ), paths as (
    select path_group as path, pg_catalog.sum(calls) as calls from matching where by_status and by_caller group by 1 order by 2 desc, 1
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

const SUMMARY_OF_COUNTS = summaryOf(COUNTS_OF_PERIOD, '$7', `${EDGES}, `);

/** Returns true if a filter names nothing that is not counted. Pure. */
const isCounted = ({ code, call, userId, requestId, slower, search }: LogFilter): boolean =>
  [code, call, userId, requestId, slower, search].every((part) => part === null);

/** Steps of the points of a summary in seconds. */
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
  const [result] = await runAsServerRole(app.serverDatabase, [
    step >= COUNTED_STEP && isCounted(filter)
      ? { text: SUMMARY_OF_COUNTS, params: [...countedParams(filter), String(step)] }
      : { text: summaryOf(linesOfPeriod(namedOf(filter)), '$14'), params: [...filterParams(filter), String(step)] },
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
