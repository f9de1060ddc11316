import { queryOptions } from '@tanstack/react-query';
import type { SignedInBuilder } from '../../../../contract/admin.ts';
import { api } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { sessionKeys } from './keys.ts';

/** The builder who is signed in; null without a session. */
export const builder = () =>
  queryOptions({
    queryKey: sessionKeys.builder(),
    queryFn: ({ signal }) => api<SignedInBuilder | null>('/session', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Returns who is signed in; asks the server again if nobody was, because another tab may have signed in. */
export const signedInBuilder = async (): Promise<SignedInBuilder | null> =>
  queryClient.getQueryData(builder().queryKey) ?? queryClient.fetchQuery({ ...builder(), staleTime: 0 });
