import { queryOptions } from '@tanstack/react-query';
import type { CallDetail } from '../../../../contract/call-detail.ts';
import { api, segment } from '../api.ts';
import { callKeys } from './keys.ts';

/** Reads the details of a call of chapter 7: as code and as a request. */
export const callDetail = (ref: string, id: string) =>
  queryOptions({
    queryKey: callKeys.detail(ref, id),
    queryFn: ({ signal }) =>
      api<CallDetail>(`/apps/${segment(ref)}/specification/call?${new URLSearchParams({ id })}`, { signal }),
    staleTime: 10_000,
  });
