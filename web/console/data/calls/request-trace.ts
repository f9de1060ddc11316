import { queryOptions } from '@tanstack/react-query';
import type { RequestTraceResponse } from '../../../../contract/observed.ts';
import { api, segment } from '../api.ts';
import { callKeys } from './keys.ts';

/**
 * Reads the trace of a request, which never changes. Fails with `call_unknown` if the node does not store the trace.
 */
export const requestTrace = (ref: string, requestId: string) =>
  queryOptions({
    queryKey: callKeys.trace(ref, requestId),
    queryFn: ({ signal }) =>
      api<RequestTraceResponse>(`/apps/${segment(ref)}/traces/${segment(requestId)}`, { signal }),
    staleTime: 60_000,
  });
