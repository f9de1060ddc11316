import { mutationOptions } from '@tanstack/react-query';
import type { Destination } from '../sign-in/destination.ts';
import type { Portal } from './client.ts';
import { timeZoneHere } from './language.ts';
import { callAuth, keepSession, orThrow, queryClient, sessionKey } from './session.ts';

/** Signs in with an address and a password. */
export const signInWithPassword = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async (member: { email: string; password: string }) => orThrow(await auth.signInWithPassword(member)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionKey }),
  });

/** Signs in with a passkey that the browser offers. */
export const signInWithPasskey = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async () => orThrow(await auth.signInWithPasskey()),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionKey }),
  });

/** Redirects to a provider. After the sign-in there, the provider redirects to /account/arrive. */
export const signInWithProvider = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async ({ id, next }: { id: string; next: string }) => {
      const redirectTo = `${location.origin}/account/arrive?next=${encodeURIComponent(next)}`;
      const options = { redirectTo, skipBrowserRedirect: true };
      const { url } = orThrow(await auth.signInWithOAuth({ provider: id as 'google', options }));
      if (url) location.assign(url);
    },
  });

/** Requests a mail with a link and a code. The member signs in with either of them. */
export const mailLink = ({ mails }: Portal) =>
  mutationOptions({
    mutationFn: async ({ email, next }: { email: string; next: string }) => {
      const emailRedirectTo = `${location.origin}/account/arrive?next=${encodeURIComponent(next)}`;
      return orThrow(await mails.signInWithOtp({ email, options: { emailRedirectTo, shouldCreateUser: false } }));
    },
  });

/** Creates an account. If the response contains no session, the member must confirm the address first. */
export const signUp = ({ auth, mails }: Portal) =>
  mutationOptions({
    mutationFn: async ({ email, password, name, next }: Record<'email' | 'password' | 'name' | 'next', string>) => {
      const emailRedirectTo = `${location.origin}/account/arrive?next=${encodeURIComponent(next)}`;
      // Mails say times in the time zone of the member.
      const options = { emailRedirectTo, data: { ...(name !== '' && { name }), time_zone: timeZoneHere() } };
      const { session } = orThrow(await mails.signUp({ email, password, options }));
      if (session) await keepSession(auth, session);
      return { isSignedIn: session !== null };
    },
  });

/** The purpose of the code in a mail. */
export type CodeKind = 'email' | 'signup' | 'recovery';

/** Signs in with the code of a mail. */
export const useMailedCode = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async ({ email, code, kind }: { email: string; code: string; kind: CodeKind }) =>
      orThrow(await auth.verifyOtp({ email, token: code, type: kind })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionKey }),
  });

/** Sends the confirmation mail of a sign-up again. */
export const resendSignUp = ({ mails }: Portal) =>
  mutationOptions({
    mutationFn: async ({ email, next }: { email: string; next: string }) =>
      orThrow(
        await mails.resend({
          type: 'signup',
          email,
          options: { emailRedirectTo: `${location.origin}/account/arrive?next=${encodeURIComponent(next)}` },
        }),
      ),
  });

/** Requests a mail with a link that sets a new password. */
export const recover = ({ mails }: Portal) =>
  mutationOptions({
    mutationFn: async (email: string) =>
      orThrow(
        await mails.resetPasswordForEmail(email, {
          redirectTo: `${location.origin}/account/arrive?next=/account/new-password`,
        }),
      ),
  });

/** Opens a session for a front end at another address, and redirects the member to it. */
export const continueElsewhere = (portal: Portal) =>
  mutationOptions({
    mutationFn: async ({ redirect_to, code_challenge, code_challenge_method }: Destination) => {
      const body = JSON.stringify({ redirect_to, code_challenge, code_challenge_method });
      const { url } = await callAuth<{ url: string }>(portal, '/sessions', { method: 'POST', body });
      location.replace(url);
    },
  });
