import { queryOptions } from '@tanstack/react-query';
import type { VersionComparison } from '../../../../contract/changes.ts';
import { api, segment } from '../api.ts';
import { versionKeys } from './keys.ts';

/** Reads the changes between two versions. Versions never change, so the result is cached. */
export const comparison = (ref: string, from: number, to: number) =>
  queryOptions({
    queryKey: versionKeys.compared(ref, from, to),
    queryFn: ({ signal }) =>
      api<VersionComparison>(`/apps/${segment(ref)}/versions/${to}/changes?since=${from}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
