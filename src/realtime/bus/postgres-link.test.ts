import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, type TestContext, vi } from 'vitest';
import { type BusNode, broadcastOn, busRecorder, makeBusNode } from '../../../test/support/bus.ts';
import { clone } from '../../../test/support/clone.ts';
import { pools, query, value } from '../../../test/support/pools.ts';
import type { Pool } from '../../database/pool.ts';
import { plain } from '../../database/statement.ts';
import { PostgresLink } from './postgres-link.ts';

const { target, withPool } = pools('postgres-link');

beforeAll(() =>
  withPool(async (pool) => {
    const tables = readFileSync(join(clone, 'src/schema/console/0002_bus.sql'), 'utf8');
    await pool.script(`create schema node; ${tables}`);
  }),
);

const TIMEOUT = { timeout: 8000 };

/** Starts a node that is linked with the others of the test file. */
function startNode({ onTestFinished }: TestContext): BusNode & { link: PostgresLink; states: unknown[] } {
  const node = makeBusNode();
  const states: unknown[] = [];
  let link: PostgresLink | undefined;
  node.hub.connect((handlers, nodeId) => {
    link = new PostgresLink({ nodeId, target: target(), handlers, onState: (error) => states.push(error) });
    return link;
  });
  onTestFinished(() => node.hub.close());
  if (!link) throw new Error('there is no link');
  return { ...node, link, states };
}

/** Starts two nodes that know each other. */
async function startTwo(context: TestContext) {
  const [first, second] = [startNode(context), startNode(context)] as const;
  await vi.waitFor(() => expect([first.link.peers, second.link.peers]).toEqual([1, 1]), TIMEOUT);
  return [first, second] as const;
}

const notifications = (pool: Pool) => value(pool, query('select count(*) from node.bus_batches'));

it('passes messages of every size between two nodes in their order', async (context) => {
  const [first, second] = await startTwo(context);
  const { calls, subscriber } = busRecorder();
  const sender = first.addWorker().worker;
  second.addWorker().worker.subscribe('app', 'room', subscriber);
  await vi.waitFor(() => {
    sender.publish(broadcastOn('room', 'ready'));
    expect(calls.some((call) => call.includes('ready'))).toBe(true);
  });
  const sizes = [1, 5000, 8000, 300_000, 2, 3_000_000, 3];
  for (const [i, size] of sizes.entries()) {
    sender.publish(broadcastOn('room', `${i}:${'x'.repeat(size)}`));
    // Each message is a batch of its own, so that small and large ones alternate.
    if (i % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 30));
  }
  const received = () => calls.filter((call) => call.includes(':x')).map((call) => call.length - ' 1'.length);
  const head = 'broadcast app/room 0:'.length;
  await vi.waitFor(() => expect(received()).toEqual(sizes.map((size) => head + size)), { timeout: 5000 });
});

it('sends nothing while no other node holds the topic', (context) =>
  withPool(async (pool) => {
    const [first, second] = await startTwo(context);
    const { calls, subscriber } = busRecorder();
    second.addWorker().worker.subscribe('app', 'other', subscriber);
    const sender = first.addWorker().worker;
    await vi.waitFor(() => {
      sender.publish(broadcastOn('other', 'ready'));
      expect(calls.some((call) => call.includes('ready'))).toBe(true);
    });
    const before = await notifications(pool);
    for (let i = 0; i < 10; i++) sender.publish(broadcastOn('room', 'x'.repeat(20_000)));
    sender.publish(broadcastOn('other', 'end'));
    await vi.waitFor(() => expect(calls.at(-1)).toContain('end'));
    expect(await notifications(pool)).toBe(before);
  }));

it('informs the subscribers of other nodes within a second when a worker ends, and when a node stops', async (context) => {
  const [first, second] = await startTwo(context);
  const { calls, subscriber } = busRecorder();
  second.addWorker().worker.subscribe('app', 'room', subscriber);
  const [one, two] = [first.addWorker(), first.addWorker()];
  await vi.waitFor(() => {
    one.worker.publish(broadcastOn('room'));
    two.worker.publish(broadcastOn('room'));
    expect(calls.filter((call) => call.startsWith('broadcast')).length).toBeGreaterThan(1);
  });
  one.end();
  await vi.waitFor(() => expect(calls).toContain('lost 1'));
  await first.hub.close();
  await vi.waitFor(() => expect(calls).toContain('lost 2'));
  expect(second.link.peers).toBe(0);
});

it('reports a lost connection, and that messages arrive again after it was repaired', (context) =>
  withPool(async (pool) => {
    const [first, second] = await startTwo(context);
    const { calls, subscriber } = busRecorder();
    second.addWorker().worker.subscribe('app', 'room', subscriber);
    const sender = first.addWorker().worker;
    await vi.waitFor(() => expect(calls.at(-1)).not.toBe('connected false'));
    calls.length = 0;
    const others = `select pg_terminate_backend(pid) from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`;
    await pool.run([plain(others)]);
    await vi.waitFor(() => expect(second.states.map((state) => state === null)).toEqual([true, false, true]), TIMEOUT);
    await vi.waitFor(() => expect(calls.slice(-2)).toEqual(['connected false', 'connected true']));
    await vi.waitFor(() => {
      sender.publish(broadcastOn('room', 'back'));
      expect(calls.at(-1)).toContain('back');
    }, TIMEOUT);
  }));

it('ignores and counts notifications that no node sends', (context) =>
  withPool(async (pool) => {
    const [first] = await startTwo(context);
    const { calls, subscriber } = busRecorder();
    first.addWorker().worker.subscribe('app', 'room', subscriber);
    await vi.waitFor(() => expect(calls.at(-1)).not.toBe('connected false'));
    const payloads = [
      '',
      'x',
      'strange #1e9',
      'strange #999',
      'strange AAAA',
      'strange ////////',
      `${'n'.repeat(99)} a`,
    ];
    for (const payload of payloads) await pool.run([query(`select pg_notify('ninefold_bus', $1)`, payload)]);
    await vi.waitFor(() => expect(first.link.malformed).toBeGreaterThanOrEqual(5));
    expect(calls.filter((call) => call.startsWith('broadcast'))).toEqual([]);
  }));
