import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppDatabase, startAppDatabase } from '../../test/support/app-database.ts';
import { claimRun, finishRun, readDueJobs } from './job-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let database: AppDatabase;
beforeAll(async () => {
  database = await startAppDatabase('job-store');
  await database.as('app_owner').script(`select cron.schedule('each minute', '* * * * *', 'select 1')`);
}, 60_000);
afterAll(() => database?.stop());

/** Returns the due time of the job, in milliseconds since 1970, if the clock shows `now`. */
async function dueAt(now: number): Promise<number> {
  const [job] = await readDueJobs(database.pool, 'here', now);
  return job?.due ?? Number.NaN;
}

/** Runs all jobs that are due if the clock shows `now`. Returns their number. */
async function runAll(now: number): Promise<number> {
  for (let runs = 0; ; runs++) {
    const due = await dueAt(now);
    if (due > now) return runs;
    const run = await claimRun(database.pool, '1', due, 'here', now);
    if (!run) throw new Error('the run is not to be had');
    await finishRun(database.pool, '1', run.id, { status: 'succeeded', message: '' });
  }
}

describe('readDueJobs and claimRun with a changed clock', () => {
  it('run a job once for all missed times after the clock jumped forward', async () => {
    const now = Date.now();
    expect(await runAll(now + 10 * HOUR)).toBe(1);
    expect(await runAll(now + 10 * HOUR)).toBe(0);
    expect(await dueAt(now + 10 * HOUR)).toBeLessThanOrEqual(now + 10 * HOUR + MINUTE);
  });

  it('do not repeat runs if the clock was set back by less than three hours', async () => {
    const now = Date.now() + 20 * HOUR;
    expect(await runAll(now)).toBe(1);
    expect(await runAll(now - 2 * HOUR)).toBe(0);
    expect(await dueAt(now - 2 * HOUR)).toBeGreaterThan(now - MINUTE);
  });

  it('use the new time if the clock was set back by more than three hours', async () => {
    const now = Date.now() + 30 * HOUR;
    expect(await runAll(now)).toBe(1);
    const earlier = now - 25 * HOUR;
    expect(await runAll(earlier)).toBe(1);
    expect(await runAll(earlier)).toBe(0);
    expect(await runAll(earlier + MINUTE)).toBe(1);
  });
});
