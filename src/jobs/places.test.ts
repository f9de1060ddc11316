import { describe, expect, it } from 'vitest';
import { Places } from './places.ts';

/** Takes slots for an owner, one after the other, until the owner gets no more. Returns their number. */
function fill(places: Places, owner: string): number {
  let taken = 0;
  for (; places.openTo(owner) > 0; taken++) places.take(owner);
  return taken;
}

describe('Places', () => {
  it.each([32, 64])('leaves some of %i slots to other owners if one owner always has work', (total) => {
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

  it('grants as many slots at once as one by one', () => {
    const places = new Places(32);
    const atOnce = places.openTo('a');
    places.take('a', atOnce);
    expect(fill(places, 'a')).toBe(0);
    places.give('a', atOnce);
    expect(fill(places, 'a')).toBe(atOnce);
  });
});
