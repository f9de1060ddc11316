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

/** Reads requests of the last day, members, sessions and health of an app. Refreshed while visible. */
export const activity = (ref: string) =>
  queryOptions({
    queryKey: appKeys.activity(ref),
    queryFn: ({ signal }) => api<Activity>(`/apps/${segment(ref)}/activity`, { signal }),
    refetchInterval: refetchEvery(10_000),
  });

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

/** Copies an app with everything in it. */
export const cloneApp = (from: string) =>
  mutationOptions({
    mutationFn: (body: CloneAppRequest) => api<AppConnection>(`/apps/${segment(from)}/clone`, { method: 'POST', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: appKeys.list() }),
  });

/** Reads URL and public keys of an app. Not cached after the last component that uses them is closed. */
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

/** Deletes an app with everything in it. */
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
