import { queryOptions } from '@tanstack/react-query';
import type { CallStoryAnswer } from '../../../../contract/observed.ts';
import { api, segment } from '../api.ts';
import { callKeys } from './keys.ts';

/** What happened in one call. Fails with `call_unknown` where it is not remembered. A story does not change. */
export const callStory = (ref: string, requestId: string) =>
  queryOptions({
    queryKey: callKeys.story(ref, requestId),
    queryFn: ({ signal }) => api<CallStoryAnswer>(`/apps/${segment(ref)}/calls/${segment(requestId)}`, { signal }),
    staleTime: 60_000,
  });
