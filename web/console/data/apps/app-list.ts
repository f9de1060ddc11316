import { queryOptions } from '@tanstack/react-query';
import type { AppSummary } from '../../../../contract/admin.ts';
import { api } from '../api.ts';
import { appKeys } from './keys.ts';

/**
 * Reads the sizes of the apps' databases by ref. PostgreSQL needs long for many databases, so no page waits for this
 * query.
 */
export const appSizes = () =>
  queryOptions({
    queryKey: appKeys.sizes(),
    queryFn: async ({ signal }) => {
      const apps = await api<AppSummary[]>('/apps?sizes=true', { signal });
      return new Map(apps.map(({ ref, size_bytes = 0 }) => [ref, size_bytes]));
    },
    staleTime: 60_000,
  });

/**
 * Reads every app of the node that the builder may see. Refreshed while an app is not served, because that may end at
 * any time.
 */
export const appList = () =>
  queryOptions({
    queryKey: appKeys.list(),
    queryFn: ({ signal }) => api<AppSummary[]>('/apps', { signal }),
    refetchInterval: ({ state }) => (state.data?.some(({ outdated }) => outdated) ? 5_000 : false),
  });
