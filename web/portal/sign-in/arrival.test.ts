import { beforeAll, expect, it } from 'vitest';
import { en } from '../../language/en.ts';
import { setLanguage } from '../../language/messages.ts';
import { readArrival } from './arrival.ts';

beforeAll(() => setLanguage('en', en));

const token = `e30.${Buffer.from(JSON.stringify({ email: 'zoë@example.com' })).toString('base64url')}.x`;

it.each([
  [
    `#access_token=${token}&refresh_token=r&type=recovery`,
    '',
    { kind: 'session', access_token: token, refresh_token: 'r', type: 'recovery', email: 'zoë@example.com' },
  ],
  ['#access_token=broken&refresh_token=r', '', expect.objectContaining({ kind: 'session', email: null })],
  ['#access_token=x', '', expect.objectContaining({ kind: 'error' })],
  ['', '?next=/account&code=c', { kind: 'code', code: 'c' }],
  [
    '#error=access_denied&error_description=Email+link+is+invalid',
    '',
    { kind: 'error', words: 'Email link is invalid.' },
  ],
  ['#message=Confirm+link+accepted', '', { kind: 'error', words: 'Confirm link accepted' }],
  ['', '', expect.objectContaining({ kind: 'error' })],
])('readArrival reads the arrival from the fragment %j and the query %j', (hash, search, arrival) =>
  expect(readArrival(hash, search)).toEqual(arrival),
);
