import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, deleteApp, runSql } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { deleteHome, startNode } from '../support/node.ts';
import { ownNode } from '../support/own-node.ts';
import { killAll, partsOf } from '../support/processes.ts';
import { makeTestHome } from '../support/test-folder.ts';

const node = ownNode('jobs');
let app: AppConnection;

beforeAll(async () => {
  app = await createApp(node);
  // One job runs through all tests. Each row holds the time at which its run was due.
  await runSql(
    node,
    app.ref,
    `create table public.ticks (due timestamptz, at timestamptz default clock_timestamp()); create table public.slow (at timestamptz default now());
     select cron.schedule('tick', '1 seconds', 'insert into public.ticks (due) select last_due from ninefold.job_states where jobid = 1')`,
  );
});

async function value(sql: string): Promise<string | null> {
  const { results } = await runSql(node, app.ref, sql);
  return results.at(-1)?.rows[0]?.[0] ?? null;
}

const patient = { timeout: 45_000, interval: 100 };
/** Returns -1 while the node does not answer. */
const ticks = () => value('select count(*) from ticks').then(Number, () => -1);

async function runsAgain(): Promise<void> {
  await expect.poll(ticks, patient).toBeGreaterThan(0);
  const before = await ticks();
  await expect.poll(ticks, patient).toBeGreaterThan(before + 1);
}

/** Expects that no due time has two rows, because a claimed run must happen once. */
const expectNoneTwice = () =>
  expect.poll(() => value('select count(*) - count(distinct due) from ticks').catch(() => null), patient).toBe('0');

describe('the scheduled work of deleted apps', () => {
  it('ends, so that the node does not try to log in to their databases', async () => {
    const deleted = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const each = await createApp(node);
        const schedule = `create table public.runs (); select cron.schedule('each', '1 seconds', 'insert into public.runs default values')`;
        await runSql(node, each.ref, schedule);
        return each;
      }),
    );
    const runs = ({ ref }: AppConnection) =>
      runSql(node, ref, 'select count(*) from public.runs').then(({ results }) => Number(results[0]?.rows[0]?.[0]));
    for (const each of deleted) await expect.poll(() => runs(each), patient).toBeGreaterThan(0);
    for (const { ref } of deleted) await deleteApp(node, ref);
    const failedLogins = async (): Promise<number> => {
      const log = await readFile(join(node.home, 'logs/postgres.log'), 'utf8');
      return deleted.flatMap(({ ref }) => log.match(new RegExp(`FATAL: .*\\bapp_${ref}\\b`, 'g')) ?? []).length;
    };
    const failedLoginsDuring = async (milliseconds: number): Promise<number> => {
      const before = await failedLogins();
      await delay(milliseconds);
      return (await failedLogins()) - before;
    };
    await expect.poll(() => failedLoginsDuring(2500), patient).toBe(0);
    expect(await failedLogins()).toBeLessThan(10 * deleted.length);
    await runsAgain();
  });
});

describe('a scheduled job', () => {
  const strikes: [what: string, strike: () => Promise<void>][] = [
    [
      'an orderly stop',
      async () => {
        await node.stop();
        await node.startAgain();
      },
    ],
    [
      'a kill of PostgreSQL',
      async () => {
        process.kill((await partsOf(node.pid)).postmaster, 'SIGKILL');
      },
    ],
    [
      'a kill of every process at once',
      async () => {
        await killAll(node);
        await node.startAgain();
      },
    ],
  ];

  it.each(strikes)('continues after %s, and no run happens twice', async (_, strike) => {
    await expect.poll(ticks, patient).toBeGreaterThan(0);
    await strike();
    await runsAgain();
    await expectNoneTwice();
  });

  it('continues after a kill of every worker; the unfinished run counts as failed and is rolled back', async () => {
    await runSql(
      node,
      app.ref,
      `select cron.schedule('slow', '1 seconds', 'insert into public.slow default values; select pg_sleep(30)')`,
    );
    const running = () =>
      value(`select min(runid) from cron.job_run_details where status = 'running' and command ~ 'sleep'`);
    await expect.poll(running, patient).not.toBeNull();
    const run = await running();
    for (const pid of (await partsOf(node.pid)).workers) process.kill(pid, 'SIGKILL');
    const outcome = () =>
      value(`select status || ': ' || return_message from cron.job_run_details where runid = ${run}`).catch(() => null);
    await expect.poll(outcome, patient).toBe('failed: server restarted');
    expect(await value('select count(*) from slow')).toBe('0');
    await expect.poll(running, patient).not.toBeNull();
    await runsAgain();
    await expectNoneTwice();
    await runSql(
      node,
      app.ref,
      `select cron.unschedule('slow'), pg_terminate_backend(job_pid) from cron.job_run_details where status = 'running' and command ~ 'sleep'`,
    );
  });

  it('runs again if the process that claimed it ended before it sent the command', async () => {
    await expect.poll(ticks, patient).toBeGreaterThan(0);
    // Creates the state that a kill between the claim and the start leaves.
    await runSql(node, app.ref, 'select cron.alter_job(1, active := false)');
    await expect
      .poll(() => value('select count(*) from cron.job_run_details where jobid = 1 and end_time is null'), patient)
      .toBe('0');
    const before = await ticks();
    await withClient(await superuserUrl(node, `app_${app.ref}`), (client) =>
      client.query(`with claimed as (
          update ninefold.job_states set run = nextval('cron.runid_seq'), runner = 'gone', claimed_from = last_due, last_due = now() returning run)
        insert into cron.job_run_details (jobid, runid, status) select 1, run, 'starting' from claimed`),
    );
    await runSql(node, app.ref, 'select cron.alter_job(1, active := true)');
    await expect.poll(ticks, patient).toBeGreaterThan(before + 1);
    expect(
      await value(
        `select count(*) from cron.job_run_details where status = 'starting' and start_time is null and username is null`,
      ),
    ).toBe('0');
  });

  it('runs once per due time while two nodes share a server, and continues when one of them stops', async () => {
    const home = await makeTestHome('second');
    await mkdir(join(home, 'secrets'));
    await cp(join(node.home, 'secrets'), join(home, 'secrets'), { recursive: true });
    const url = new URL(await superuserUrl(node, 'postgres'));
    url.search = '';
    const second = await startNode({ home, env: { NINEFOLD_DATABASE_URL: url.href, NINEFOLD_WORKERS: '2' } });
    try {
      await expect.poll(ticks, patient).toBeGreaterThan(1);
      for (const pid of (await partsOf(node.pid)).workers) process.kill(pid, 'SIGKILL');
      await runsAgain();
      await expectNoneTwice();
    } finally {
      await second.stop();
      await deleteHome(home);
    }
    await runsAgain();
    await expectNoneTwice();
  });
});
