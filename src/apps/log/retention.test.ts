import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { type AppDatabase, startAppDatabase } from '../../../test/support/app-database.ts';
import { rowsAsText } from '../../database/statement.ts';
import { type CallEvent, Events, TraceRecorder } from '../../observe/events.ts';
import type { App } from '../app.ts';
import type { Apps } from '../apps.ts';
import { BackgroundTurns, Traffic } from '../maintenance/background-turns.ts';
import { readSettings } from '../settings.ts';
import { CallStatistics } from '../statistics/call-statistics.ts';
import { ErrorStatistics } from '../statistics/error-statistics.ts';
import { readFigures } from '../statistics/read-statistics.ts';
import { type LogFilter, readLogSummary, shownCallers } from './read-request-log.ts';
import { RequestLog } from './request-log.ts';
import { RequestTraces } from './request-traces.ts';

const turns = new BackgroundTurns(new Traffic());

/**
 * Settings limit the age of stored records. Records that are older than the limit must be deleted, and newer ones must
 * not.
 */

let database: AppDatabase;

beforeAll(async () => {
  database = await startAppDatabase('kept');
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

/** Returns apps with these settings. */
function appsWith(settings: Record<string, number>): Apps {
  const app = {
    ref: 'shop',
    serverDatabase: database.as('app_server'),
    settings: () => Promise.resolve(readSettings(settings)),
    subscribe: () => () => undefined,
  } as unknown as App;
  return { find: () => Promise.resolve(app) } as unknown as Apps;
}

/** Returns the event of a request. */
function call(
  requestId: string,
  about: { milliseconds?: number; slow?: number; code?: string; isByBuilder?: boolean },
): CallEvent {
  const trace = new TraceRecorder();
  trace.opened = trace.started;
  trace.ended = trace.started + (about.milliseconds ?? 1);
  if (about.slow !== undefined) trace.slowMilliseconds = about.slow;
  return {
    ...{
      type: 'call',
      app: 'shop',
      area: 'rest',
      call: 'rest.select',
      method: 'GET',
      path: '/rest/v1/things',
      query: '',
    },
    ...{ status: about.code === undefined ? 200 : 409, code: about.code ?? null, subject: null, limit: null },
    ...{ milliseconds: about.milliseconds ?? 1, requestId, address: '127.0.0.1' },
    ...{ role: 'anon', userId: null, sessionId: null, source: 'none', isByBuilder: about.isByBuilder ?? false },
    ...{ isAbandoned: false, trace },
  };
}

async function column(sql: string): Promise<string[]> {
  const [result] = await database.pool.run([{ text: sql, params: [] }]);
  return (result ? rowsAsText(result) : []).map(({ value }) => value ?? '');
}

it("RequestTraces stores as many request traces as the app's settings allow, and also traces of slow requests", async () => {
  const traces = async (settings: Record<string, number>, events: readonly CallEvent[]) => {
    await database.pool.script(`truncate ninefold.request_traces; insert into ninefold.request_traces (request_id, at, call, status, trace)
      select 'old-' || n, now() - make_interval(mins => n), 'rest.select', 200, '{}' from generate_series(1, 150) n`);
    const kept = new RequestTraces(appsWith(settings), new Events());
    for (const event of events) kept.remember('shop', event);
    await kept.flush();
    return column('select request_id as value from ninefold.request_traces order by at desc, request_id');
  };
  const calls = () => [
    call('a-quick', { milliseconds: 20, slow: 50 }),
    call('b-slow', { milliseconds: 60, slow: 50 }),
    call('c-not-slow-here', { milliseconds: 60, slow: 70 }),
    call('d-failed', { code: '23505' }),
  ];
  const all = await traces({}, calls());
  expect([all.length, ...all.slice(0, 2).sort()]).toEqual([152, 'b-slow', 'd-failed']);
  const fewer = await traces({ logs_traces: 120 }, calls());
  expect([fewer.length, ...fewer.slice(0, 2).sort()]).toEqual([120, 'b-slow', 'd-failed']);
  const busyBuilder = Array.from({ length: 300 }, (_, i) => call(`builder-${i}`, { isByBuilder: true }));
  expect((await traces({}, [...calls(), ...busyBuilder])).slice(0, 2).sort()).toEqual(['b-slow', 'd-failed']);
  // With logs_traces 0, 100 traces still stay, because one worker may write a trace that another worker has yet to
  // read.
  expect(await traces({ logs_traces: 0 }, calls())).toHaveLength(100);
});

it("RequestLog stores as many lines of the log, and for as long, as the app's settings allow", async () => {
  const lines = async (settings: Record<string, number>, events: readonly CallEvent[]) => {
    await database.pool.script(`truncate ninefold.request_log;
      insert into ninefold.request_log (request_id, at, area, call, method, path, query, status, milliseconds)
      select 'old-' || n, now() - make_interval(hours => n), 'rest', 'rest.select', 'GET', '/', '', 200, 1 from generate_series(1, 1500) n`);
    const log = new RequestLog(appsWith(settings), new Events());
    for (const event of events) log.remember('shop', event);
    await log.flushApp('shop');
    return column('select request_id as value from ninefold.request_log order by at desc, request_id');
  };
  const days = await lines({ logs_days: 2 }, [call('new', {})]);
  expect([days.length, days[0], days.at(-1)]).toEqual([48, 'new', 'old-47']);
  const few = await lines({ logs_requests: 0, logs_days: 365 }, [call('new', {})]);
  expect([few.length, few[0]]).toEqual([1001, 'new']);
});

it('readLogSummary counts the lines of days by five minutes as exactly as by line, after old lines were deleted too', async () => {
  await database.pool.script('truncate ninefold.request_log, ninefold.request_log_counts');
  const now = Date.now();
  const apps = appsWith({ logs_days: 7 });
  const log = new RequestLog(apps, new Events());
  const paths = ['/things', '/rpc/close', '/'];
  for (let i = 0; i < 900; i++) {
    const event = call(`of-days-${i}`, i % 7 === 0 ? { code: '23505' } : {});
    Object.assign(event.trace, { at: now - i * 600_000 });
    log.remember('shop', { ...event, path: paths[i % 3] ?? '', source: i % 5 === 0 ? 'secret-key' : 'token' });
  }
  await log.flushApp('shop');
  const app = await apps.find('shop');
  const summary = async (period: { from: number; to: number }, part: Partial<Omit<LogFilter, 'from' | 'to'>>) =>
    app &&
    readLogSummary(app, {
      ...{ from: new Date(period.from).toISOString(), to: new Date(period.to).toISOString() },
      ...{ statuses: null, callers: shownCallers(false), path: null, withoutPaths: [], code: null, call: null },
      ...{ userId: null, requestId: null, slower: null, search: null, searchedUsers: [], ...part },
    });
  const periods = [
    { from: now - 7 * 86_400_000, to: now },
    { from: now - 30 * 86_400_000, to: now + 1 },
    { from: now - 86_400_000 - 1234, to: now - 7_654_321 },
  ];
  const filters: Partial<Omit<LogFilter, 'from' | 'to'>>[] = [
    {},
    { statuses: [4] },
    { path: '/rest/v1/things', callers: ['member'] },
  ];
  const compare = async () => {
    for (const period of periods) {
      for (const filter of filters) {
        const { points: _, ...counted } = (await summary(period, filter)) ?? {};
        // A duration is not counted, so that this filter reads every line.
        const { points: __, ...read } = (await summary(period, { ...filter, slower: 0 })) ?? {};
        expect(counted).toEqual(read);
      }
    }
  };
  await compare();
  expect((await summary({ from: now - 30 * 86_400_000, to: now + 1 }, {}))?.total).toBe(900);
  await database.pool.script(
    `delete from ninefold.request_log where at < to_timestamp(${(now - 5 * 86_400_000) / 1000})`,
  );
  await compare();
  await database.pool.script('truncate ninefold.request_log');
  const after = new RequestLog(apps, new Events());
  after.remember('shop', call('later', {}));
  await after.flushApp('shop');
  expect(
    await column(
      `select count(*)::text as value from ninefold.request_log_counts where slot < now() - interval '1 hour'`,
    ),
  ).toEqual(['0']);
});

it('RequestLog leaves requests out of the log beyond a number per write, counts them, and stores failures of the server', async () => {
  await database.pool.script('truncate ninefold.request_log');
  const log = new RequestLog(appsWith({}), new Events());
  const max = limits.loggedPerFlush.default;
  for (let i = 0; i < max + 5; i++) log.remember('shop', call(`flood-${i}`, {}));
  log.remember('shop', { ...call('failed', { code: 'XX000' }), status: 500 });
  await log.flushApp('shop');
  expect(await column('select count(*)::text as value from ninefold.request_log')).toEqual([String(max + 1)]);
  expect(await column('select left_out::text as value from ninefold.request_log where left_out > 0')).toEqual(['5']);
  expect(await column('select request_id as value from ninefold.request_log where status = 500')).toEqual(['failed']);
});

it('the app stores counted requests and errors for the number of days in its settings', async () => {
  const left = async (settings: Record<string, number>) => {
    await database.pool.script(`truncate ninefold.call_statistics, ninefold.error_statistics;
      insert into ninefold.call_statistics (span, bucket, call, calls, failed, histogram, last_at)
        select 'hour', now() - make_interval(days => d), 'rest.select', 1, 0, array_fill(0, array[24]), now() from unnest(array[5, 20, 100]) d;
      insert into ninefold.error_statistics (kind, name, subject, bucket, hits, last_at, last_requests)
        select 'error', '23505', '', now() - make_interval(days => d), 1, now(), '{}' from unnest(array[5, 20, 100]) d`);
    const events = new Events();
    const apps = appsWith(settings);
    const observers = [new CallStatistics(apps, events), new ErrorStatistics(apps, events)];
    for (const one of observers) one.start(turns);
    events.emit(call('now', { code: '23505' }));
    for (const one of observers) await one.stop();
    const days = (table: string) =>
      column(
        `select extract(day from now() - bucket)::int as value from ninefold.${table} where bucket < now() - interval '1 day' order by 1`,
      );
    return [await days('call_statistics'), await days('error_statistics')];
  };
  expect(await left({})).toEqual([['5', '20'], ['5']]);
  expect(await left({ logs_statistics_days: 10, logs_error_days: 50 })).toEqual([['5'], ['5', '20']]);
  // The counts of seven days always stay, because the chapters show figures of a week.
  expect(await left({ logs_statistics_days: 0, logs_error_days: 0 })).toEqual([['5'], ['5']]);
});

it('the app deletes counts that are older than the retention, even if the app is rarely used', async () => {
  await database.pool.script(`truncate ninefold.call_statistics, ninefold.error_statistics;
    insert into ninefold.call_statistics (span, bucket, call, calls, failed, histogram, last_at)
      values ('hour', now() - interval '100 days', 'rest.select', 1, 0, array_fill(0, array[24]), now());
    insert into ninefold.error_statistics (kind, name, subject, bucket, hits, last_at, last_requests)
      values ('error', '23505', '', now() - interval '100 days', 1, now(), '{}')`);
  const events = new Events();
  const observers = [new CallStatistics(appsWith({}), events), new ErrorStatistics(appsWith({}), events)];
  for (const one of observers) {
    one.start(turns);
    await one.flush();
  }
  events.emit(call('now', { code: '23505' }));
  for (const one of observers) await one.stop();
  const old = (table: string) =>
    column(`select 1 as value from ninefold.${table} where bucket < now() - interval '1 day'`);
  expect([await old('call_statistics'), await old('error_statistics')]).toEqual([[], []]);
});

it('CallStatistics merges the counts per minute of the previous day into counts per hour without losing any count', async () => {
  await database.pool.script(`truncate ninefold.call_statistics;
    insert into ninefold.call_statistics (span, bucket, call, calls, failed, histogram, last_at)
      select 'minute', date_trunc('hour', now()) - interval '30 hours' + make_interval(mins => m), 'rest.select', 10, 1,
        array[m % 60, 10 - m % 60] || array_fill(0, array[22]), now() - interval '30 hours' + make_interval(mins => m)
      from unnest(array[1, 2, 9, 62]) m`);
  const apps = appsWith({});
  const figures = async () => (await readFigures(await apps.find('shop'))).get('rest.select')?.week;
  const before = await figures();
  const events = new Events();
  const counting = new CallStatistics(apps, events);
  counting.start(turns);
  events.emit({ ...call('now', {}), call: 'rest.other' });
  await counting.stop();
  const rows = `select span || ' ' || calls || ' ' || failed || ' ' || (histogram)[1:3]::text as value from ninefold.call_statistics
    where call = 'rest.select' order by bucket`;
  expect(await column(rows)).toEqual(['hour 30 3 {12,18,0}', 'hour 10 1 {2,8,0}']);
  expect(await figures()).toEqual(before);
});

it('the node reports a failing write once', async () => {
  await database.pool.script('alter table ninefold.error_statistics add constraint refuses check (hits < 0) not valid');
  try {
    const events = new Events();
    const faults: string[] = [];
    events.listen(['fault'], (event) => faults.push(event.where));
    const errorStatistics = new ErrorStatistics(appsWith({}), events);
    errorStatistics.start(turns);
    for (let i = 0; i < 2; i++) {
      events.emit(call('now', { code: '23505' }));
      await errorStatistics.flush();
    }
    await errorStatistics.stop();
    expect(faults).toEqual(['counting errors of shop']);
  } finally {
    await database.pool.script('alter table ninefold.error_statistics drop constraint refuses');
  }
});
