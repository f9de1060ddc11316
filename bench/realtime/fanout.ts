import { median, number, ROUNDS, table, WORKERS } from '../figures.ts';
import { percentile } from './clock.ts';
import { type Generator, withBareServers, withGenerator } from './generator.ts';
import type { Target } from './orders.ts';
import type { RealtimeApp } from './realtime-bench-app.ts';

const SOCKETS = [1000, 5000];
const VERSIONS = ['1.0.0', '2.0.0'] as const;
/** Broadcasts that are on their way at the same time when the maximum is measured. */
const WINDOW = 16;
const MILLISECONDS = 2000;
const WARM_UP_MILLISECONDS = 1000;

export interface FanOut {
  readonly name: string;
  readonly target: Target;
  readonly count: number;
  /** Returns the processor time of the server in milliseconds; absent if it is not measured. */
  readonly processor?: () => number;
}

interface FanOutFigures {
  readonly perSecond: number;
  readonly processorEach: number;
  readonly p50: number;
  readonly p99: number;
  readonly lost: number;
  /** Deliveries that are missing at the maximum, because a worker refuses broadcasts above `realtimeDeliveriesPerSecond`. */
  readonly refused: number;
}

/** Measures broadcasts to one topic beside a bare server of `ws` that sends the same frames. */
export async function measureFanOut(app: RealtimeApp): Promise<void> {
  const processor = (): number => app.node.processorTime('node');
  const rows: string[][] = [];
  for (const count of SOCKETS) {
    for (const version of VERSIONS) {
      const target = app.target({ topic: 'fan', version, config: {} });
      rows.push(await fanOutRow({ name: `${number(count)} sockets, ${version}`, target, count, processor }));
    }
    await withBareServers(WORKERS, async (ports) => {
      rows.push(await fanOutRow({ name: `${number(count)} sockets, bare ws`, target: { kind: 'bare', ports }, count }));
    });
  }
  table(fanOutHead, rows);
}

export const fanOutHead = [
  'Broadcasts of 280 bytes',
  'Deliveries a second',
  'Processor time of one',
  'At half of it: p50',
  'p99',
  'lost then',
  'Refused at the maximum',
];

/** Returns the line of a table: the maximum, and the latency at half of it. */
export async function fanOutRow(fanOut: FanOut): Promise<string[]> {
  const figures = await withGenerator((generator) => fanOutFigures(generator, fanOut));
  return [
    fanOut.name,
    number(figures.perSecond),
    fanOut.processor ? `${(figures.processorEach * 1000).toFixed(1)} µs` : '',
    `${figures.p50.toFixed(1)} ms`,
    `${figures.p99.toFixed(1)} ms`,
    number(figures.lost),
    number(figures.refused),
  ];
}

async function fanOutFigures(
  generator: Generator,
  { target, count, processor = () => 0 }: FanOut,
): Promise<FanOutFigures> {
  await generator.open(target, count);
  const run = async (order: { window: number } | { perSecond: number }) => {
    await generator.send({ kind: 'send', target, ...order });
    await generator.measure(WARM_UP_MILLISECONDS);
    const before = processor();
    const { received, ages } = await generator.measure(MILLISECONDS);
    const spent = processor() - before;
    const all = await generator.stop();
    if (all.closed > 0) throw new Error(`${all.closed} sockets were closed`);
    const lost = all.sent * count - all.received;
    return { lost, perSecond: (received * 1000) / MILLISECONDS, processorEach: spent / received, ages };
  };
  const most = [];
  for (let i = 0; i < ROUNDS; i++) most.push(await run({ window: WINDOW }));
  const perSecond = median(most.map((each) => each.perSecond));
  const half = [];
  for (let i = 0; i < ROUNDS; i++) half.push(await run({ perSecond: perSecond / count / 2 }));
  return {
    perSecond,
    processorEach: median(most.map((each) => each.processorEach)),
    p50: median(half.map(({ ages }) => percentile(ages, 0.5))),
    p99: median(half.map(({ ages }) => percentile(ages, 0.99))),
    lost: sum(half.map(({ lost }) => lost)),
    refused: sum(most.map(({ lost }) => lost)),
  };
}

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);
