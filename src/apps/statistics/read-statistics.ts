import { limits } from '../../../contract/limits.ts';
import type { StatisticsWindow } from '../../../contract/observed.ts';
import type { CallFigures } from '../../../contract/specification-calls.ts';
import { firstJson } from '../../database/statement.ts';
import type { App } from '../app.ts';
import { runAsServerRole } from '../run-as-server-role.ts';
import { HISTOGRAM_SUM, quantile } from './call-statistics.ts';

/** Reads the requests of the last day by hour, and the totals of today (UTC). */
export async function readCalls(app: App): Promise<{
  hours: { at: string; calls: number; failed: number }[];
  today: { calls: number; failed: number; histogram: number[] };
  lastMinutes: number;
}> {
  const [result] = await runAsServerRole(app.serverDatabase, [
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

/** Length of each statistics window, and of the interval of one of its points, in seconds. */
export const windows: Readonly<Record<StatisticsWindow, { readonly seconds: number; readonly step: number }>> = {
  hour: { seconds: 3600, step: 60 },
  day: { seconds: 86_400, step: 900 },
  week: { seconds: 604_800, step: 3600 },
};

/** Requests within the interval of one point of a chart. */
interface Point {
  calls: number;
  failed: number;
  histogram: number[];
}

/** Requests of a window, by call and point. */
export interface CallSeries {
  /** Start times of the points in seconds since 1970, oldest first; the last point is incomplete. */
  starts: number[];
  /** The figures of each call, by the name of the call. */
  calls: ReadonlyMap<string, { points: (Point | null)[]; all: Point; lastAt: string | null }>;
}

/** Reads the number, failures and durations of the requests of each call within a window. */
export async function readSeries(app: App, window: StatisticsWindow): Promise<CallSeries> {
  const { seconds, step } = windows[window];
  const [result] = await runAsServerRole(app.serverDatabase, [
    { text: SERIES, params: [String(seconds), String(step)] },
  ]);
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

/** Returns the figures of one call within a window. */
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

/** Reads figures of each call within the last hour, day and week, by the name of the call. */
export async function readFigures(
  app: App,
): Promise<ReadonlyMap<string, Readonly<Record<StatisticsWindow, CallFigures>>>> {
  const [result] = await runAsServerRole(app.serverDatabase, [{ text: FIGURES, params: [] }]);
  const rows = (result && firstJson<(Row & { within: StatisticsWindow })[]>(result)) ?? [];
  const sums = new Map<string, Record<StatisticsWindow, { all: Point; lastAt: string | null }>>();
  for (const { call, within, calls, failed, histogram, last_at } of rows) {
    const one = sums.get(call) ?? { hour: nothing(), day: nothing(), week: nothing() };
    sums.set(call, one);
    // Requests within the last hour are also within the day and the week.
    for (const window of within === 'hour'
      ? allWindows
      : within === 'day'
        ? allWindows.slice(1)
        : allWindows.slice(2)) {
      const sum = one[window];
      add(sum.all, { calls, failed, histogram: histogram ?? [] });
      if (last_at !== null && (sum.lastAt === null || last_at > sum.lastAt)) sum.lastAt = last_at;
    }
  }
  return new Map(
    [...sums].map(([call, { hour, day, week }]) => [
      call,
      { hour: figuresOf(hour, 'hour'), day: figuresOf(day, 'day'), week: figuresOf(week, 'week') },
    ]),
  );
}

const allWindows = ['hour', 'day', 'week'] as const;
const nothing = (): { all: Point; lastAt: string | null } => ({
  all: { calls: 0, failed: 0, histogram: [] },
  lastAt: null,
});

/** SQL with the sums of the counters. */
const SUMS = `sum(calls) as calls, sum(failed) as failed,
  ${HISTOGRAM_SUM} as histogram,
  to_char(max(last_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_at`;

/** Shortens the name of a call, because the app's own code can insert calls with any name. */
const NAME = 'left(call, 300) as call';

/** $1 is the length of the window, $2 that of a point, in seconds. */
const SERIES = `with summed as (
    select ${NAME}, floor(extract(epoch from bucket) / $2::integer)::bigint * $2::integer as start, ${SUMS}
    from (select * from ninefold.call_statistics
      where bucket > date_trunc('minute', now()) - make_interval(secs => $1::integer) and bucket <= now()
      order by bucket desc limit ${limits.statisticsRows.default}) counted
    group by 1, 2
  )
  select json_build_object('now', floor(extract(epoch from now())), 'rows', (select json_agg(summed) from summed))`;

const FIGURES = `with summed as (
    select ${NAME}, case when bucket > now() - interval '1 hour' then 'hour' when bucket > now() - interval '1 day' then 'day' else 'week' end
      as within, ${SUMS}
    from (select * from ninefold.call_statistics where bucket > now() - interval '7 days' and bucket <= now()
      order by bucket desc limit ${limits.statisticsRows.default}) counted
    group by 1, 2
  )
  select json_agg(summed) from summed`;
