import { median, number, ROUNDS, table } from '../figures.ts';
import { withGenerator } from './generator.ts';
import type { RealtimeApp } from './realtime-bench-app.ts';

const MEMBERS = 1000;
const JOIN_MILLISECONDS = 1000;
/** Time after which the presence of closed sockets is gone. */
const PAUSE_MILLISECONDS = 2000;

/** Measures the time until all members of a presence channel know each other. */
export async function measurePresence(app: RealtimeApp): Promise<void> {
  const settled: number[] = [];
  const diffs: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    await withGenerator(async (generator) => {
      await generator.open(app.target({ topic: 'room', config: null }), MEMBERS);
      const { lastAt, received } = await generator.presence(JOIN_MILLISECONDS, MEMBERS);
      settled.push(lastAt);
      diffs.push((received * 1000) / MEMBERS / lastAt);
      await generator.close();
    });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
  table(
    [`${number(MEMBERS)} joins of one presence channel in a second`, 'Measured'],
    [
      ['from the first join until a client of each eighth socket knows all members', `${number(median(settled))} ms`],
      ['diffs a second and socket until then', median(diffs).toFixed(1)],
    ],
  );
}
