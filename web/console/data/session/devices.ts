import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { BuilderDevice, OwnPasswordRequest } from '../../../../contract/team.ts';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';

const queryKey = ['devices'] as const;
export const refetchDevices = () => queryClient.invalidateQueries({ queryKey });

/** The sessions of the builder who is signed in. */
export const devices = () =>
  queryOptions({ queryKey, queryFn: ({ signal }) => api<BuilderDevice[]>('/account/sessions', { signal }) });

/** Ends a session of the builder. */
export const endDevice = () =>
  mutationOptions({
    mutationFn: (id: string) => api<null>(`/account/sessions/${segment(id)}`, { method: 'DELETE' }),
    onSuccess: refetchDevices,
  });

/** Sets a new password and ends every other session. */
export const changePassword = () =>
  mutationOptions({
    mutationFn: (body: OwnPasswordRequest) => api<null>('/account/password', { method: 'PUT', body }),
    onSuccess: refetchDevices,
  });
