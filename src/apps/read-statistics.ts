import { limits } from '../../contract/limits.ts';
import type { CallFigures, StatisticsWindow } from '../../contract/observed.ts';
import { firstJson } from '../database/statement.ts';
import type { App } from './app.ts';
import { asServer } from './as-server.ts';
import { quantile } from './call-statistics.ts';

/** Calls of the last day by hour, and of today (UTC) in sum. */
export async function readCalls(app: App): Promise<{
  hours: { at: string; calls: number; failed: number }[];
  today: { calls: number; failed: number; histogram: number[] };
  lastMinutes: number;
}> {
  const [result] = await asServer(app.database, [
    {
      text: `select json_build_object(
          'hours', (select json_agg(json_build_object('at', h, 'calls', coalesce(calls, 0), 'failed', coalesce(failed, 0)) order by h)
            from generate_series(date_trunc('hour', now()) - interval '23 hours', date_trunc('hour', now()), interval '1 hour') h
            left join (select date_trunc('hour', bucket) as hour, sum(calls) as calls, sum(failed) as failed
              from ninefold.call_statistics where bucket > now() - interval '25 hours' group by 1) s on s.hour = h),
          'today', (select json_build_object('calls', coalesce(sum(calls), 0), 'failed', coalesce(sum(failed), 0),
              'histogram', coalesce((select json_agg(n order by i) from (select i, sum(n) as n from ninefold.call_statistics t,
                unnest(t.histogram) with ordinality as u (n, i) where t.bucket >= date_trunc('day', now()) group by i) b), '[]'))
            from ninefold.call_statistics where bucket >= date_trunc('day', now())),
          'lastMinutes', (select coalesce(sum(calls), 0) from ninefold.call_statistics
            where span = 'minute' and bucket >= date_trunc('minute', now()) - interval '5 minutes'))`,
      params: [],
    },
  ]);
  const value = result && firstJson<Awaited<ReturnType<typeof readCalls>>>(result);
  if (!value) throw new Error('the statistics cannot be read');
  return value;
}

/** A window of the statistics: how long it is, and how long each of its points. */
export const windows: Readonly<Record<StatisticsWindow, { readonly seconds: number; readonly step: number }>> = {
  hour: { seconds: 3600, step: 60 },
  day: { seconds: 86_400, step: 900 },
  week: { seconds: 604_800, step: 3600 },
};

/** Calls within one point of time. */
interface Point {
  calls: number;
  failed: number;
  histogram: number[];
}

export interface CallSeries {
  /** Beginnings of the points in seconds since 1970, oldest first; the last one is under way. */
  starts: number[];
  /** By the name of the call. */
  calls: ReadonlyMap<string, { points: (Point | null)[]; all: Point; lastAt: string | null }>;
}

/** How often each call was made within a window, how it ended and how long it took. */
export async function readSeries(app: App, window: StatisticsWindow): Promise<CallSeries> {
  const { seconds, step } = windows[window];
  const [result] = await asServer(app.database, [{ text: SERIES, params: [String(seconds), String(step)] }]);
  const read = (result && firstJson<{ now: number; rows: Row[] | null }>(result)) ?? { now: 0, rows: null };
  const last = Math.floor(read.now / step) * step;
  const count = Math.min(seconds / step, limits.statisticsPoints.default);
  const starts = Array.from({ length: count }, (_, i) => last - (count - 1 - i) * step);
  const calls = new Map<string, { points: (Point | null)[]; all: Point; lastAt: string | null }>();
  for (const row of read.rows ?? []) {
    let one = calls.get(row.call);
    if (!one) {
      one = { points: starts.map(() => null), all: { calls: 0, failed: 0, histogram: [] }, lastAt: null };
      calls.set(row.call, one);
    }
    const point = { calls: row.calls, failed: row.failed, histogram: row.histogram ?? [] };
    const place = Math.round((row.start - (starts[0] ?? 0)) / step);
    if (place >= 0 && place < count) one.points[place] = point;
    add(one.all, point);
    if (row.last_at !== null && (one.lastAt === null || row.last_at > one.lastAt)) one.lastAt = row.last_at;
  }
  return { starts, calls };
}

interface Row {
  call: string;
  start: number;
  calls: number;
  failed: number;
  histogram: number[] | null;
  last_at: string | null;
}

function add(sum: Point, { calls, failed, histogram }: Point): void {
  sum.calls += calls;
  sum.failed += failed;
  histogram.forEach((count, i) => {
    sum.histogram[i] = (sum.histogram[i] ?? 0) + count;
  });
}

/** The figures of what was counted within a window. */
export function figuresOf(
  { all, lastAt }: { all: Point; lastAt: string | null },
  window: StatisticsWindow,
): CallFigures {
  return {
    calls: all.calls,
    failed: all.failed,
    per_minute: all.calls / (windows[window].seconds / 60),
    p50_ms: quantile(all.histogram, 0.5),
    p99_ms: quantile(all.histogram, 0.99),
    failed_share: all.calls > 0 ? all.failed / all.calls : 0,
    last_at: lastAt,
  };
}

/** $1 is the length of the window, $2 of a point, in seconds. Only histograms of one dimension are summed: others are no server's. */
const SERIES = `with counted as (
    select call, floor(extract(epoch from bucket) / $2::integer)::bigint * $2::integer as start, calls, failed, histogram, last_at
    from ninefold.call_statistics
    where bucket > date_trunc('minute', now()) - make_interval(secs => $1::integer) and bucket <= now() and array_ndims(histogram) = 1
    order by bucket desc limit ${limits.statisticsRows.default}
  ), summed as (
    select call, start, sum(calls) as calls, sum(failed) as failed, to_char(max(last_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_at
    from counted group by call, start
  ), histograms as (
    select call, start, json_agg(n order by i) as histogram from (
      select call, start, i, coalesce(sum(n), 0) as n from counted, unnest(histogram) with ordinality as u (n, i)
      group by call, start, i) b group by call, start
  )
  select json_build_object('now', floor(extract(epoch from now())),
    'rows', (select json_agg(json_build_object('call', left(call, 300), 'start', start, 'calls', calls, 'failed', failed, 'histogram', histogram,
      'last_at', last_at)) from summed left join histograms using (call, start)))`;
