import { expect, it } from 'vitest';
import type { SessionRow } from '../../../../contract/admin.ts';
import { searchSessions } from './search-sessions.ts';

const session = (id: string, email: string | null, ip: string | null, agent: string | null): SessionRow => ({
  id,
  user_id: `user-of-${id}`,
  email,
  created_at: '2026-11-20T12:00:00Z',
  refreshed_at: null,
  ends_at: null,
  ip,
  user_agent: agent,
  device: agent ?? 'unknown client',
  aal: 'aal1',
  amr: [],
});
const sessions = [
  session('a', 'ada@example.com', '10.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko Firefox/145.0'),
  session('b', 'ada@example.com', '10.0.0.2', 'curl/8.14.1'),
  session('c', null, null, null),
];
const found = (search: string) => searchSessions(sessions, search).map(({ id }) => id);

it('searchSessions finds sessions by member, location and client, if all words match', () => {
  expect(found('')).toEqual(['a', 'b', 'c']);
  expect(found('ADA')).toEqual(['a', 'b']);
  expect(found('ada firefox')).toEqual(['a']);
  expect(found('10.0.0.2')).toEqual(['b']);
  expect(found('user-of-c')).toEqual(['c']);
  expect(found('ada 10.0.0.9')).toEqual([]);
});
