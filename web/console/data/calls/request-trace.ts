import { queryOptions } from '@tanstack/react-query';
import type { RequestTraceResponse } from '../../../../contract/observed.ts';
import { api, segment } from '../api.ts';
import { callKeys } from './keys.ts';

/** What happened in one call. Fails with `call_unknown` where it is not remembered. A story does not change. */
export const requestTrace = (ref: string, requestId: string) =>
  queryOptions({
    queryKey: callKeys.story(ref, requestId),
    queryFn: ({ signal }) => api<RequestTraceResponse>(`/apps/${segment(ref)}/calls/${segment(requestId)}`, { signal }),
    staleTime: 60_000,
  });
