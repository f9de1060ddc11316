import { queryOptions } from '@tanstack/react-query';
import type { ListedCall } from '../../../../contract/observed.ts';
import { api, segment } from '../api.ts';
import { refetchEvery } from '../query-client.ts';
import { callKeys } from './keys.ts';

/** Number of failed requests that one query returns. */
const recentErrorsAtOnce = 50;

/** Reads the last failed requests, newest first, with one code or with any code. Refreshed while visible. */
export const recentErrors = (ref: string, code: string | null) =>
  queryOptions({
    queryKey: callKeys.errors(ref, code),
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ limit: String(recentErrorsAtOnce), ...(code !== null && { code }) });
      return api<ListedCall[]>(`/apps/${segment(ref)}/errors?${query}`, { signal });
    },
    refetchInterval: refetchEvery(10_000),
  });
