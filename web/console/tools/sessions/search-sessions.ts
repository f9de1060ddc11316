import type { SessionRow } from '../../../../contract/admin.ts';

/** The sessions that have every word somewhere: in the address, the client, where it is, an id. */
export function searchSessions(sessions: readonly SessionRow[], search: string): readonly SessionRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return sessions;
  return sessions.filter((session) => {
    const text = [session.email, session.user_id, session.id, session.ip, session.device].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
