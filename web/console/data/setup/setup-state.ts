import { queryOptions } from '@tanstack/react-query';
import type { SetupState } from '../../../../contract/admin.ts';
import { api } from '../api.ts';
import { setupKeys } from './keys.ts';

/** Reads whether the node has no builder yet. Needs no session. */
export const setupState = () =>
  queryOptions({
    queryKey: setupKeys.state(),
    queryFn: ({ signal }) => api<SetupState>('/setup', { signal }),
  });
