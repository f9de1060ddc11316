import { mutationOptions } from '@tanstack/react-query';
import type { SetupRequest } from '../../../../contract/admin.ts';
import { openApi } from '../open-api.ts';
import { queryClient } from '../query-client.ts';
import { setupKeys } from './keys.ts';

/** Makes the first builder with the code of the one-time link. */
export const makeFirstBuilder = () =>
  mutationOptions({
    mutationFn: (body: SetupRequest) => openApi<object>('/setup', { method: 'POST', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: setupKeys.state() }),
  });
