import { describe, expect, it, vi } from 'vitest';
import { FairPlaces } from './fair-places.ts';

const bounds = { perApp: 1, waitingPerApp: 3, waitMilliseconds: 60_000, tooMany: () => new Error('too many') };

/** A work that never ends is refused after a minute, when the tests of this file are over. */
const ignore = () => undefined;

/** Returns work that ends when `end` is called, and the order in which works started. */
function works() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    started.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { started, work, end };
}

describe('FairPlaces', () => {
  it('leaves a place to another app while one app has many works', async () => {
    const places = new FairPlaces(['a', 'b'], bounds);
    const { started, work, end } = works();
    const first = places.run('flood', work('flood 1'));
    const second = places.run('flood', work('flood 2'));
    const other = places.run('other', work('other'));
    await new Promise(setImmediate);
    expect(started).toEqual(['flood 1', 'other']);
    await end('other');
    expect(started).toEqual(['flood 1', 'other']);
    await end('flood 1');
    expect(started).toEqual(['flood 1', 'other', 'flood 2']);
    await end('flood 2');
    expect(await Promise.all([first, second, other])).toEqual(['flood 1', 'flood 2', 'other']);
  });

  it('lets apps take turns when all places are used', async () => {
    const places = new FairPlaces(['only'], bounds);
    const { started, work, end } = works();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) places.run(name[0] ?? '', work(name)).catch(ignore);
    await new Promise(setImmediate);
    for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) await end(name);
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('gives each work a place that no other work uses, and returns the place of a failed one', async () => {
    const places = new FairPlaces(['a', 'b'], bounds);
    const used = new Set<string>();
    const work = async (place: string) => {
      expect(used.has(place)).toBe(false);
      used.add(place);
      await new Promise(setImmediate);
      used.delete(place);
      throw new Error('failed');
    };
    const all = await Promise.allSettled(['x', 'y', 'z', 'x', 'y'].map((app) => places.run(app, work)));
    expect(all.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    await expect(places.run('x', async () => 'done')).resolves.toBe('done');
  });

  it('refuses a work if as many works of the app wait as the bound allows', async () => {
    const places = new FairPlaces(['a'], bounds);
    const { work, end } = works();
    for (const name of ['1', '2', '3', '4']) places.run('app', work(name)).catch(ignore);
    await new Promise(setImmediate);
    await expect(places.run('app', work('5'))).rejects.toThrow('too many');
    places.run('other', work('6')).catch(ignore);
    await end('1');
    await end('6');
    places.run('app', work('7')).catch(ignore);
    await expect(places.run('app', work('8'))).rejects.toThrow('too many');
  });

  it('refuses a work that waits too long, and does not start it later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const places = new FairPlaces(['a'], { ...bounds, waitMilliseconds: 100 });
      const { started, work, end } = works();
      places.run('app', work('1')).catch(ignore);
      const late = expect(places.run('app', work('2'))).rejects.toThrow('too many');
      await vi.advanceTimersByTimeAsync(101);
      await late;
      await end('1');
      expect(started).toEqual(['1']);
    } finally {
      vi.useRealTimers();
    }
  });
});
