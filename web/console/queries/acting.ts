import { queryOptions } from '@tanstack/react-query';
import type { ActingToken } from '../../../contract/admin.ts';
import { api, segment } from './api.ts';
import { ApiFailure } from './api-failure.ts';
import { queryClient } from './query-client.ts';
import type { RequestRole } from './rows/row.ts';

/**
 * Requests a token with which the builder acts as a member. The token is not renewed by itself: only the builder's
 * choice to continue requests another one.
 */
export const acting = (ref: string, userId: string) =>
  queryOptions({
    queryKey: ['acting', ref, userId],
    queryFn: () => api<ActingToken>(`/apps/${segment(ref)}/members/${segment(userId)}/act`, { method: 'POST' }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/**
 * Returns the header that makes the server run a request as `requestRole`. For the service key, returns no header.
 * @throws {ApiFailure} `acting_ended` after the token has expired
 */
export async function requestRoleHeader(
  ref: string,
  requestRole: RequestRole,
): Promise<Readonly<Record<string, string>>> {
  if (requestRole === 'service') return {};
  if (requestRole === 'anon') return { 'x-ninefold-as': requestRole };
  const { token, expires_at: end } = await queryClient.ensureQueryData(acting(ref, requestRole));
  if (Date.parse(end) <= Date.now()) {
    throw new ApiFailure('You no longer act as this member.', { code: 'acting_ended', status: 403 });
  }
  return { 'x-ninefold-as': token };
}
