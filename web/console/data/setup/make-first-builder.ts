import { mutationOptions } from '@tanstack/react-query';
import type { SetupRequest } from '../../../../contract/admin.ts';
import { api } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { enter } from '../session/sign-in.ts';
import { setupKeys } from './keys.ts';

/** Creates the first builder with the code of the one-time link, and signs in. */
export const makeFirstBuilder = () =>
  mutationOptions({
    mutationFn: async (body: SetupRequest): Promise<void> => {
      await api<object>('/setup', { method: 'POST', body });
      await enter(body);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: setupKeys.state() }),
  });
