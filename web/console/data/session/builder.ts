import { queryOptions } from '@tanstack/react-query';
import type { SignedInBuilder } from '../../../../contract/admin.ts';
import { api } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { sessionKeys } from './keys.ts';

/** Reads the builder who is signed in; null without a session. */
export const builder = () =>
  queryOptions({
    queryKey: sessionKeys.builder(),
    queryFn: ({ signal }) => api<SignedInBuilder | null>('/session', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Returns the builder who is signed in. Asks the server again if no builder was signed in, because another tab may have
 * signed in.
 */
export const signedInBuilder = async (): Promise<SignedInBuilder | null> =>
  queryClient.getQueryData(builder().queryKey) ?? queryClient.fetchQuery({ ...builder(), staleTime: 0 });
