import { expect, it } from 'vitest';
import { watchedSession } from '../../test/support/watched-session.ts';
import { ProcessorShares } from './processor-shares.ts';

/** Returns simulated processes, each of its own app, with the processor share that each uses. */
function processors() {
  let now = 0;
  const used = new Map<number, number>();
  const low = new Set<number>();
  const shares = new ProcessorShares(
    {
      memoryBytes: () => 0,
      segmentBytes: () => 0,
      processorTimes: () => ({ userMilliseconds: 0, systemMilliseconds: 0 }),
      interruptLoop: () => undefined,
      processorMilliseconds: (pid) => used.get(pid) ?? 0,
      setLowPriority: (pid, isLow) => (isLow ? low.add(pid) : low.delete(pid)),
    },
    0.5,
  );
  const run = (milliseconds: number, uses: Readonly<Record<number, number>>) => {
    for (const end = now + milliseconds; now < end; ) {
      now += 100;
      for (const [pid, use] of Object.entries(uses)) used.set(Number(pid), (used.get(Number(pid)) ?? 0) + use * 100);
      const sessions = Object.keys(uses).map((pid) =>
        watchedSession(Number(pid), { app: `app ${pid}`, database: pid }),
      );
      shares.update(sessions, now);
    }
  };
  return { shares, low, run };
}

it('ProcessorShares lowers the priority of an app that uses more than its share while another app works, and restores it afterwards', () => {
  const { low, run } = processors();
  run(300, { 1: 1, 2: 0.05 });
  expect([...low]).toEqual([]);
  run(3000, { 1: 1, 2: 0.05 });
  expect([...low]).toEqual([1]);
  run(3000, { 1: 0, 2: 0.05 });
  expect([...low]).toEqual([]);
});

it('ProcessorShares keeps the priority of an app that works alone, and restores a lowered priority when the other apps become idle', () => {
  const { low, run } = processors();
  run(3000, { 1: 1.5, 2: 0.001 });
  expect([...low]).toEqual([]);
  run(3000, { 1: 1.5, 2: 0.1 });
  expect([...low]).toEqual([1]);
  run(6000, { 1: 1.5, 2: 0 });
  expect([...low]).toEqual([]);
});

it('ProcessorShares lowers the priority of apps that use more than the other apps, and of no app if all use the same', () => {
  const { low, run } = processors();
  run(3000, { 1: 0.7, 2: 0.7 });
  expect([...low]).toEqual([]);
  run(3000, { 1: 0.9, 2: 0.9, 3: 0.1 });
  expect([...low].sort()).toEqual([1, 2]);
});

it('ProcessorShares restores the priority of a process that is about to be ended, and does not lower it again', () => {
  const { shares, low, run } = processors();
  run(3000, { 1: 1, 2: 0.05 });
  shares.hasten([1]);
  run(1000, { 1: 1, 2: 0.05 });
  expect([...low]).toEqual([]);
});
