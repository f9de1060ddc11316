import { queryOptions } from '@tanstack/react-query';
import type { ActingToken } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { ApiFailure } from '../api-failure.ts';
import { queryClient } from '../query-client.ts';
import type { Seat } from '../rows/row.ts';

/** The token with which the builder acts as a member. It is asked for once; another one only if the builder wants to go on. */
export const acting = (ref: string, userId: string) =>
  queryOptions({
    queryKey: ['acting', ref, userId],
    queryFn: () => api<ActingToken>(`/apps/${segment(ref)}/members/${segment(userId)}/act`, { method: 'POST' }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/**
 * Returns the header that makes a call as `seat`; none for the service key.
 *
 * @throws {ApiFailure} `acting_ended` once the token has expired
 */
export async function seatHeader(ref: string, seat: Seat): Promise<Readonly<Record<string, string>>> {
  if (seat === 'service') return {};
  if (seat === 'anon') return { 'x-ninefold-as': seat };
  const { token, expires_at: end } = await queryClient.ensureQueryData(acting(ref, seat));
  if (Date.parse(end) <= Date.now()) {
    throw new ApiFailure('You no longer act as this member.', { code: 'acting_ended', status: 403 });
  }
  return { 'x-ninefold-as': token };
}
