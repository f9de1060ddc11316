import { createClient } from '@redis/client';
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import { type BusNode, broadcastOn, busRecorder, makeBusNode } from '../../../test/support/bus.ts';
import { redisProgram, startRedis, type TestRedis } from '../../../test/support/redis.ts';
import { RedisLink } from './redis-link.ts';

const masterKey = Buffer.alloc(32, 7);
let redis: TestRedis;

/** Starts a node that is linked with the others of the same key. */
function startNode(
  { onTestFinished }: TestContext,
  { key = masterKey, url = redis.url }: { key?: Buffer; url?: string } = {},
): BusNode & { link: RedisLink; states: unknown[] } {
  const node = makeBusNode();
  const states: unknown[] = [];
  let link: RedisLink | undefined;
  node.hub.connect((handlers, nodeId) => {
    link = new RedisLink({ nodeId, url, masterKey: key, handlers, onState: (error) => states.push(error) });
    return link;
  });
  onTestFinished(() => node.hub.close());
  if (!link) throw new Error('there is no link');
  return { ...node, link, states };
}

/** Starts two nodes that know each other, with a sender on the first and a recorder for the topic `room` on the second. */
async function startTwo(context: TestContext) {
  const [first, second] = [startNode(context), startNode(context)] as const;
  await vi.waitFor(() => expect([first.link.peers, second.link.peers]).toEqual([1, 1]), { timeout: 5000 });
  const { calls, subscriber } = busRecorder();
  second.addWorker().worker.subscribe('app', 'room', subscriber);
  const sender = first.addWorker();
  await vi.waitFor(() => {
    sender.worker.publish(broadcastOn('room', 'ready'));
    expect(calls.at(-1)).toContain('ready');
  });
  // Nodes that have just met let subscribers ask for what they may have missed.
  await new Promise((resolve) => setTimeout(resolve, 100));
  calls.length = 0;
  return { first, second, sender, calls };
}

const connections = (calls: readonly string[]) => calls.filter((call) => call.startsWith('connected'));

