import { queryOptions } from '@tanstack/react-query';
import type { ListedCall } from '../../../../contract/observed.ts';
import { api, segment } from '../api.ts';
import { refetchEvery } from '../query-client.ts';
import { callKeys } from './keys.ts';

/** How many calls that failed are asked for at once. */
const recentErrorsAtOnce = 50;

/** The last calls that failed, the newest first; with one code, or with any. Renewed while in sight. */
export const recentErrors = (ref: string, code: string | null) =>
  queryOptions({
    queryKey: callKeys.errors(ref, code),
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ limit: String(recentErrorsAtOnce), ...(code !== null && { code }) });
      return api<ListedCall[]>(`/apps/${segment(ref)}/errors?${query}`, { signal });
    },
    refetchInterval: refetchEvery(10_000),
  });
