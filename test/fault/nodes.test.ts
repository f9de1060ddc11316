import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { Balancer } from '../support/balancer.ts';
import { inDatabase, withClient } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { deleteHome, startNode, type TestNode } from '../support/node.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { ownsPort, processTable } from '../support/processes.ts';
import { makeTestHome } from '../support/test-folder.ts';

/** Seconds of a suspension. It outlasts the restarts of both nodes. */
const SUSPENSION = 60;

/** Two nodes use one external PostgreSQL. The first one leads, because it started alone. */
let postgres: TestPostgres;
let homes: [string, string];
let ports: [number, number];
let nodes: [TestNode, TestNode];
let app: AppConnection;

const start = (index: 0 | 1): Promise<TestNode> =>
  startNode({
    home: homes[index],
    env: {
      NINEFOLD_DATABASE_URL: postgres.url,
      NINEFOLD_WORKERS: '1',
      NINEFOLD_PORT: String(ports[index]),
      NINEFOLD_DRAIN_SECONDS: '1',
      NINEFOLD_APP_LOCKS: '2000',
      NINEFOLD_APP_SUSPENSION_SECONDS: String(SUSPENSION),
    },
  });

beforeAll(async () => {
  homes = [await makeTestHome('first-node'), await makeTestHome('second-node')];
  ports = [await freePort(), await freePort()];
  postgres = await startPostgres('nodes', { maxConnections: 300 });
  const first = await start(0);
  await cp(join(first.home, 'secrets'), join(homes[1], 'secrets'), { recursive: true });
  nodes = [first, await start(1)];
  app = await createApp(first);
}, 60_000);
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await postgres.stop();
  await Promise.all(homes.map(deleteHome));
});

async function restart(index: 0 | 1): Promise<void> {
  await nodes[index].stop();
  nodes[index] = await start(index);
}

const rows = async (sql: string, database = 'postgres'): Promise<Record<string, string>[]> =>
  (await withClient(inDatabase(postgres.url, database), (client) => client.query(sql))).rows;

