import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

describe('Turns', () => {
  it('runs at most two works at once and the others in their order', async () => {
    const turns = new Turns(2);
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const works = [0, 1, 2, 3].map((i) =>
      turns.run(() => {
        started.push(i);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    expect(started).toEqual([0, 1]);
    ends[1]?.();
    await works[1];
    expect(started).toEqual([0, 1, 2]);
    ends[0]?.();
    await works[0];
    expect(started).toEqual([0, 1, 2, 3]);
    ends[2]?.();
    ends[3]?.();
    await Promise.all(works);
  });

  it('gives the turn of a work that fails to the next one', async () => {
    const turns = new Turns(1);
    const failed = turns.run(() => Promise.reject(new Error('no')));
    const next = turns.run(() => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('no');
    await expect(next).resolves.toBe('done');
  });
});
