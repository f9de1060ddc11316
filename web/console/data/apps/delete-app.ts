import { mutationOptions } from '@tanstack/react-query';
import type { DeleteAppRequest } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { appKeys } from './keys.ts';

/** Deletes an app with everything in it. */
export const deleteApp = (ref: string) =>
  mutationOptions({
    mutationFn: (body: DeleteAppRequest) => api<null>(`/apps/${segment(ref)}`, { method: 'DELETE', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: appKeys.list() }),
  });
