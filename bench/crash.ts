import { table } from './figures.ts';
import { admin, removeHome, startNode } from './node.ts';

/** Number of apps on the node. A smaller number takes less time to create. */
const APPS = Number(process.env.BENCH_APPS ?? 1000);
const AT_ONCE = 2;

/**
 * Measures how long a node with many apps needs until it responds after a power failure. The bench only approximates a
 * power failure: it kills all processes, once directly after the apps were created, while most of their data is only in
 * the write-ahead log, and once when the node is idle. Needs a disk, not a file system in memory.
 */
export async function measureCrash(): Promise<void> {
  const first = await startNode();
  const { home } = first;
  const refs = Array.from({ length: APPS }, (_, i) => `app-${i}`);
  const left = [...refs];
  const make = async () => {
    for (let ref = left.shift(); ref; ref = left.shift()) await admin(first, 'POST', '/apps', { ref });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, make));
  await first.kill();
  const busy = await startNode({ home });
  const firstCall = await timed(() => fetch(`${busy.url}/apps/${refs[0]}/rest/v1/`));
  const stopAfterCalls = await timed(() => busy.stop());
  const rested = await startNode({ home });
  for (const ref of refs.slice(0, 20)) {
    await admin(rested, 'POST', `/apps/${ref}/sql`, {
      sql: 'create table if not exists notes as select generate_series(1, 1000) as n',
    });
  }
  await rested.kill();
  const again = await startNode({ home });
  await again.stop();
  removeHome(home);
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  table(
    [`With ${APPS} apps`, 'Measured'],
    [
      ['Killed while apps were made: from the start to the first answer', ms(busy.startMilliseconds)],
      ['… and the first call to an app after it', ms(firstCall)],
      ['A clean stop', ms(stopAfterCalls)],
      ['A start after it', ms(rested.startMilliseconds)],
      ['Killed at rest, after writes to 20 apps: from the start to the first answer', ms(again.startMilliseconds)],
    ],
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
