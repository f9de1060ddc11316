import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { VersionComparison, VersionList } from '../../../contract/changes.ts';
import { api, segment } from './api.ts';
import { refetchEvery } from './query-client.ts';

export const versionKeys = {
  all: (ref: string) => ['versions', ref] as const,
  list: (ref: string) => ['versions', ref, 'list'] as const,
  compared: (ref: string, from: number, to: number) => ['versions', ref, 'compared', from, to] as const,
};

/** Reads the changes between two versions. Versions never change, so a cached result is never requested again. */
export const comparison = (ref: string, from: number, to: number) =>
  queryOptions({
    queryKey: versionKeys.compared(ref, from, to),
    queryFn: ({ signal }) =>
      api<VersionComparison>(`/apps/${segment(ref)}/versions/${to}/changes?since=${from}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Reads the versions of an app's specification, the latest first, page by page. The query is refreshed while it is visible. */
export const versionList = (ref: string) =>
  infiniteQueryOptions({
    queryKey: versionKeys.list(ref),
    queryFn: ({ pageParam, signal }) =>
      api<VersionList>(`/apps/${segment(ref)}/versions${pageParam === null ? '' : `?before=${pageParam}`}`, { signal }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: refetchEvery(10_000),
  });
