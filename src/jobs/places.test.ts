import { describe, expect, it } from 'vitest';
import { Places } from './places.ts';

/** Takes one place after another for an owner, as an app does that always has work. Returns how many were given. */
function fill(places: Places, owner: string): number {
  let taken = 0;
  for (; places.openTo(owner) > 0; taken++) places.take(owner);
  return taken;
}

describe('Places', () => {
  it.each([32, 64])('leaves places to others if one owner always has work, of %i', (total) => {
    const places = new Places(total);
    const first = fill(places, 'a');
    expect(first).toBeGreaterThan(total / 2);
    expect(places.free).toBeGreaterThan(total / 4);
    const second = fill(places, 'b');
    expect(second).toBeGreaterThan(total / 8);
    expect(fill(places, 'c')).toBeGreaterThan(0);
    expect(places.openTo('a')).toBe(0);
    places.give('a', first);
    expect(places.openTo('b')).toBeGreaterThan(0);
  });

  it('gives no more places at once than one after another', () => {
    const places = new Places(32);
    const atOnce = places.openTo('a');
    places.take('a', atOnce);
    expect(fill(places, 'a')).toBe(0);
    places.give('a', atOnce);
    expect(fill(places, 'a')).toBe(atOnce);
  });
});
