import { queryOptions } from '@tanstack/react-query';
import type { Activity } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { refetchEvery } from '../query-client.ts';
import { appKeys } from './keys.ts';

/** Reads requests of the last day, members, sessions and health of an app. Refreshed while visible. */
export const activity = (ref: string) =>
  queryOptions({
    queryKey: appKeys.activity(ref),
    queryFn: ({ signal }) => api<Activity>(`/apps/${segment(ref)}/activity`, { signal }),
    refetchInterval: refetchEvery(10_000),
  });
