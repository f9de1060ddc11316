import { queryOptions } from '@tanstack/react-query';
import type { SignInCounts } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';

/** Reads the number of sign-ins to an app by method. */
export const signInCounts = (ref: string) =>
  queryOptions({
    queryKey: ['sign-in-counts', ref],
    queryFn: ({ signal }) => api<SignInCounts>(`/apps/${segment(ref)}/sign-ins`, { signal }),
  });
