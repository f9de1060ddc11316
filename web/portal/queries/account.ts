import type { UserAttributes } from '@supabase/auth-js';
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { Portal } from './client.ts';
import { callAuth, orThrow, queryClient } from './session.ts';

const refresh = () => queryClient.invalidateQueries();

/** Reads the account of the member from the server. */
export const account = ({ auth }: Portal) =>
  queryOptions({ queryKey: ['account'], queryFn: async () => orThrow(await auth.getUser()).user });

/**
 * Changes the password, the address or the profile. A new password requires the current password or a recent sign-in.
 */
export const changeAccount = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async (changes: UserAttributes & { current_password?: string }) =>
      orThrow(await auth.updateUser(changes, { emailRedirectTo: `${location.origin}/account/arrive?next=/account` })),
    onSuccess: refresh,
  });

/** Reads the verified second factors of the account, by kind. */
export const factors = ({ auth }: Portal) =>
  queryOptions({ queryKey: ['factors'], queryFn: async () => orThrow(await auth.mfa.listFactors()) });

/** Starts the enrolment of an authenticator app. Returns a QR code, and the key as a string. */
export const enrollTotp = ({ app, auth }: Portal) =>
  mutationOptions({
    mutationFn: async () => {
      // Removes enrolments that were not completed first, because the server would count them as factors.
      const known = orThrow(await auth.mfa.listFactors());
      const left = known.all.filter(({ factor_type, status }) => factor_type === 'totp' && status === 'unverified');
      for (const { id } of left) orThrow(await auth.mfa.unenroll({ factorId: id }));
      const { id, totp } = orThrow(await auth.mfa.enroll({ factorType: 'totp', issuer: app.name }));
      return { factorId: id, picture: totp.qr_code, secret: totp.secret };
    },
  });

/** Sends a code of an authenticator app. If it is correct, the session then has the level aal2. */
export const verifyFactor = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async (answer: { factorId: string; code: string }) =>
      orThrow(await auth.mfa.challengeAndVerify(answer)),
    onSuccess: refresh,
  });

/** Signs in with a security key that is a second factor of the member. */
export const verifySecurityKey = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async (factorId: string) => orThrow(await auth.mfa.webauthn.authenticate({ factorId })),
    onSuccess: refresh,
  });

/** Removes a second factor. The server requires a session in which a second factor was used. */
export const removeFactor = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async (factorId: string) => {
      orThrow(await auth.mfa.unenroll({ factorId }));
      // The level of the session is lower after the removal, so its token is renewed.
      orThrow(await auth.refreshSession());
    },
    onSuccess: refresh,
  });

/** Uses a recovery code instead of the second factor. */
export const verifyRecoveryCode = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async (code: string) => orThrow(await auth.mfa.recoveryCodes.verify({ code })),
    onSuccess: refresh,
  });

/** Reads the number of unused recovery codes. */
export const recoveryCodes = (portal: Portal) =>
  queryOptions({
    queryKey: ['recovery-codes'],
    queryFn: async () => orThrow(await portal.auth.mfa.recoveryCodes.getStatus()),
  });

/** Creates recovery codes, which replace the previous codes. The server sends them only once. */
export const makeRecoveryCodes = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async (areThereSome: boolean): Promise<readonly string[]> => {
      const { recoveryCodes: calls } = auth.mfa;
      return orThrow(areThereSome ? await calls.regenerate() : await calls.generate()).codes;
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['recovery-codes'] }),
  });

/** Reads the passkeys of the account. */
export const passkeys = ({ auth }: Portal) =>
  queryOptions({ queryKey: ['passkeys'], queryFn: async () => orThrow(await auth.passkey.list()) });

/** Asks the device for a new passkey and adds it. */
export const addPasskey = ({ auth }: Portal) =>
  mutationOptions({ mutationFn: async () => orThrow(await auth.registerPasskey()), onSuccess: refresh });

export const renamePasskey = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async ({ id, name }: { id: string; name: string }) =>
      orThrow(await auth.passkey.update({ passkeyId: id, friendlyName: name })),
    onSuccess: refresh,
  });

export const removePasskey = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async (id: string) => {
      const { error } = await auth.passkey.delete({ passkeyId: id });
      if (error) throw error;
    },
    onSuccess: refresh,
  });

/** A session of the member. */
export interface Device {
  id: string;
  device: string;
  network: string | null;
  created_at: string;
  last_used_at: string;
  is_current: boolean;
}

/** Reads the sessions of the member, the current session first. */
export const devices = (portal: Portal) =>
  queryOptions({
    queryKey: ['devices'],
    queryFn: async () => {
      const { sessions } = await callAuth<{ sessions: Device[] }>(portal, '/sessions');
      return sessions.toSorted((a, b) => Number(b.is_current) - Number(a.is_current));
    },
  });

export const endDevice = (portal: Portal) =>
  mutationOptions({
    mutationFn: (id: string) => callAuth(portal, `/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['devices'] }),
  });

/** Ends every other session of the member. */
export const endOtherDevices = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async () => {
      const { error } = await auth.signOut({ scope: 'others' });
      if (error) throw error;
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['devices'] }),
  });

/** Reads the member's accounts at providers with which the member can sign in. */
export const identities = ({ auth }: Portal) =>
  queryOptions({
    queryKey: ['identities'],
    queryFn: async () => orThrow(await auth.getUserIdentities()).identities,
  });

/** Redirects to a provider, where the member links an account of the provider. */
export const linkIdentity = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async (provider: string) => {
      const redirectTo = `${location.origin}/account/arrive?next=/account`;
      const options = { redirectTo, skipBrowserRedirect: true };
      const { url } = orThrow(await auth.linkIdentity({ provider: provider as 'google', options }));
      if (url) location.assign(url);
    },
  });

export const unlinkIdentity = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async (identityId: string) => {
      const { identities: all } = orThrow(await auth.getUserIdentities());
      const identity = all.find(({ identity_id }) => identity_id === identityId);
      if (identity) orThrow(await auth.unlinkIdentity(identity));
    },
    onSuccess: refresh,
  });
