import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { SiteState } from '../../../contract/site.ts';
import { api, segment } from './api.ts';
import { queryClient } from './query-client.ts';

const queryKey = (ref: string) => ['site', ref] as const;
const path = (ref: string) => `/apps/${segment(ref)}/site`;

/** Reads the versions of the app's own front end. */
export const siteState = (ref: string) =>
  queryOptions({
    queryKey: queryKey(ref),
    queryFn: ({ signal }) => api<SiteState>(path(ref), { signal }),
    refetchInterval: 30_000,
  });

/** Serves a version of the app's own front end. Null serves the pages for members instead. */
export const serveVersion = (ref: string) =>
  mutationOptions({
    mutationFn: (id: string | null) =>
      id === null
        ? api<SiteState>(path(ref), { method: 'DELETE' })
        : api<SiteState>(`${path(ref)}/versions/${segment(id)}/publish`, { method: 'POST', body: {} }),
    onSuccess: (state) => queryClient.setQueryData(queryKey(ref), state),
  });
