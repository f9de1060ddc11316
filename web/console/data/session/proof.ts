import { mutationOptions } from '@tanstack/react-query';
import type { ProofRequest } from '../../../../contract/team.ts';
import { api } from '../api.ts';
import { getCredential } from './credentials.ts';

/** Confirms the builder's identity with the password. */
export const proveByPassword = () =>
  mutationOptions({
    mutationFn: (password: string) =>
      api<null>('/account/proof', { method: 'POST', body: { password } satisfies ProofRequest }),
  });

/** Confirms the builder's identity with a passkey. */
export const proveByPasskey = () =>
  mutationOptions({
    mutationFn: async () => {
      const { challenge_id, options } = await api<{
        challenge_id: string;
        options: PublicKeyCredentialRequestOptionsJSON;
      }>('/session/passkey/options', { method: 'POST', body: {} });
      const credential = await getCredential(options);
      return api<null>('/account/proof/passkey', { method: 'POST', body: { challenge_id, credential } });
    },
  });
