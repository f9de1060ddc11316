import { queryOptions } from '@tanstack/react-query';
import type { SetupState } from '../../../../contract/admin.ts';
import { api } from '../api.ts';
import { setupKeys } from './keys.ts';

/** Whether the first builder is still to be made. Needs nobody to be signed in. */
export const setupState = () =>
  queryOptions({
    queryKey: setupKeys.state(),
    queryFn: ({ signal }) => api<SetupState>('/setup', { signal }),
  });
