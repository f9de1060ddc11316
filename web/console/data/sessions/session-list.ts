import { queryOptions } from '@tanstack/react-query';
import type { SessionRow } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { sessionListKeys } from './keys.ts';

/** Returns the query parameter for the sessions of one user, or of all users for null. */
export const whose = (userId: string | null): string =>
  userId === null ? '' : `?${new URLSearchParams({ user_id: userId })}`;

/**
 * Reads the sessions of an app or of one of its users, newest first, at most `sessionsPerPage`. Refreshed while
 * visible.
 */
export const sessionList = (ref: string, userId: string | null = null) =>
  queryOptions({
    queryKey: sessionListKeys.list(ref, userId),
    queryFn: ({ signal }) => api<SessionRow[]>(`/apps/${segment(ref)}/sessions${whose(userId)}`, { signal }),
    refetchInterval: 4_000,
  });
