import { mutationOptions } from '@tanstack/react-query';
import type { AppConnection, CloneAppRequest } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { appKeys } from './keys.ts';

/** Copies an app with everything in it. */
export const cloneApp = (from: string) =>
  mutationOptions({
    mutationFn: (body: CloneAppRequest) => api<AppConnection>(`/apps/${segment(from)}/clone`, { method: 'POST', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: appKeys.list() }),
  });
