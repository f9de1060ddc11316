import { mutationOptions } from '@tanstack/react-query';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { sessionListKeys } from './keys.ts';
import { whose } from './session-list.ts';

/** Ends every session of a user, or of the app if `userId` is null. Returns the number of ended sessions. */
export const revokeSessions = (ref: string, userId: string | null) =>
  mutationOptions({
    mutationFn: () => api<{ revoked: number }>(`/apps/${segment(ref)}/sessions${whose(userId)}`, { method: 'DELETE' }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionListKeys.all(ref) }),
  });
