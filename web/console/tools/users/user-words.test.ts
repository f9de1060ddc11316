import type { User } from '@supabase/supabase-js';
import { describe, expect, it } from 'vitest';
import { banOf, nameOf, providersOf, verdictOf } from './user-words.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const ada: User = {
  id: '6f1c',
  aud: 'authenticated',
  email: 'ada@example.com',
  created_at: '2026-11-01T12:00:00Z',
  email_confirmed_at: '2026-11-01T12:00:00Z',
  last_sign_in_at: '2026-11-18T12:00:00Z',
  app_metadata: { provider: 'email', providers: ['email'] },
  user_metadata: {},
};

it('nameOf names a user by the address, the phone number or the id', () => {
  expect(nameOf(ada)).toBe('ada@example.com');
  expect(nameOf({ id: '6f1c', email: '', phone: '4915112345678' })).toBe('+4915112345678');
  expect(nameOf({ id: '6f1c', email: '', phone: '' })).toBe('6f1c');
});

describe('banOf', () => {
  it('distinguishes an expired ban from an active ban', () => {
    expect(banOf({}, now)).toBeNull();
    expect(banOf({ banned_until: '2026-11-20T11:59:59Z' }, now)).toBeNull();
    expect(banOf({ banned_until: '2026-11-20T12:00:01Z' }, now)).toMatchObject({ forGood: false });
  });

  it('reads the maximum time that the server writes as a permanent ban', () => {
    expect(banOf({ banned_until: '9999-12-31T23:59:59Z' }, now)?.forGood).toBe(true);
    expect(banOf({ banned_until: new Date(now + 876_000 * 3_600_000).toISOString() }, now)?.forGood).toBe(true);
  });
});

it('providersOf lists each provider once, even if the metadata is invalid', () => {
  const identity = { id: '1', identity_id: '1', user_id: '6f1c', provider: 'google' };
  expect(providersOf({ ...ada, identities: [identity] })).toEqual(['google', 'email']);
  const odd = (providers: unknown) => ({ app_metadata: { providers } }) as Pick<User, 'app_metadata'>;
  expect(providersOf(odd('email'))).toEqual([]);
  expect(providersOf(odd([7, 'email']))).toEqual(['email']);
});

describe('verdictOf', () => {
  it.each([
    [{}, 'Signs in by email, last 2 days ago.'],
    [{ banned_until: '9999-12-31T23:59:59Z' }, 'Banned for good.'],
    [{ email_confirmed_at: undefined }, 'Cannot sign in before the address is confirmed.'],
    [{ is_anonymous: true }, 'A visitor without an address.'],
    [{ last_sign_in_at: undefined }, 'Signs in by email, and has not done so yet.'],
  ])('describes %j as: %s', (change, words) => {
    expect(verdictOf({ ...ada, ...change } as User, now)).toBe(words);
  });
});
