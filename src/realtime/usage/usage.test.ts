import { expect, it } from 'vitest';
import type { Bus, BusMessage, BusSubscriber } from '../bus/bus.ts';
import { Delays } from './delays.ts';
import { Rates } from './rates.ts';
import { UsageExchange } from './usage-exchange.ts';
import { totalUsage, type WorkerUsage } from './worker-usage.ts';

const counts = (sent: number) => ({ sent, dropped: 0, received: sent / 2, joins: 1 });

const worker = (part: Partial<WorkerUsage>): WorkerUsage => ({
  ...{ sockets: 1, channels: 2, topic_count: 1, topics: [{ topic: 'a', private: false, channels: 2 }] },
  ...{ growth: { counts: counts(20), seconds: 10 }, delays: [] },
  ...part,
});

it('Rates gives the growth of the last ten seconds', () => {
  const rates = new Rates();
  for (let second = 0; second <= 30; second++) rates.sample(second * 1000, counts(second * 100));
  const { counts: grown, seconds } = rates.growth(30_000, counts(3000));
  expect([grown.sent, seconds]).toEqual([1000, 10]);
  expect(new Rates().growth(5, counts(7)).counts.sent).toBe(7);
});

it('Delays counts a change once, and forgets it after a minute', () => {
  const delays = new Delays();
  const now = Date.parse('2026-01-01T00:00:01Z');
  const data = Buffer.from(
    '{"schema":"public","table":"a","commit_timestamp":"2026-01-01T00:00:00.900Z","type":"INSERT"}',
  );
  delays.record(data, now);
  delays.record(data, now + 50);
  delays.record(Buffer.from('{"table":"no time"}'), now);
  expect(delays.recent(now)).toEqual([100]);
  expect(delays.recent(now + 60_001)).toEqual([]);
});

it('totalUsage adds up workers, and counts a topic of several workers once', () => {
  const delays = Array.from({ length: 100 }, (_, i) => i + 1);
  expect(totalUsage([worker({ delays: delays.slice(50) }), worker({ delays: delays.slice(0, 50) })])).toMatchObject({
    ...{ workers: 2, sockets: 2, channels: 4, topic_count: 1, sent_per_second: 4, received_per_second: 2 },
    topics: [{ topic: 'a', private: false, channels: 4 }],
    delay: { p50_ms: 50, p99_ms: 99 },
  });
  expect(totalUsage([worker({ topic_count: 300 })]).topic_count).toBe(300);
  expect(totalUsage([])).toMatchObject({ workers: 0, sockets: 0, delay: null });
});

/** Buses of several workers in this process. */
class LocalBus implements Bus {
  static readonly all = new Set<LocalBus>();
  readonly id: string;
  readonly #subscribers = new Map<string, BusSubscriber>();

  constructor(id: string) {
    this.id = id;
    LocalBus.all.add(this);
  }

  publish(message: BusMessage): void {
    for (const bus of LocalBus.all) {
      if (bus !== this) bus.#subscribers.get(`${message.ref}/${message.topic}`)?.receive(message, this.id);
    }
  }

  subscribe(ref: string, topic: string, subscriber: BusSubscriber): () => void {
    this.#subscribers.set(`${ref}/${topic}`, subscriber);
    return () => this.#subscribers.delete(`${ref}/${topic}`);
  }

  subscribed(): Promise<void> {
    return Promise.resolve();
  }
}

it('UsageExchange collects the usage of the workers that serve the app', async () => {
  const of = (sockets: number) => (ref: string) => (ref === 'desk' ? worker({ sockets }) : null);
  const [first, , third] = [of(1), of(2), () => null].map((own, i) => new UsageExchange(new LocalBus(String(i)), own));
  const [usage, again, other] = await Promise.all([first?.of('desk'), first?.of('desk'), third?.of('shop')]);
  expect(usage).toMatchObject({ workers: 2, sockets: 3 });
  expect(again).toBe(usage);
  expect(other).toMatchObject({ workers: 0, sockets: 0 });
});