describe('two nodes', () => {
  it('show the same set-up link, which the second node accepts', async () => {
    const tokens = nodes.map(({ setupUrl }) => setupUrl?.split('#token=')[1]);
    expect(tokens[0]).toMatch(/^[\w-]{32}$/);
    expect(tokens[1]).toBe(tokens[0]);
    const body = { token: tokens[0], name: 'Ada', email: 'ada@example.com', password: 'a long password for Ada' };
    const reply = await fetch(`${nodes[1].url}/admin/v1/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: nodes[1].url },
      body: JSON.stringify(body),
    });
    expect(reply.status).toBe(201);
    const again = await fetch(`${nodes[0].url}/admin/v1/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: nodes[0].url },
      body: JSON.stringify({ ...body, email: 'eve@example.com' }),
    });
    expect(await again.json()).toMatchObject({ code: 'setup_done' });
  });

  it('fail no call while they are restarted one after the other behind a balancer', async () => {
    await runSql(
      nodes[0],
      app.ref,
      'create table notes (id bigint generated always as identity); grant all on notes to anon',
    );
    const balancer = await Balancer.start(() => nodes.map(({ url }) => url));
    await expect.poll(() => balancer.healthy).toHaveLength(2);
    let isOver = false;
    const statuses = new Map<string, number>();
    const call = async () => {
      const reply = await fetch(`${balancer.url}/apps/${app.ref}/rest/v1/notes`, {
        method: 'POST',
        headers: { apikey: app.publishable_key, 'content-type': 'application/json', host: new URL(nodes[0].url).host },
        body: '{}',
      }).then(
        ({ status }) => String(status),
        (error: Error) => String((error.cause as Error | undefined)?.message ?? error.message),
      );
      statuses.set(reply, (statuses.get(reply) ?? 0) + 1);
    };
    const clients = Array.from({ length: 6 }, async () => {
      while (!isOver) await call();
    });
    for (const index of [0, 1] as const) {
      await restart(index);
      await expect.poll(() => balancer.healthy).toHaveLength(2);
    }
    isOver = true;
    await Promise.all(clients);
    balancer.stop();
    expect([...statuses.keys()]).toEqual(['201']);
    expect(await rows('select count(*) from notes', `app_${app.ref}`)).toEqual([
      { count: String(statuses.get('201')) },
    ]);
  });

  it('continue the jobs within 10 s if the node that runs them is frozen, and run none twice when it goes on', async () => {
    await runSql(
      nodes[0],
      app.ref,
      `create table ticks (due timestamptz, at timestamptz default clock_timestamp());
       select cron.schedule('tick', '1 seconds', 'insert into public.ticks (due) select last_due from ninefold.job_states where jobid = 1')`,
    );
    const database = `app_${app.ref}`;
    const count = async () => Number((await rows('select count(*) from ticks', database))[0]?.count);
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(1);
    const frozen = nodes[await leader()];
    const processes = [
      frozen.pid,
      ...(await processTable()).filter(({ parent }) => parent === frozen.pid).map(({ pid }) => pid),
    ];
    for (const pid of processes) process.kill(pid, 'SIGSTOP');
    const before = await count();
    await expect.poll(count, { timeout: 15_000, interval: 100 }).toBeGreaterThan(before);
    for (const pid of processes) process.kill(pid, 'SIGCONT');
    await delay(3000);
    const [gap] = await rows(
      'select max(extract(epoch from at - before)) as seconds from (select at, lag(at) over (order by at) as before from ticks) t',
      database,
    );
    expect(Number(gap?.seconds)).toBeLessThan(10);
    expect(await rows('select count(*) - count(distinct due) as twice from ticks', database)).toEqual([{ twice: '0' }]);
    await runSql(nodes[0], app.ref, `select cron.unschedule('tick')`);
  });

  /** Returns the index of the node whose worker runs the jobs. */
  async function leader(): Promise<0 | 1> {
    const [session] = await rows(
      `select a.client_port from pg_locks l join pg_stat_activity a using (pid)
       where l.locktype = 'advisory' and l.classid = 9009 and l.objid = 2 and l.granted
         and a.application_name = 'ninefold-jobs'`,
    );
    const table = await processTable();
    const [port, server] = [Number(session?.client_port), Number(new URL(postgres.url).port)];
    for (const index of [0, 1] as const) {
      const workers = table.filter(({ parent }) => parent === nodes[index].pid);
      for (const { pid } of workers) if (await ownsPort(pid, port, server)) return index;
    }
    throw new Error('no node runs the jobs');
  }

  it('keep an app suspended while one of them restarts, the one that watches included', async () => {
    const canLogIn = async () =>
      (await rows(`select rolcanlogin from pg_roles where rolname = 'app_${app.ref}'`))[0]?.rolcanlogin;
    const codes = () =>
      Promise.all(
        nodes.map(async ({ url }) => {
          const reply = await fetch(`${url}/apps/${app.ref}/rest/v1/notes?limit=1`, {
            headers: { apikey: app.publishable_key },
          });
          return ((await reply.json()) as { code?: string }).code;
        }),
      );
    const url = app.database_url ?? '';
    const attack = withClient(url, (client) =>
      client.query('select pg_advisory_lock(i) from generate_series(1, 3000) i; select pg_sleep(20)'),
    );
    await expect(attack).rejects.toThrow();
    await expect.poll(canLogIn).toBe(false);
    await expect.poll(codes).toEqual(['app_limit_exceeded', 'app_limit_exceeded']);
    for (const index of [1, 0] as const) {
      await restart(index);
      expect(await canLogIn()).toBe(false);
      await expect.poll(codes).toEqual(['app_limit_exceeded', 'app_limit_exceeded']);
    }
    expect(await canLogIn()).toBe(false);
  });
});
