import { firstJson } from '../database/statement.ts';
import type { Events } from '../observe/events.ts';
import type { App } from './app.ts';
import type { Apps } from './apps.ts';
import { asServer } from './as-server.ts';

const FLUSH_MILLISECONDS = 5000;
/** Calls with names of their own in one flush of one app; the rest count as `other`, so that made-up names cannot fill a table. */
const NAMES = 200;
const BUCKETS = 24;
/** One flush in this many also folds old minutes into hours. */
const FOLD_EVERY = 120;

interface Count {
  minute: number;
  call: string;
  calls: number;
  failed: number;
  histogram: number[];
}

/** Counts the calls of each app in memory and writes them to the app's own database every few seconds. */
export class CallStatistics {
  readonly #apps: Apps;
  readonly #events: Events;
  readonly #counts = new Map<string, Map<string, Count>>();
  #timer: NodeJS.Timeout | null = null;
  #flushes = 0;

  constructor(apps: Apps, events: Events) {
    this.#apps = apps;
    this.#events = events;
  }

  start(): void {
    this.#events.listen((event) => {
      if (event.type === 'call' && event.app !== null && event.code !== 'app_unknown') {
        this.#count(event.app, event.status === 404 ? 'not found' : event.call, event.status, event.milliseconds);
      }
    });
    this.#timer = setInterval(() => void this.flush(), FLUSH_MILLISECONDS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.flush();
  }

  /** Writes what was counted since the last time. What cannot be written now is dropped: figures are no reason to hold memory. */
  async flush(): Promise<void> {
    const counts = [...this.#counts];
    this.#counts.clear();
    this.#flushes++;
    for (const [ref, calls] of counts) {
      try {
        await write(await this.#apps.get(ref), [...calls.values()], this.#flushes % FOLD_EVERY === 1);
      } catch {
        // deleted or unreachable meanwhile
      }
    }
  }

  #count(ref: string, call: string, status: number, milliseconds: number): void {
    let calls = this.#counts.get(ref);
    if (!calls) {
      calls = new Map();
      this.#counts.set(ref, calls);
    }
    const minute = Math.floor(Date.now() / 60_000) * 60;
    const name = calls.size < NAMES || calls.has(`${minute} ${call}`) ? call : 'other';
    const key = `${minute} ${name}`;
    let count = calls.get(key);
    if (!count) {
      count = { minute, call: name, calls: 0, failed: 0, histogram: new Array<number>(BUCKETS).fill(0) };
      calls.set(key, count);
    }
    count.calls++;
    if (status >= 400) count.failed++;
    const bucket = bucketOf(milliseconds);
    count.histogram[bucket] = (count.histogram[bucket] ?? 0) + 1;
  }
}

/** Element i counts calls of less than 2^(i-4) milliseconds that no earlier one counts. */
export function bucketOf(milliseconds: number): number {
  const exponent = Math.floor(Math.log2(Math.max(milliseconds, 2 ** -5))) + 5;
  return Math.min(Math.max(exponent, 0), BUCKETS - 1);
}

/** The duration in milliseconds below which a share of the calls stayed, to the width of a bucket; null without calls. */
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

const UPSERT = `insert into ninefold.call_statistics as s (span, bucket, call, calls, failed, histogram)
  select 'minute', to_timestamp(c.minute), c.call, c.calls, c.failed, c.histogram
  from json_to_recordset($1::json) as c (minute bigint, call text, calls bigint, failed bigint, histogram bigint[])
  on conflict (span, bucket, call) do update set calls = s.calls + excluded.calls, failed = s.failed + excluded.failed,
    histogram = ninefold.add_histograms(s.histogram, excluded.histogram)`;

const FOLD = `with old as (
    delete from ninefold.call_statistics where span = 'minute' and bucket < now() - interval '25 hours' returning *
  ), summed as (
    select date_trunc('hour', bucket) as hour, call, sum(calls) as calls, sum(failed) as failed,
      (select array_agg(total order by i) from (
        select i, sum(n) as total from old o2, unnest(o2.histogram) with ordinality as h (n, i)
        where o2.call = old.call and date_trunc('hour', o2.bucket) = date_trunc('hour', old.bucket) group by i) per) as histogram
    from old group by date_trunc('hour', bucket), call
  )
  insert into ninefold.call_statistics as s (span, bucket, call, calls, failed, histogram)
  select 'hour', hour, call, calls, failed, histogram from summed
  on conflict (span, bucket, call) do update set calls = s.calls + excluded.calls, failed = s.failed + excluded.failed,
    histogram = ninefold.add_histograms(s.histogram, excluded.histogram)`;

const FORGET = `delete from ninefold.call_statistics where span = 'hour' and bucket < now() - interval '90 days'`;

async function write(app: App, counts: readonly Count[], fold: boolean): Promise<void> {
  await asServer(app.database, [{ text: UPSERT, params: [JSON.stringify(counts)] }]);
  if (fold) {
    await asServer(app.database, [
      { text: FOLD, params: [] },
      { text: FORGET, params: [] },
    ]);
  }
}

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
