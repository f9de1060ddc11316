import { median, number, ROUNDS, table } from '../figures.ts';
import { withGenerator } from './generator.ts';
import type { RealtimeApp } from './realtime-bench-app.ts';

const SOCKETS = 5000;
/** Time in which the workers come to rest. */
const REST_MILLISECONDS = 3000;
const MEASURED_MILLISECONDS = 5000;

/** Measures the memory and the processor time of sockets that have joined a topic of their own and are idle. */
export async function measureIdleSockets(app: RealtimeApp): Promise<void> {
  const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, REST_MILLISECONDS));
  const resident = (): number => [...app.node.residentMemory('node').values()].reduce((sum, each) => sum + each, 0);
  const each: number[] = [];
  const share: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    await withGenerator(async (generator) => {
      const target = app.target({ topic: 'idle-*', config: {} });
      // The code and the caches of the first sockets are no memory of each socket.
      await generator.open(target, 100);
      await rest();
      const before = resident();
      await generator.open(app.target({ topic: 'further-*', config: {} }), SOCKETS);
      await rest();
      const spent = app.node.processorTime('node');
      await new Promise((resolve) => setTimeout(resolve, MEASURED_MILLISECONDS));
      share.push((app.node.processorTime('node') - spent) / MEASURED_MILLISECONDS);
      each.push((resident() - before) / SOCKETS);
      await generator.close();
    });
    await rest();
  }
  // The later rounds use memory that the first has left free.
  table(
    [`${number(SOCKETS)} idle sockets, each with one channel`, 'Measured'],
    [
      ['resident memory of a socket, first round', `${((each[0] as number) / 1024).toFixed(1)} KiB`],
      ['processor time of the workers', `${(median(share) * 100).toFixed(1)} % of a core`],
    ],
  );
}
