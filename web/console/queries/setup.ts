import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { SetupRequest, SetupState } from '../../../contract/admin.ts';
import { api } from './api.ts';
import { queryClient } from './query-client.ts';
import { enter } from './session.ts';

const setupKeys = { state: () => ['setup'] as const };

/** Creates the first builder of a node with the code of the one-time link, and signs the builder in. */
export const makeFirstBuilder = () =>
  mutationOptions({
    mutationFn: async (body: SetupRequest): Promise<void> => {
      await api<object>('/setup', { method: 'POST', body });
      await enter(body);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: setupKeys.state() }),
  });

/** Reads whether the node has no builder yet. Needs no session. */
export const setupState = () =>
  queryOptions({
    queryKey: setupKeys.state(),
    queryFn: ({ signal }) => api<SetupState>('/setup', { signal }),
  });
