import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { RealtimeChannel } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp } from '../support/apps.ts';
import { deleteHome, startNode, type TestNode } from '../support/node.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { processTable } from '../support/processes.ts';
import { joined, realtimeClient } from '../support/realtime.ts';
import { redisProgram, startRedis, type TestRedis } from '../support/redis.ts';
import { makeTestHome } from '../support/test-folder.ts';

/** Two nodes use one external PostgreSQL, and pass the messages of realtime on through it or through Redis. */
let postgres: TestPostgres;
let redis: TestRedis | null = null;
let homes: [string, string];
let nodes: [TestNode, TestNode];
let app: AppConnection;
const clients: ReturnType<typeof realtimeClient>[] = [];

const start = (index: 0 | 1, env: Record<string, string> = {}): Promise<TestNode> =>
  startNode({
    home: homes[index],
    env: { NINEFOLD_DATABASE_URL: postgres.url, NINEFOLD_WORKERS: '1', ...env },
  });

beforeAll(async () => {
  homes = [await makeTestHome('first-of-two'), await makeTestHome('second-of-two')];
  postgres = await startPostgres('realtime-nodes');
  const first = await start(0);
  await cp(join(first.home, 'secrets'), join(homes[1], 'secrets'), { recursive: true });
  nodes = [first, await start(1)];
  app = await createApp(first);
}, 60_000);
afterAll(async () => {
  await Promise.all(clients.map((client) => client.realtime.disconnect()));
  await Promise.all(nodes.map((node) => node.stop()));
  await Promise.all([postgres.stop(), redis?.kill9(), ...homes.map(deleteHome)]);
});

/** Returns a channel of the app on a node, for a member whose key is the number of the node. */
function channelOn(index: 0 | 1, name: string): RealtimeChannel {
  const client = realtimeClient({ ...app, url: `${nodes[index].url}/apps/${app.ref}` });
  clients.push(client);
  return client.channel(name, { config: { broadcast: { ack: true }, presence: { key: String(index) } } });
}

/** Expects that a broadcast on each node reaches the other one. */
async function expectBroadcasts(): Promise<void> {
  const received = new Set<string>();
  const channels = [channelOn(0, 'room'), channelOn(1, 'room')];
  for (const [to, channel] of channels.entries()) {
    channel.on('broadcast', { event: '*' }, ({ payload }) => received.add(`${payload.from} to ${to}`));
  }
  await Promise.all(channels.map(joined));
  await expect
    .poll(
      async () => {
        for (const [from, channel] of channels.entries()) {
          await channel.send({ type: 'broadcast', event: 'message', payload: { from } });
        }
        return [...received].sort();
      },
      { timeout: 10_000 },
    )
    .toEqual(['0 to 1', '1 to 0']);
}

/** Opens a channel with presence on both nodes. Returns the keys that the first one sees, and those that left. */
async function watchPresence(name: string): Promise<{ keys: () => string[]; left: string[] }> {
  const channels = [channelOn(0, name), channelOn(1, name)] as const;
  const left: string[] = [];
  for (const channel of channels) channel.on('presence', { event: 'sync' }, () => undefined);
  channels[0].on('presence', { event: 'leave' }, ({ key }) => left.push(key));
  await Promise.all(channels.map(joined));
  await Promise.all(channels.map((channel) => channel.track({})));
  const keys = (channel: RealtimeChannel) => Object.keys(channel.presenceState()).sort();
  await expect
    .poll(() => channels.map(keys), { timeout: 10_000 })
    .toEqual([
      ['0', '1'],
      ['0', '1'],
    ]);
  return { keys: () => keys(channels[0]), left };
}

it('passes broadcasts on through PostgreSQL', expectBroadcasts);

it('voids the presence of a worker of the other node within a second after it was killed', async () => {
  const { left } = await watchPresence('worker');
  const [worker] = (await processTable()).filter(
    ({ parent, command }) => parent === nodes[1].pid && command.includes('ninefold.js'),
  );
  process.kill(worker?.pid ?? 0, 'SIGKILL');
  await expect.poll(() => left, { timeout: 1500 }).toEqual(['1']);
});

it.skipIf(redisProgram === null)('passes broadcasts on through Redis, also after it was killed', async () => {
  redis = await startRedis();
  await Promise.all(clients.splice(0).map((client) => client.realtime.disconnect()));
  await Promise.all(nodes.map((node) => node.stop()));
  const env = { NINEFOLD_BROKER_URL: redis.url };
  nodes = [await start(0, env), await start(1, env)];
  await expectBroadcasts();
  await redis.kill9();
  await expect.poll(() => nodes.map((node) => node.logs().includes('link-lost'))).toEqual([true, true]);
  expect((await fetch(`${nodes[0].url}/health`)).ok).toBe(true);
  await redis.start();
  await expectBroadcasts();
});

it('voids the presence of a node that was killed', async () => {
  const { keys, left } = await watchPresence('node');
  await nodes[1].kill9();
  await expect.poll(() => left, { timeout: 22_000, interval: 250 }).toEqual(['1']);
  expect(keys()).toEqual(['0']);
}, 40_000);
