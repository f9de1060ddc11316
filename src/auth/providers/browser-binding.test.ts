import { describe, expect, it } from 'vitest';
import { withSignInCookies } from './browser-binding.ts';

describe('withSignInCookies', () => {
  it('passes on the cookies of sign-ins and no other cookie of the node', () => {
    const [one, two] = ['nf-sign-in-a', '__Host-nf-sign-in-b'].map((name) => `${name}${'0'.repeat(63)}=x_-9`);
    const cookie = `ninefold-session=secret; ${one};nf-link-x=1; ${two}; x-nf-sign-in-${'c'.repeat(64)}=`;
    expect(withSignInCookies({ accept: '*/*', cookie })).toEqual({ accept: '*/*', cookie: `${one}; ${two}` });
    expect(withSignInCookies({ accept: '*/*', cookie: 'ninefold-session=secret' })).toEqual({ accept: '*/*' });
  });
});
