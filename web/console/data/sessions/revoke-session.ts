import { mutationOptions } from '@tanstack/react-query';
import { api, segment } from '../api.ts';
import { ApiFailure } from '../api-failure.ts';
import { queryClient } from '../query-client.ts';
import { sessionListKeys } from './keys.ts';

/** Ends a session. Succeeds also if the session has already ended. */
export const revokeSession = (ref: string) =>
  mutationOptions({
    mutationFn: async (id: string): Promise<void> => {
      try {
        await api<null>(`/apps/${segment(ref)}/sessions/${segment(id)}`, { method: 'DELETE' });
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.code !== 'not_found') throw error;
      }
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionListKeys.all(ref) }),
  });
