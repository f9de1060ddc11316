import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { SignedInBuilder, SignInRequest } from '../../../contract/admin.ts';
import type { BuilderDevice, OwnPasswordRequest, ProofRequest } from '../../../contract/team.ts';
import { api, segment } from './api.ts';
import { ApiFailure } from './api-failure.ts';
import { queryClient } from './query-client.ts';

const sessionKeys = { builder: () => ['builder'] as const };

/** Reads the builder who is signed in; null without a session. */
export const builder = () =>
  queryOptions({
    queryKey: sessionKeys.builder(),
    queryFn: ({ signal }) => api<SignedInBuilder | null>('/session', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Returns the builder who is signed in. If the cache contains none, asks the server, because the builder may have
 * signed in in another tab.
 */
export const signedInBuilder = async (): Promise<SignedInBuilder | null> =>
  queryClient.getQueryData(builder().queryKey) ?? queryClient.fetchQuery({ ...builder(), staleTime: 0 });

/** Functions of the browser for passkeys and security keys. */

/** True if this browser can use passkeys on this page. */
export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Returns true if the builder closed the browser's dialog, or if the device has no matching key. */
export const isCancelled = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'NotAllowedError';

/** Creates a passkey or security key with a device of the builder. Returns the key as JSON. */
async function createCredential(options: PublicKeyCredentialCreationOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return asJson(await navigator.credentials.create({ publicKey }));
}

/** Signs a challenge with a passkey or security key of the builder. Returns the signature as JSON. */
async function getCredential(options: PublicKeyCredentialRequestOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return asJson(await navigator.credentials.get({ publicKey }));
}

const asJson = (credential: Credential | null): unknown =>
  credential instanceof PublicKeyCredential ? credential.toJSON() : null;

const queryKey = ['devices'] as const;
const refetchDevices = () => queryClient.invalidateQueries({ queryKey });

/** Reads the sessions of the builder who is signed in. */
export const devices = () =>
  queryOptions({ queryKey, queryFn: ({ signal }) => api<BuilderDevice[]>('/account/sessions', { signal }) });

/** Ends a session of the builder. */
export const endDevice = () =>
  mutationOptions({
    mutationFn: (id: string) => api<null>(`/account/sessions/${segment(id)}`, { method: 'DELETE' }),
    onSuccess: refetchDevices,
  });

/** Sets a new password and ends all other sessions of the builder. */
export const changePassword = () =>
  mutationOptions({
    mutationFn: (body: OwnPasswordRequest) => api<null>('/account/password', { method: 'PUT', body }),
    onSuccess: refetchDevices,
  });

/** A second factor of the builder who is signed in. */
export interface OwnFactor {
  readonly id: string;
  readonly factor_type: string;
  readonly friendly_name?: string;
  readonly status: string;
  readonly created_at: string;
}

export interface OwnPasskey {
  readonly id: string;
  readonly friendly_name?: string;
  readonly created_at: string;
  readonly last_used_at?: string | null;
}

/** An authenticator app (TOTP) whose enrolment has started but is not complete. The server sends its secret only once. */
export interface NewTotp {
  readonly id: string;
  readonly totp: { readonly qr_code: string; readonly secret: string };
}

const keys = { factors: ['own-factors'] as const, passkeys: ['own-passkeys'] as const };
const refetch = () => Promise.all(Object.values(keys).map((queryKey) => queryClient.invalidateQueries({ queryKey })));

/**
 * Refreshes the data that a new second factor changes: the list of factors, the sessions that it ended, and what the
 * present session may do.
 */
const afterFactorChange = () =>
  Promise.all([refetch(), refetchDevices(), queryClient.invalidateQueries({ queryKey: sessionKeys.builder() })]);

/** Names of the types of second factors. */
export const factorTypeNames: Readonly<Record<string, string>> = {
  totp: 'Authenticator app',
  webauthn: 'Security key',
  phone: 'Phone',
  recovery_code: 'Recovery codes',
};

/** Returns the name of a factor, or the name of its type if the builder gave it no name. */
export const factorName = ({ factor_type, friendly_name }: OwnFactor): string =>
  friendly_name || factorTypeNames[factor_type] || factor_type;

const fetchFactors = async (): Promise<OwnFactor[]> =>
  (await api<{ factors?: OwnFactor[] }>('/account/user')).factors ?? [];

/** Reads the second factors of the builder, verified or not. */
export const ownFactors = () => queryOptions({ queryKey: keys.factors, queryFn: fetchFactors });

/** Starts the enrolment of an authenticator app. */
export const beginTotp = () =>
  mutationOptions({
    mutationFn: async () => {
      await dropUnfinished();
      const body = { factor_type: 'totp', friendly_name: 'Authenticator app', issuer: `Ninefold ${location.host}` };
      return api<NewTotp>('/account/factors', { method: 'POST', body });
    },
  });

/** Deletes the factors whose enrolment was not completed, because another factor cannot have the same name. */
async function dropUnfinished(): Promise<void> {
  for (const { id, status } of await fetchFactors()) if (status !== 'verified') await deleteFactor(id);
}

const deleteFactor = (id: string) => api<unknown>(`/account/factors/${segment(id)}`, { method: 'DELETE' });

/** Sends a code of an authenticator app. The first code completes the enrolment of the app and ends the builder's other sessions. */
export const showTotp = () => mutationOptions({ mutationFn: verifyTotp, onSuccess: afterFactorChange });

async function verifyTotp({ id, code }: { id: string; code: string }): Promise<void> {
  const path = `/account/factors/${segment(id)}`;
  const challenge = await api<{ id: string }>(`${path}/challenge`, { method: 'POST', body: {} });
  await api<null>(`${path}/verify`, { method: 'POST', body: { challenge_id: challenge.id, code } });
}

/** Removes a second factor. If it was the last one, the server also removes the recovery codes. */
export const removeOwnFactor = () => mutationOptions({ mutationFn: deleteFactor, onSuccess: refetch });

/** Creates recovery codes, which replace the previous codes. The server sends them only once. */
export const makeCodes = () =>
  mutationOptions({
    mutationFn: ({ replace }: { replace: boolean }) =>
      api<{ codes: string[] }>(`/account/factors/recovery-codes${replace ? '/regenerate' : ''}`, {
        method: 'POST',
        body: {},
      }),
    onSuccess: refetch,
  });

/** After the password, sends a code of an authenticator app or a recovery code. */
export const showFactor = () =>
  mutationOptions({
    mutationFn: async (given: string) => {
      const code = given.replace(/\s/g, '');
      if (/^\d{6}$/.test(code)) await verifyAny(code);
      else await api<null>('/account/factors/recovery-codes/verify', { method: 'POST', body: { code } });
      return api<SignedInBuilder | null>('/session');
    },
    onSuccess: (builder) => queryClient.setQueryData(sessionKeys.builder(), builder),
  });

async function verifyAny(code: string): Promise<void> {
  const apps = (await fetchFactors()).filter((one) => one.factor_type === 'totp' && one.status === 'verified');
  for (const [position, { id }] of apps.entries()) {
    try {
      return await verifyTotp({ id, code });
    } catch (error) {
      const isWrong = error instanceof ApiFailure && error.code === 'mfa_verification_failed';
      if (!isWrong || position === apps.length - 1) throw error;
    }
  }
  throw new ApiFailure('Enter a recovery code: the account has no authenticator app.', {
    code: 'mfa_verification_failed',
    status: null,
  });
}

/** Reads the passkeys of the builder. */
export const ownPasskeys = () =>
  queryOptions({
    queryKey: keys.passkeys,
    queryFn: ({ signal }) => api<OwnPasskey[]>('/account/passkeys', { signal }),
  });

interface Ceremony<T> {
  readonly challenge_id: string;
  readonly options: T;
}

/** Creates a passkey with this device. */
export const addPasskey = () =>
  mutationOptions({
    mutationFn: async () => {
      const path = '/account/passkeys/registration';
      const { challenge_id, options } = await api<Ceremony<PublicKeyCredentialCreationOptionsJSON>>(`${path}/options`, {
        method: 'POST',
        body: {},
      });
      const credential = await createCredential(options);
      return api<OwnPasskey>(`${path}/verify`, { method: 'POST', body: { challenge_id, credential } });
    },
    onSuccess: refetch,
  });

export const removePasskey = () =>
  mutationOptions({
    mutationFn: (id: string) => api<null>(`/account/passkeys/${segment(id)}`, { method: 'DELETE' }),
    onSuccess: refetch,
  });

/** Signs a builder in with a passkey of this device, without an e-mail address. */
export const signInWithPasskey = () =>
  mutationOptions({
    mutationFn: async () => {
      const { challenge_id, options } = await api<Ceremony<PublicKeyCredentialRequestOptionsJSON>>(
        '/session/passkey/options',
        { method: 'POST', body: {} },
      );
      const credential = await getCredential(options);
      return api<SignedInBuilder>('/session/passkey', { method: 'POST', body: { challenge_id, credential } });
    },
    onSuccess: (builder) => queryClient.setQueryData(sessionKeys.builder(), builder),
  });

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

/** A request to a security key: to create a credential, or to sign a challenge. */
type KeyChallenge =
  | { type: 'create'; credential_options: { publicKey: PublicKeyCredentialCreationOptionsJSON } }
  | { type: 'request'; credential_options: { publicKey: PublicKeyCredentialRequestOptionsJSON } };

/** Adds a security key as a second factor. If it is the first one, the builder's other sessions end. */
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
 * Presents a security key, after the password or as a proof of identity.
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

/**
 * Ends the builder's session on this device and clears all cached data.
 * @throws {ApiFailure} if the server cannot be reached, because only the server can delete the cookie
 */
export async function signOut(): Promise<void> {
  await api<null>('/session', { method: 'DELETE' });
  forgetAnswers();
}

/** Clears all cached data of a builder whose session has ended. */
export const forgetAnswers = (): void => queryClient.clear();
