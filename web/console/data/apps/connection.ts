import { queryOptions } from '@tanstack/react-query';
import type { AppConnection } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { appKeys } from './keys.ts';

/** Reads URL and public keys of an app. Not cached after the last component that uses them is closed. */
export const connection = (ref: string) =>
  queryOptions({
    queryKey: appKeys.connection(ref),
    queryFn: ({ signal }) => api<AppConnection>(`/apps/${segment(ref)}/connection`, { signal }),
    gcTime: 0,
  });
