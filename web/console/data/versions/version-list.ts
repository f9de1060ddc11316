import { infiniteQueryOptions } from '@tanstack/react-query';
import type { VersionList } from '../../../../contract/changes.ts';
import { api, segment } from '../api.ts';
import { refetchEvery } from '../query-client.ts';
import { versionKeys } from './keys.ts';

/** Reads the versions of an app's specification, the latest first, page by page. Refreshed while visible. */
export const versionList = (ref: string) =>
  infiniteQueryOptions({
    queryKey: versionKeys.list(ref),
    queryFn: ({ pageParam, signal }) =>
      api<VersionList>(`/apps/${segment(ref)}/versions${pageParam === null ? '' : `?before=${pageParam}`}`, { signal }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: refetchEvery(10_000),
  });
