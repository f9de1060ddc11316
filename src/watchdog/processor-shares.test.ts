import { expect, it } from 'vitest';
import { ProcessorShares } from './processor-shares.ts';
import type { Session } from './sessions.ts';

const session = (pid: number, app: string): Session => ({
  pid,
  leader: pid,
  app,
  database: app,
  isOwner: false,
  state: 'active',
  hasWritten: false,
  waitsForClient: false,
  statementMilliseconds: 0,
  transactionMilliseconds: 0,
  stateMilliseconds: 0,
});

/** Processes of which number 1 uses all of a processor until it stops, and number 2 next to nothing. */
function processors() {
  let now = 0;
  let busyMilliseconds = 0;
  const low = new Set<number>();
  const shares = new ProcessorShares(
    {
      memoryBytes: () => 0,
      processorMilliseconds: (pid) => (pid === 1 ? busyMilliseconds : now / 100),
      setLowPriority: (pid, isLow) => (isLow ? low.add(pid) : low.delete(pid)),
    },
    0.5,
  );
  const run = (milliseconds: number, isBusy: boolean) => {
    for (const end = now + milliseconds; now < end; ) {
      now += 100;
      if (isBusy) busyMilliseconds += 100;
      shares.update([session(1, 'a'), session(2, 'b')], now);
    }
  };
  return { shares, low, run };
}

it('lowers the priority of an app that uses more than its share, and restores it afterwards', () => {
  const { low, run } = processors();
  run(300, true);
  expect([...low]).toEqual([]);
  run(3000, true);
  expect([...low]).toEqual([1]);
  run(3000, false);
  expect([...low]).toEqual([]);
});

it('restores the priority of a process that is to end, and leaves it so', () => {
  const { shares, low, run } = processors();
  run(3000, true);
  shares.hasten([1]);
  run(1000, true);
  expect([...low]).toEqual([]);
});
