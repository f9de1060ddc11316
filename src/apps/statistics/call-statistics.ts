import { limits } from '../../../contract/limits.ts';
import type { Events } from '../../observe/events.ts';
import type { App } from '../app.ts';
import type { Apps } from '../apps.ts';
import type { BackgroundTurns } from '../maintenance/background-turns.ts';
import { runAsServerRole } from '../run-as-server-role.ts';
import { BufferedCounters } from './buffered-counters.ts';

/** Buckets of the histogram of durations. The table has an array of this length. */
const BUCKETS = 24;

interface Count {
  /** Start of the minute, in seconds since 1970. */
  minute: number;
  call: string;
  calls: number;
  failed: number;
  histogram: number[];
  /** Time of the last request, in milliseconds since 1970. */
  lastAt: number;
}

/** Counts the requests of each app per minute, and the channels that follow a table, except those of builders. */
export class CallStatistics {
  readonly #events: Events;
  readonly #counts: BufferedCounters<Count>;

  constructor(apps: Apps, events: Events) {
    this.#events = events;
    this.#counts = new BufferedCounters({ apps, events, what: 'counting calls' }, { write, maintain });
  }

  start(turns: BackgroundTurns): void {
    this.#events.listen(['call'], (event) => {
      if (event.app === null || event.isByBuilder) return;
      const { call, status, isAbandoned, milliseconds, trace } = event;
      if (trace.opened > 0)
        this.#count(event.app, { call, isFailed: status >= 400 && !isAbandoned, milliseconds, at: trace.at });
    });
    this.#events.listen(['channel'], ({ app, call, code, milliseconds, at, isByBuilder }) => {
      if (call !== null && !isByBuilder) this.#count(app, { call, isFailed: code !== null, milliseconds, at });
    });
    this.#counts.start(turns);
  }

  stop(): Promise<void> {
    return this.#counts.stop();
  }

  /** Writes the counts since the last flush. */
  flush(): Promise<void> {
    return this.#counts.flush();
  }

  #count(
    ref: string,
    { call, isFailed, milliseconds, at }: { call: string; isFailed: boolean; milliseconds: number; at: number },
  ): void {
    const calls = this.#counts.of(ref);
    if (!calls) return;
    const minute = Math.floor(at / 60_000) * 60;
    const isKnown = calls.size < limits.countedCalls.default || calls.has(`${minute} ${call}`);
    const name = isKnown ? call : 'other';
    const key = `${minute} ${name}`;
    let count = calls.get(key);
    if (!count) {
      count = { minute, call: name, calls: 0, failed: 0, histogram: new Array<number>(BUCKETS).fill(0), lastAt: 0 };
      calls.set(key, count);
    }
    count.calls++;
    if (isFailed) count.failed++;
    if (at > count.lastAt) count.lastAt = at;
    const bucket = bucketOf(milliseconds);
    count.histogram[bucket] = (count.histogram[bucket] ?? 0) + 1;
  }
}

/**
 * Returns the bucket of a duration. Bucket i contains durations below 2^(i-4) milliseconds that are in no lower bucket.
 */
export function bucketOf(milliseconds: number): number {
  const exponent = Math.floor(Math.log2(Math.max(milliseconds, 2 ** -5))) + 5;
  return Math.min(Math.max(exponent, 0), BUCKETS - 1);
}

/**
 * Returns the duration in milliseconds that a share of the requests did not exceed, with the precision of a bucket;
 * null without requests.
 */
export function quantile(histogram: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = share * total;
  for (const [i, count] of histogram.entries()) {
    if (left <= count) {
      const upper = 2 ** (i - 4);
      const lower = i === 0 ? 0 : upper / 2;
      return lower + (upper - lower) * (count === 0 ? 1 : left / count);
    }
    left -= count;
  }
  return 2 ** (histogram.length - 5);
}

/** The order prevents a deadlock of two workers, which would lose the counts of one. */
const UPSERT = `insert into ninefold.call_statistics as s (span, bucket, call, calls, failed, histogram, last_at)
  select 'minute', to_timestamp(c.minute), c.call, c.calls, c.failed, c.histogram, to_timestamp(c."lastAt" / 1000.0)
  from json_to_recordset($1::json) as c (minute bigint, call text, calls bigint, failed bigint, histogram bigint[], "lastAt" bigint)
  order by c.minute, c.call
  on conflict (span, bucket, call) do update set calls = s.calls + excluded.calls, failed = s.failed + excluded.failed,
    histogram = ninefold.add_histograms(s.histogram, excluded.histogram), last_at = greatest(s.last_at, excluded.last_at)`;

/** SQL with the sum of the histograms of a group, element by element. Missing elements count as 0. */
export const HISTOGRAM_SUM = `array[${Array.from({ length: BUCKETS }, (_, i) => `coalesce(sum(histogram[${i + 1}]), 0)`).join(', ')}]`;

const FOLD = `with old as (
    delete from ninefold.call_statistics
    where span = 'minute' and bucket < now() - make_interval(hours => ${limits.minuteStatisticsHours.default}) returning *
  )
  insert into ninefold.call_statistics as s (span, bucket, call, calls, failed, histogram, last_at)
  select 'hour', date_trunc('hour', bucket), call, sum(calls), sum(failed), ${HISTOGRAM_SUM}, max(last_at) from old group by 2, 3
  on conflict (span, bucket, call) do update set calls = s.calls + excluded.calls, failed = s.failed + excluded.failed,
    histogram = ninefold.add_histograms(s.histogram, excluded.histogram), last_at = greatest(s.last_at, excluded.last_at)`;

const FORGET = `delete from ninefold.call_statistics where
  span = 'hour' and bucket < now() - make_interval(days => $1::int)
  or bucket < (select bucket from ninefold.call_statistics order by bucket desc offset ${limits.statisticsRows.default} limit 1)`;

/** Adds the counts to the stored counts. */
async function write(app: App, counts: readonly Count[]): Promise<void> {
  await runAsServerRole(app.serverDatabase, [{ text: UPSERT, params: [JSON.stringify(counts)] }]);
}

/** Merges old minutes into hours, and deletes old hours. */
async function maintain(app: App, isDue: boolean): Promise<void> {
  if (!isDue) return;
  const { rest } = await app.settings();
  await runAsServerRole(app.serverDatabase, [{ text: FORGET, params: [String(rest.logs_statistics_days)] }]);
  await runAsServerRole(app.serverDatabase, [{ text: FOLD, params: [] }]);
}
