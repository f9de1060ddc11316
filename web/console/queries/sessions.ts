import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { SessionRow } from '../../../contract/admin.ts';
import { api, segment } from './api.ts';
import { ApiFailure } from './api-failure.ts';
import { queryClient } from './query-client.ts';

export const sessionListKeys = {
  all: (ref: string) => ['sessions', ref] as const,
  list: (ref: string, userId: string | null) => ['sessions', ref, 'list', userId] as const,
};

/** Ends a session of a user. Also succeeds if the session has already ended. */
export const revokeSession = (ref: string) =>
  mutationOptions({
    mutationFn: async (id: string): Promise<void> => {
      try {
        await api<null>(`/apps/${segment(ref)}/sessions/${segment(id)}`, { method: 'DELETE' });
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.code !== 'not_found') throw error;
      }
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionListKeys.all(ref) }),
  });

/** Ends every session of a user, or of the app if `userId` is null. Returns the number of ended sessions. */
export const revokeSessions = (ref: string, userId: string | null) =>
  mutationOptions({
    mutationFn: () => api<{ revoked: number }>(`/apps/${segment(ref)}/sessions${whose(userId)}`, { method: 'DELETE' }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionListKeys.all(ref) }),
  });

/** Returns the query parameter for the sessions of one user, or of all users for null. */
const whose = (userId: string | null): string =>
  userId === null ? '' : `?${new URLSearchParams({ user_id: userId })}`;

/**
 * Reads the sessions of an app or of one of its users: newest first, and at most `sessionsPerPage`. The query is
 * refreshed while it is visible.
 */
export const sessionList = (ref: string, userId: string | null = null) =>
  queryOptions({
    queryKey: sessionListKeys.list(ref, userId),
    queryFn: ({ signal }) => api<SessionRow[]>(`/apps/${segment(ref)}/sessions${whose(userId)}`, { signal }),
    refetchInterval: 4_000,
  });
