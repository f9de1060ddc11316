import type { SessionRow } from '../../../../contract/admin.ts';

/**
 * Returns the sessions that match a search. Each word of the search must occur in the address, the client, the location
 * or an id of the session.
 */
export function searchSessions(sessions: readonly SessionRow[], search: string): readonly SessionRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return sessions;
  return sessions.filter((session) => {
    const text = [session.email, session.user_id, session.id, session.ip, session.device].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
