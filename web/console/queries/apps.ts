import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type {
  Activity,
  AppConnection,
  AppSummary,
  CloneAppRequest,
  CreateAppRequest,
  DeleteAppRequest,
  RenameAppRequest,
} from '../../../contract/admin.ts';
import { api, segment } from './api.ts';
import { queryClient, refetchEvery } from './query-client.ts';

export const appKeys = {
  list: () => ['apps'] as const,
  sizes: () => ['apps', '', 'sizes'] as const,
  connection: (ref: string) => ['apps', ref, 'connection'] as const,
  activity: (ref: string) => ['apps', ref, 'activity'] as const,
};

/** Reads the requests of the last day, the members, the sessions and the health of an app. The query is refreshed while it is visible. */
export const activity = (ref: string) =>
  queryOptions({
    queryKey: appKeys.activity(ref),
    queryFn: ({ signal }) => api<Activity>(`/apps/${segment(ref)}/activity`, { signal }),
    refetchInterval: refetchEvery(10_000),
  });

/** Reads the sizes of the apps' databases by ref. PostgreSQL needs a long time for many databases, so no page waits for this query. */
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
 * Reads every app of the node that the builder may see. The query is refreshed while one of the apps is not served,
 * because the server may start to serve it at any time.
 */
export const appList = () =>
  queryOptions({
    queryKey: appKeys.list(),
    queryFn: ({ signal }) => api<AppSummary[]>('/apps', { signal }),
    refetchInterval: ({ state }) => (state.data?.some(({ outdated }) => outdated) ? 5_000 : false),
  });

/** Copies an app with its complete database. */
export const cloneApp = (from: string) =>
  mutationOptions({
    mutationFn: (body: CloneAppRequest) => api<AppConnection>(`/apps/${segment(from)}/clone`, { method: 'POST', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: appKeys.list() }),
  });

/** Reads the URL and the public keys of an app. The result is removed from the cache when no component uses it. */
export const connection = (ref: string) =>
  queryOptions({
    queryKey: appKeys.connection(ref),
    queryFn: ({ signal }) => api<AppConnection>(`/apps/${segment(ref)}/connection`, { signal }),
    gcTime: 0,
  });

/** Creates an app. */
export const createApp = () =>
  mutationOptions({
    mutationFn: (body: CreateAppRequest) => api<AppConnection>('/apps', { method: 'POST', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: appKeys.list() }),
  });

/** Deletes an app with its complete database. */
export const deleteApp = (ref: string) =>
  mutationOptions({
    mutationFn: (body: DeleteAppRequest) => api<null>(`/apps/${segment(ref)}`, { method: 'DELETE', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: appKeys.list() }),
  });

/** Changes the name of an app. */
export const renameApp = (ref: string) =>
  mutationOptions({
    mutationFn: (body: RenameAppRequest) => api<void>(`/apps/${segment(ref)}`, { method: 'PATCH', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: appKeys.list() }),
  });
