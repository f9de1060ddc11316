import { queryOptions } from '@tanstack/react-query';
import type { AppSummary } from '../../../../contract/admin.ts';
import { api } from '../api.ts';
import { appKeys } from './keys.ts';

/** Every app of the node that the builder may see; renewed while one of them is not served, which may end at any time. */
export const appList = () =>
  queryOptions({
    queryKey: appKeys.list(),
    queryFn: ({ signal }) => api<AppSummary[]>('/apps', { signal }),
    refetchInterval: ({ state }) => (state.data?.some(({ outdated }) => outdated) ? 5_000 : false),
  });
