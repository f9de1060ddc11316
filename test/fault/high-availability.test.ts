import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from '../support/apps.ts';
import { withClient } from '../support/database.ts';
import { deleteInstalledHome, makeInstalledHome } from '../support/installed-postgres.ts';
import { deleteHome, startNode, type TestNode } from '../support/node.ts';
import { hasPatroni, PatroniCluster } from '../support/patroni.ts';
import { makeTestHome } from '../support/test-folder.ts';

const WRITERS = 4;
const STARTING = { timeout: 90_000, interval: 200 };
/** Patroni replaces a leader 20 s after its last sign of life. */
const FAILOVER = { timeout: 60_000, interval: 50 };

/** A node on a primary and a synchronous standby under Patroni. Skipped where Patroni, etcd or PostgreSQL is not installed. */
describe.skipIf(!hasPatroni)('a node on a cluster of Patroni', () => {
  let folder: string;
  let home: string;
  let cluster: PatroniCluster;
  let node: TestNode;
  let app: AppConnection;

  beforeAll(async () => {
    folder = await makeInstalledHome('patroni');
    home = await makeTestHome('patroni-node');
    cluster = await PatroniCluster.start(folder);
    await vi.waitFor(async () => expect(await cluster.memberThatIs('synchronous')).not.toBeNull(), STARTING);
    node = await startNode({ home, env: { NINEFOLD_DATABASE_URL: cluster.url, NINEFOLD_WORKERS: '1' } });
    app = await createAppWith(node, 'create table notes (id int primary key); grant all on notes to anon');
  }, 120_000);
  afterAll(async () => {
    await node?.stop();
    await cluster?.stop();
    await deleteHome(home);
    await deleteInstalledHome(folder);
  });

  it('loses no acknowledged row if the machine of the primary dies, and writes within 5 s of the promotion', async () => {
    const primary = await cluster.memberThatIs('primary');
    const standby = cluster.members.find((member) => member !== primary);
    const acknowledged = new Set<number>();
    const repeatable = new Set<number>();
    const unknown = new Set<number>();
    let [next, lastFailure, firstSuccess] = [1, 0, 0];
    let isOver = false;
    const write = async () => {
      const id = next++;
      const reply = await fetch(`${node.url}/apps/${app.ref}/rest/v1/notes`, {
        method: 'POST',
        headers: { apikey: app.publishable_key, 'content-type': 'application/json' },
        body: JSON.stringify({ id }),
      });
      await reply.arrayBuffer();
      const at = performance.now();
      if (reply.status === 201) {
        acknowledged.add(id);
        if (firstSuccess <= lastFailure) firstSuccess = at;
        return;
      }
      expect(reply.status).toBe(503);
      (reply.headers.has('retry-after') ? repeatable : unknown).add(id);
      lastFailure = at;
      await delay(20);
    };
    const writers = Array.from({ length: WRITERS }, async () => {
      while (!isOver) await write();
    });
    await expect.poll(() => acknowledged.size).toBeGreaterThan(50);
    await primary?.kill9();
    await expect.poll(() => standby?.is('primary'), FAILOVER).toBe(true);
    const promotedAt = performance.now();
    const before = acknowledged.size;
    await expect.poll(() => acknowledged.size, FAILOVER).toBeGreaterThan(before + 20);
    isOver = true;
    await Promise.all(writers);
    const stored = await withClient(
      `postgres://postgres:for-tests-only@127.0.0.1:${standby?.port}/app_${app.ref}`,
      async (client) => new Set((await client.query('select id from notes')).rows.map(({ id }) => Number(id))),
    );
    expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
    expect([...repeatable].filter((id) => stored.has(id))).toEqual([]);
    expect(firstSuccess - promotedAt).toBeLessThan(5000);
  });

  it('lets the old primary rejoin, because other roles may log in to the database postgres', async () => {
    const states = await Promise.all(cluster.members.map((member) => member.is('primary')));
    const old = cluster.members[states.indexOf(false)];
    old?.start();
    await expect.poll(() => old?.is('replica'), FAILOVER).toBe(true);
  });
});
