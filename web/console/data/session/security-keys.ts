import { mutationOptions } from '@tanstack/react-query';
import type { SignedInBuilder } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { createCredential, getCredential } from './credentials.ts';
import { sessionKeys } from './keys.ts';
import { afterFactorChange, dropUnfinished } from './own-account.ts';

/** The operation of a security key: its creation, or the signature of a challenge. */
type KeyChallenge =
  | { type: 'create'; credential_options: { publicKey: PublicKeyCredentialCreationOptionsJSON } }
  | { type: 'request'; credential_options: { publicKey: PublicKeyCredentialRequestOptionsJSON } };

/** Adds a security key as a second factor. The other sessions end if it is the first factor. */
export const addSecurityKey = () =>
  mutationOptions({
    mutationFn: async (name: string) => {
      await dropUnfinished();
      const body = { factor_type: 'webauthn', friendly_name: name };
      const { id } = await api<{ id: string }>('/account/factors', { method: 'POST', body });
      await answerChallenge(id);
    },
    onSuccess: afterFactorChange,
  });

/**
 * Uses a security key after the password, or as a proof of identity.
 * @returns in `mutateAsync` the builder who is signed in
 */
export const showSecurityKey = () =>
  mutationOptions({
    mutationFn: async (factorId: string) => {
      await answerChallenge(factorId);
      return api<SignedInBuilder | null>('/session');
    },
    onSuccess: (builder) => queryClient.setQueryData(sessionKeys.builder(), builder),
  });

async function answerChallenge(factorId: string): Promise<void> {
  const path = `/account/factors/${segment(factorId)}`;
  const { id, webauthn } = await api<{ id: string; webauthn: KeyChallenge }>(`${path}/challenge`, {
    method: 'POST',
    body: {},
  });
  const credential_response =
    webauthn.type === 'create'
      ? await createCredential(webauthn.credential_options.publicKey)
      : await getCredential(webauthn.credential_options.publicKey);
  const body = { challenge_id: id, webauthn: { type: webauthn.type, credential_response } };
  await api<null>(`${path}/verify`, { method: 'POST', body });
}
