import { expect, it } from 'vitest';
import { hasJustSignedIn, readDestination } from './destination.ts';

it('hasJustSignedIn returns false if the sign-in is at least two minutes ago', () => {
  const now = Date.parse('2026-11-24T12:00:00Z');
  const signedIn = (secondsAgo: number) => hasJustSignedIn(new Date(now - secondsAgo * 1000).toISOString(), now);
  expect([signedIn(0), signedIn(119), signedIn(120), signedIn(-300)]).toEqual([true, true, false, false]);
  expect([hasJustSignedIn(undefined, now), hasJustSignedIn('never', now)]).toEqual([false, false]);
});

it('readDestination names the host of the destination', () => {
  expect(readDestination('?redirect_to=https%3A%2F%2Fshop.example%3A8443%2Fwelcome&code_challenge=abc')).toEqual({
    redirect_to: 'https://shop.example:8443/welcome',
    code_challenge: 'abc',
    code_challenge_method: null,
    place: 'shop.example:8443',
  });
  expect(readDestination('').place).toBe('');
});
