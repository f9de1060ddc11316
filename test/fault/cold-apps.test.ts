import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { partsOf } from '../support/processes.ts';

const APPS = 24;
const CALLERS = 8;
/** Pause between two samples of the number of connections. A connection to an app lasts longer. */
const SAMPLE_MILLISECONDS = 5;
/** The limit of connections for the whole node. Each worker may use half of them, and one open app uses two. */
const CONNECTIONS = 16;

let node: TestNode;
let apps: AppConnection[];

beforeAll(async () => {
  node = await startNode({ env: { NINEFOLD_CONNECTIONS: String(CONNECTIONS), NINEFOLD_WORKERS: '2' } });
  apps = [];
  for (let i = 0; i < APPS; i++) apps.push(await admin<AppConnection>(node, 'POST', '/apps', { ref: `cold-${i}` }));
});
afterAll(() => node.stop());

/**
 * Samples the number of connections to the databases of apps until `work` is done.
 * Returns the highest number.
 */
async function mostConnections(work: Promise<unknown>): Promise<number> {
  let isWorking = true;
  const ended = work.finally(() => {
    isWorking = false;
  });
  let max = 0;
  await withClient(await superuserUrl(node, 'postgres'), async (client) => {
    while (isWorking) {
      const { rows } = await client.query<{ open: number }>(
        `select count(*)::int as open from pg_stat_activity
         where backend_type = 'client backend' and usename like 'app\\_cold-%\\_authenticator'`,
      );
      max = Math.max(max, rows[0]?.open ?? 0);
      await delay(SAMPLE_MILLISECONDS);
    }
  });
  await ended;
  return max;
}

it('eight concurrent callers call many more apps than there are connections, without a failure and within the connection limit', async () => {
  const statuses = new Map<number, number>();
  const left = [...apps, ...apps].values();
  const call = async () => {
    for (const { url, publishable_key: apikey } of left) {
      const { status } = await fetch(`${url}/auth/v1/settings`, { headers: { apikey } });
      const rest = await fetch(`${url}/rest/v1/nothing`, { headers: { apikey } });
      for (const one of [status, rest.status]) statuses.set(one, (statuses.get(one) ?? 0) + 1);
    }
  };
  const max = await mostConnections(Promise.all(Array.from({ length: CALLERS }, call)));
  expect([...statuses]).toEqual(
    expect.arrayContaining([
      [200, 2 * APPS],
      [404, 2 * APPS],
    ]),
  );
  expect(statuses.size).toBe(2);
  expect(max).toBeGreaterThan(2);
  expect(max).toBeLessThanOrEqual(CONNECTIONS);
});

it('the node checks all apps for scheduled work after a crash of PostgreSQL, and opens at most two connections at a time', async () => {
  const { postmaster } = await partsOf(node.pid);
  process.kill(postmaster, 'SIGKILL');
  await expect
    .poll(async () => (await partsOf(node.pid).catch(() => null))?.postmaster ?? postmaster)
    .not.toBe(postmaster);
  await expect.poll(async () => (await fetch(`${node.url}/health`)).status).toBe(200);
  let max = 0;
  await withClient(await superuserUrl(node, 'postgres'), async (client) => {
    // A crash deletes the statistics, so `sessions` counts the sessions since then.
    for (let checked = 0; checked < APPS; ) {
      const { rows } = await client.query<{ open: number; checked: number }>(
        `select (select count(*)::int from pg_stat_activity where datname like 'app\\_cold-%' and application_name = 'ninefold-jobs') as open,
           (select count(*)::int from pg_stat_database where datname like 'app\\_cold-%' and sessions > 0) as checked`,
      );
      max = Math.max(max, rows[0]?.open ?? 0);
      checked = rows[0]?.checked ?? 0;
      await delay(SAMPLE_MILLISECONDS);
    }
  });
  expect(max).toBeGreaterThan(0);
  expect(max).toBeLessThanOrEqual(2);
});
