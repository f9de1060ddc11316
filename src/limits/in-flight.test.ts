import { expect, it } from 'vitest';
import { InFlight } from './in-flight.ts';

it('InFlight refuses work beyond the limit of a subject, and accepts more work of this subject after some of it has ended', () => {
  const inFlight = new InFlight();
  const ends = [inFlight.begin('a', { ofSubject: 2 }), inFlight.begin('a', { ofSubject: 2 })];
  expect(inFlight.begin('a', { ofSubject: 2 })).toBeNull();
  expect(inFlight.begin('b', { ofSubject: 2 })).not.toBeNull();
  ends[0]?.();
  expect(inFlight.begin('a', { ofSubject: 2 })).not.toBeNull();
  expect(inFlight.begin('a', { ofSubject: 2 })).toBeNull();
});

it('InFlight refuses work beyond the limit of all subjects together', () => {
  const inFlight = new InFlight();
  const bounds = { ofSubject: 2, ofAll: 3 };
  const end = inFlight.begin('a', bounds);
  inFlight.begin('a', bounds);
  inFlight.begin('b', bounds);
  expect(inFlight.begin('c', bounds)).toBeNull();
  end?.();
  expect(inFlight.begin('c', bounds)).not.toBeNull();
});
