import { mutationOptions } from '@tanstack/react-query';
import type { SignedInBuilder, SignInRequest } from '../../../../contract/admin.ts';
import { api } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { sessionKeys } from './keys.ts';

/**
 * Signs a builder in with e-mail and password. The session is in a cookie that no script can read.
 * @throws {ApiFailure} invalid_credentials, or another error of the sign-in service
 */
export async function enter({ email, password }: SignInRequest): Promise<SignedInBuilder> {
  const body: SignInRequest = { email, password };
  const builder = await api<SignedInBuilder>('/session', { method: 'POST', body });
  queryClient.setQueryData(sessionKeys.builder(), builder);
  return builder;
}

export const signIn = () => mutationOptions({ mutationFn: enter });
