import { beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { watchedSession } from '../../test/support/watched-session.ts';
import { EndlessLoops } from './endless-loops.ts';
import type { Processes } from './processes.ts';

const LONG = limits.sessionLoopSeconds.default * 1000 + 1;

let times = { userMilliseconds: 0, systemMilliseconds: 0 };
const processes = { processorTimes: () => ({ ...times }) } as unknown as Processes;
const started = (pid: number) => ({ pid, start: 'monday' });
const computing = watchedSession(1, { isComputing: true });

const compute = (userMilliseconds: number, systemMilliseconds = 0): void => {
  times = {
    userMilliseconds: times.userMilliseconds + userMilliseconds,
    systemMilliseconds: times.systemMilliseconds + systemMilliseconds,
  };
};

describe('EndlessLoops', () => {
  let loops: EndlessLoops;
  beforeEach(() => {
    loops = new EndlessLoops(processes);
    loops.watch(started(1));
  });

  it('finds a process that goes on computing after PostgreSQL ended it, and measures the process again after each interruption', () => {
    compute(LONG - 2);
    expect(loops.find([computing], started)).toEqual([]);
    compute(2);
    expect(loops.find([computing], started)).toEqual([computing]);
    compute(2);
    expect(loops.find([computing], started)).toEqual([]);
    loops.watch(started(1));
    compute(LONG);
    expect(loops.find([computing], started)).toEqual([computing]);
  });

  it('spares processes that wait, that work in the kernel, or that were not ended', () => {
    compute(LONG);
    expect(loops.find([watchedSession(1)], started)).toEqual([]);
    compute(LONG, LONG / 10);
    expect(loops.find([computing], started)).toEqual([]);
    compute(LONG);
    const other = watchedSession(2, { isComputing: true });
    expect(loops.find([computing, other], started)).toEqual([computing]);
  });

  it('finds a parallel worker of an ended session that waits for the worker', () => {
    const worker = watchedSession(3, { leader: 1, isComputing: true });
    expect(loops.find([watchedSession(1), worker], started)).toEqual([]);
    compute(LONG);
    expect(loops.find([watchedSession(1), worker], started)).toEqual([worker]);
  });

  it('spares a later process with the same id', () => {
    compute(LONG);
    expect(loops.find([computing], (pid) => ({ pid, start: 'tuesday' }))).toEqual([]);
    expect(loops.find([computing], started)).toEqual([]);
  });
});
