import { queryOptions } from '@tanstack/react-query';
import type { AppConnection } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { appKeys } from './keys.ts';

/** URL and public keys of an app. Not kept when nobody looks at them. */
export const connection = (ref: string) =>
  queryOptions({
    queryKey: appKeys.connection(ref),
    queryFn: ({ signal }) => api<AppConnection>(`/apps/${segment(ref)}/connection`, { signal }),
    gcTime: 0,
  });
