import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type AppDatabase, startAppDatabase } from '../../../test/support/app-database.ts';
import type { Executor } from '../../database/database.ts';
import { PoolTimeoutError } from '../../database/database-error.ts';
import { type CallEvent, Events } from '../../observe/events.ts';
import type { App } from '../app.ts';
import type { Apps } from '../apps.ts';
import { BackgroundTurns, Traffic } from '../maintenance/background-turns.ts';
import { ErrorStatistics, readErrorStatistics } from './error-statistics.ts';

const turns = new BackgroundTurns(new Traffic());

let database: AppDatabase;
let app: App;
beforeAll(async () => {
  database = await startAppDatabase('incidents');
  app = { ref: 'shop', serverDatabase: database.as('app_server') } as unknown as App;
});
beforeEach(() => database.pool.script('truncate ninefold.error_statistics'));
afterAll(() => database?.stop());

const now = Date.now();
const bucketStart = now - (now % 600_000);

/** Returns the statistics of a worker that has counted the errors of calls. */
function worker(calls: readonly object[], of: App = app): ErrorStatistics {
  const events = new Events();
  const statistics = new ErrorStatistics({ find: async () => of } as unknown as Apps, events);
  statistics.start(turns);
  for (const call of calls) {
    const usual = { code: '23505', requestId: 'r', userId: 'ada', trace: { at: bucketStart } };
    events.emit({ type: 'call', app: 'shop', subject: null, limit: null, ...usual, ...call } as unknown as CallEvent);
  }
  return statistics;
}

it('ErrorStatistics stores the caller of the latest error, even if a worker with an earlier error writes its counts later', async () => {
  const early = worker([{ userId: 'ada', requestId: 'first', trace: { at: bucketStart + 1 } }]);
  const late = worker([{ userId: 'gus', requestId: 'second', trace: { at: bucketStart + 2 } }]);
  await late.stop();
  await early.stop();
  const { errors } = await readErrorStatistics(app);
  expect(errors).toMatchObject([{ name: '23505', last_caller: 'gus', last_requests: ['second', 'first'] }]);
});

it('ErrorStatistics does not count the error of a request whose client left before the response', async () => {
  await worker([{ code: '57014', isAbandoned: true }, { isAbandoned: false }]).stop();
  const { errors } = await readErrorStatistics(app);
  expect(errors.map(({ name }) => name)).toEqual(['23505']);
});

it('ErrorStatistics writes its rows in one order, so that the writes of two workers cause no deadlock', async () => {
  const statistics = worker([{ code: '23505' }, { code: '23503' }]);
  const add = (code: string) =>
    `insert into ninefold.error_statistics (kind, name, subject, bucket, hits, last_at, last_requests)
     values ('error', '${code}', '', to_timestamp(${bucketStart / 1000}), 1, now(), '{}')
     on conflict (kind, name, subject, bucket) do update set hits = ninefold.error_statistics.hits + 1`;
  const waiting = { text: 'select from pg_locks where not granted', params: [] };
  let written: Promise<void> | undefined;
  await database.pool.transaction(async (other) => {
    await other.script(add('23503'));
    written = statistics.stop();
    await expect.poll(async () => (await database.pool.run([waiting]))[0]?.rows.length).toBe(1);
    await other.script(add('23505'));
  });
  await written;
  const { errors } = await readErrorStatistics(app);
  expect(errors.map(({ name, week }) => [name, week])).toEqual([
    ['23503', 2],
    ['23505', 2],
  ]);
});

it('ErrorStatistics writes with the next flush what a flush could not write because no connection was free', async () => {
  const run = vi.fn<Executor['run']>((statements) => app.serverDatabase.run(statements));
  const busy = { ref: 'shop', serverDatabase: { run } } as unknown as App;
  const statistics = worker([{ code: '23505' }], busy);
  run.mockRejectedValueOnce(new PoolTimeoutError('no connection became free in time'));
  await statistics.flush();
  expect((await readErrorStatistics(app)).errors).toEqual([]);
  await statistics.flush();
  await statistics.stop();
  expect((await readErrorStatistics(app)).errors).toMatchObject([{ name: '23505', week: 1 }]);
});