describe.skipIf(redisProgram === null)('RedisLink (skipped without redis-server)', () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.kill9());

  it('passes messages of every size between two nodes in their order', async (context) => {
    const { sender, calls } = await startTwo(context);
    const sizes = [1, 5000, 300_000, 2, 3_000_000, 3];
    for (const [i, size] of sizes.entries()) sender.worker.publish(broadcastOn('room', `${i}:${'x'.repeat(size)}`));
    const lengths = () => calls.filter((call) => call.includes(':x')).map((call) => call.length);
    const head = 'broadcast app/room 0: 1'.length;
    await vi.waitFor(() => expect(lengths()).toEqual(sizes.map((size) => head + size)), { timeout: 5000 });
  });

  it('delivers the reply to a question that a worker asks when it subscribes', async (context) => {
    const { first, second } = await startTwo(context);
    const replying = first.addWorker().worker;
    replying.subscribe('app', 'questions', {
      ...busRecorder().subscriber,
      receive: () => replying.publish(broadcastOn('questions', 'reply')),
    });
    const asking = second.addWorker().worker;
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (let i = 0; i < 20; i++) {
      const { calls, subscriber } = busRecorder();
      const end = asking.subscribe('app', 'questions', subscriber);
      asking.publish(broadcastOn('questions', 'ask'));
      await vi.waitFor(() => expect(calls.some((call) => call.includes('reply'))).toBe(true));
      end();
    }
  });

  it('informs the subscribers of other nodes within a second when a worker ends, and when a node stops', async (context) => {
    const { first, second, sender, calls } = await startTwo(context);
    const other = first.addWorker().worker;
    await vi.waitFor(() => {
      other.publish(broadcastOn('room'));
      expect(calls.length).toBeGreaterThan(0);
    });
    sender.end();
    await vi.waitFor(() => expect(calls).toContain('lost 1'));
    await first.hub.close();
    await vi.waitFor(() => expect(calls).toContain('lost 2'));
    expect(second.link.peers).toBe(0);
  });

  it('receives nothing of an installation with another key, and ignores what another program publishes or repeats', async (context) => {
    const { first, second, sender, calls } = await startTwo(context);
    const stranger = startNode(context, { key: Buffer.alloc(32, 8) });
    await vi.waitFor(() => expect(stranger.states).toEqual([null]));
    const client = await createClient({ url: redis.url }).connect();
    const spy = client.duplicate();
    await spy.connect();
    context.onTestFinished(() => {
      client.destroy();
      spy.destroy();
    });
    const seen: [channel: string, message: Buffer][] = [];
    await spy.pSubscribe('*', (message, channel) => seen.push([channel.toString(), message]), true);
    sender.worker.publish(broadcastOn('room', 'secret'));
    await vi.waitFor(() => expect(calls.at(-1)).toContain('secret'));
    await vi.waitFor(() => expect(seen.some(([channel]) => channel.endsWith('app:app'))).toBe(true));
    expect(Buffer.concat(seen.map(([, message]) => message)).includes('secret')).toBe(false);
    const before = second.link.malformed;
    const [channel = '', repeated = Buffer.alloc(0)] = seen.find(([name]) => name.endsWith('app:app')) ?? [];
    for (const message of [Buffer.alloc(0), Buffer.from('x'), Buffer.alloc(100_000, 1), repeated]) {
      await client.publish(channel, message);
    }
    await vi.waitFor(() => expect(second.link.malformed).toBe(before + 4));
    expect(calls.filter((call) => call.includes('secret'))).toHaveLength(1);
    expect([first.link.peers, second.link.peers, stranger.link.peers]).toEqual([1, 1, 0]);
  });

  it.for<[string, () => Promise<void>, () => Promise<void>]>([
    ['is killed and starts again', () => redis.kill9(), () => redis.start()],
    ['freezes and continues', async () => redis.freeze(), async () => redis.thaw()],
  ])('reports within two seconds that the broker %s', async ([, breakIt, repair], context) => {
    const { second, sender, calls } = await startTwo(context);
    const brokenAt = performance.now();
    await breakIt();
    await vi.waitFor(() => expect(connections(calls)).toEqual(['connected false']), { timeout: 4000 });
    expect(performance.now() - brokenAt).toBeLessThan(2000);
    // While the broker is away, messages are dropped.
    for (let i = 0; i < 100; i++) sender.worker.publish(broadcastOn('room', new Uint8Array(1_000_000)));
    await repair();
    await vi.waitFor(() => expect(connections(calls).slice(0, 2)).toEqual(['connected false', 'connected true']), {
      timeout: 8000,
    });
    expect(second.states.map((state) => state === null)).toEqual([true, false, true]);
    await vi.waitFor(
      () => {
        sender.worker.publish(broadcastOn('room', 'back'));
        expect(calls.some((call) => call.includes('back'))).toBe(true);
      },
      { timeout: 8000 },
    );
  });

  it.for<[string, () => string]>([
    ['a wrong password', () => redis.url.replace('p%40ss', 'no-secret')],
    ['a port without a server', () => 'redis://default:no-secret@127.0.0.1:1/0'],
    ['another protocol', () => 'http://default:no-secret@127.0.0.1:1/0'],
    ['no URL', () => 'no-secret'],
    ['a password that cannot be decoded', () => 'redis://default:no-secret%zz@127.0.0.1/0'],
  ])('reports one error without the password for a URL with %s', async ([, url], context) => {
    const node = startNode(context, { url: url() });
    const { calls, subscriber } = busRecorder();
    node.addWorker().worker.subscribe('app', 'room', subscriber);
    await vi.waitFor(() => expect(node.states).toHaveLength(1));
    expect(String(node.states[0])).not.toContain('no-secret');
    // The second attempt fails too.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(node.states).toHaveLength(1);
    expect(connections(calls)).toEqual(['connected false']);
  });
});
