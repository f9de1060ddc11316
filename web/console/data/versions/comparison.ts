import { queryOptions } from '@tanstack/react-query';
import type { VersionComparison } from '../../../../contract/changes.ts';
import { api, segment } from '../api.ts';
import { versionKeys } from './keys.ts';

/** What changed from one version to another, in words. Both stand for good, so the answer does not change. */
export const comparison = (ref: string, from: number, to: number) =>
  queryOptions({
    queryKey: versionKeys.compared(ref, from, to),
    queryFn: ({ signal }) =>
      api<VersionComparison>(`/apps/${segment(ref)}/versions/${to}/changes?since=${from}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
