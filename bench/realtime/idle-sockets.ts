import { number, table } from '../figures.ts';
import { withGenerator } from './generator.ts';
import type { RealtimeApp } from './realtime-bench-app.ts';

const FIRST_SOCKETS = 100;
const SOCKETS = 5000;
/** Time in which the workers come to rest. */
const REST_MILLISECONDS = 3000;
const MEASURED_MILLISECONDS = 5000;

/** Measures the memory and the processor time of sockets that have joined a topic of their own and are idle. */
export async function measureIdleSockets(app: RealtimeApp): Promise<void> {
  const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, REST_MILLISECONDS));
  const resident = (): number => [...app.node.residentMemory('node').values()].reduce((sum, each) => sum + each, 0);
  await withGenerator(async (generator) => {
    // The code and the caches of the first sockets are no memory of each socket.
    await generator.open(app.target({ topic: 'first-*', config: {} }), FIRST_SOCKETS);
    await rest();
    const before = resident();
    const opening = performance.now();
    await generator.open(app.target({ topic: 'idle-*', config: {} }), SOCKETS);
    const opened = performance.now() - opening;
    await rest();
    const spent = app.node.processorTime('node');
    await new Promise((resolve) => setTimeout(resolve, MEASURED_MILLISECONDS));
    const share = (app.node.processorTime('node') - spent) / MEASURED_MILLISECONDS;
    const each = (resident() - before) / SOCKETS;
    table(
      [`${number(SOCKETS)} idle sockets, each with a channel of its own`, 'Measured'],
      [
        ['resident memory of a socket', `${(each / 1024).toFixed(1)} KiB`],
        ['processor time of the node while they are idle', `${(share * 100).toFixed(1)} % of a core`],
        ['sockets that were opened and joined a second', number((SOCKETS * 1000) / opened)],
      ],
    );
  });
}
