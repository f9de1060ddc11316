import { mutationOptions } from '@tanstack/react-query';
import type { RenameAppRequest } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { appKeys } from './keys.ts';

/** Changes the name of an app. */
export const renameApp = (ref: string) =>
  mutationOptions({
    mutationFn: (body: RenameAppRequest) => api<void>(`/apps/${segment(ref)}`, { method: 'PATCH', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: appKeys.list() }),
  });
