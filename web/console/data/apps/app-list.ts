import { queryOptions } from '@tanstack/react-query';
import type { AppSummary } from '../../../../contract/admin.ts';
import { api } from '../api.ts';
import { appKeys } from './keys.ts';

/** The sizes of the apps' databases by ref: PostgreSQL takes its time for many, so nothing waits for them. */
export const appSizes = () =>
  queryOptions({
    queryKey: appKeys.sizes(),
    queryFn: async ({ signal }) => {
      const apps = await api<AppSummary[]>('/apps?sizes=true', { signal });
      return new Map(apps.map(({ ref, size_bytes = 0 }) => [ref, size_bytes]));
    },
    staleTime: 60_000,
  });

/** Every app of the node that the builder may see; renewed while one of them is not served, which may end at any time. */
export const appList = () =>
  queryOptions({
    queryKey: appKeys.list(),
    queryFn: ({ signal }) => api<AppSummary[]>('/apps', { signal }),
    refetchInterval: ({ state }) => (state.data?.some(({ outdated }) => outdated) ? 5_000 : false),
  });
