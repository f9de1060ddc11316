import { mutationOptions } from '@tanstack/react-query';
import { ApiFailure } from '../api-failure.ts';
import { consoleClient } from '../console-client.ts';
import { queryClient } from '../query-client.ts';
import { sessionKeys } from './keys.ts';

/** Signs a builder in with e-mail and password. */
export const signIn = () =>
  mutationOptions({
    mutationFn: async (credentials: { email: string; password: string }): Promise<void> => {
      const { error } = await (await consoleClient()).auth.signInWithPassword(credentials);
      if (error) throw new ApiFailure(error.message, { code: error.code ?? error.name, status: error.status ?? null });
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionKeys.builder() }),
  });
