import { queryOptions } from '@tanstack/react-query';
import type { SessionRow } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { sessionListKeys } from './keys.ts';

/** Of one user, or of everybody. */
export const whose = (userId: string | null): string =>
  userId === null ? '' : `?${new URLSearchParams({ user_id: userId })}`;

/** The sessions of an app or of one of its users, newest first, limit `sessionsPerPage`; renewed while in sight. */
export const sessionList = (ref: string, userId: string | null = null) =>
  queryOptions({
    queryKey: sessionListKeys.list(ref, userId),
    queryFn: ({ signal }) => api<SessionRow[]>(`/apps/${segment(ref)}/sessions${whose(userId)}`, { signal }),
    refetchInterval: 4_000,
  });
