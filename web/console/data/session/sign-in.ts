import { mutationOptions } from '@tanstack/react-query';
import { ApiFailure } from '../api-failure.ts';
import { consoleClient } from '../console-client.ts';
import { queryClient } from '../query-client.ts';
import { sessionKeys } from './keys.ts';

/**
 * Signs a builder in with e-mail and password.
 *
 * @throws {ApiFailure} invalid_credentials, and whatever else the sign-in service answers
 */
export async function enter({ email, password }: { email: string; password: string }): Promise<void> {
  const { error } = await (await consoleClient()).auth.signInWithPassword({ email, password });
  if (error) throw new ApiFailure(error.message, { code: error.code ?? error.name, status: error.status ?? null });
  await queryClient.invalidateQueries({ queryKey: sessionKeys.builder() });
}

export const signIn = () => mutationOptions({ mutationFn: enter });
