import { mutationOptions } from '@tanstack/react-query';
import type { AppConnection, CreateAppRequest } from '../../../../contract/admin.ts';
import { api } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { appKeys } from './keys.ts';

/** Creates an app. */
export const createApp = () =>
  mutationOptions({
    mutationFn: (body: CreateAppRequest) => api<AppConnection>('/apps', { method: 'POST', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: appKeys.list() }),
  });
