import type { GoTrueClient, Session } from '@supabase/auth-js';
import { MutationCache, mutationOptions, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { t } from '../../language/messages.ts';
import type { Destination } from '../sign-in/destination.ts';
import { codeOf } from './auth-words.ts';
import type { Portal } from './client.ts';
import { isUnreachable, reach, setConnection } from './connection.ts';
import { followAccount } from './language.ts';

const sessionKey = ['session'] as const;

/** Returns true for an error which says that the session has ended. */
const isEnded = (error: unknown): boolean =>
  ['session_not_found', 'session_expired', 'bad_jwt', 'user_not_found', 'user_banned'].includes(codeOf(error) ?? '') ||
  (error instanceof Error &&
    (error.name === 'AuthSessionMissingError' ||
      (error.name === 'Refusal' && 'status' in error && error.status === 401)));

/** Reads the session again if an error says that it has ended. Records a lost connection. */
const onError = (error: unknown) => {
  if (isUnreachable(error)) setConnection(false, reconnect);
  if (isEnded(error)) void queryClient.invalidateQueries({ queryKey: sessionKey });
};

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: { queries: { retry: 1, staleTime: 10_000 } },
  queryCache: new QueryCache({
    onError: (error, query) => query.queryKey !== sessionKey && onError(error),
    onSuccess: () => setConnection(true, reconnect),
  }),
  mutationCache: new MutationCache({ onError, onSuccess: () => setConnection(true, reconnect) }),
});

/** Tries to reach the app. If it responds, reads the visible rows again. */
export function reconnect(): void {
  reach('/portal/v1/app', { method: 'HEAD', cache: 'no-store' }).then(
    () => {
      setConnection(true, reconnect);
      void queryClient.invalidateQueries({ queryKey: ['rows'] });
    },
    () => setConnection(false, reconnect),
  );
}

/** Follows what the browser reports about its network. While the browser is offline, changes wait; they are sent once it is online. */
export function followConnection(): void {
  addEventListener('offline', () => setConnection(false, reconnect));
  addEventListener('online', reconnect);
}

/** The session of this browser, and whether it still needs a second factor. */
export interface SignedIn {
  session: Session;
  /** True if the account has a second factor that this session has not used. */
  needsFactor: boolean;
}

/** Reads the session of this browser; null without a session. */
export const signedIn = ({ auth }: Portal) =>
  queryOptions({
    queryKey: sessionKey,
    queryFn: async (): Promise<SignedIn | null> => {
      const { session } = orThrow(await auth.getSession());
      if (!session) return null;
      // The server may have ended the session. Then the client removes it from this browser.
      const { error } = await auth.getUser();
      if (error && isEnded(error)) {
        isExpired = wasMember;
        await auth.signOut({ scope: 'local' });
        return null;
      }
      wasMember = true;
      followAccount(session.user.user_metadata);
      const level = orThrow(await auth.mfa.getAuthenticatorAssuranceLevel());
      return { session, needsFactor: level.currentLevel !== level.nextLevel && level.nextLevel === 'aal2' };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** True if these pages have had a valid session. */
let wasMember = false;

/** True if the session has ended without a sign-out, so that the member must sign in again to continue. */
let isExpired = false;

/** Returns true from the end of a session, unless the member has signed out, until the next sign-in. */
export const hasExpired = (): boolean => isExpired;

/** Removes what an ended session has loaded, so that another member can sign in. */
export function leaveExpired(): void {
  isExpired = false;
  void queryClient.resetQueries();
}

/** Storage key of the time at which a member signed out. Other tabs thereby distinguish a sign-out from an ended session. */
const SIGNED_OUT_KEY = 'ninefold-signed-out';
const SIGNED_OUT_MILLISECONDS = 10_000;

function wasSignOut(): boolean {
  try {
    return Date.now() - Number(localStorage.getItem(SIGNED_OUT_KEY)) < SIGNED_OUT_MILLISECONDS;
  } catch {
    return true;
  }
}

/** Updates the pages after the session changes, also if another tab changes it. */
export function followSession(auth: GoTrueClient): void {
  auth.onAuthStateChange((event) => {
    if (event === 'INITIAL_SESSION') return;
    if (event === 'SIGNED_OUT') isExpired ||= wasMember && !wasSignOut();
    else isExpired = isSignedOut = false;
    if (isExpired) {
      // The page stays as it is while the member signs in again.
      setTimeout(() => void queryClient.invalidateQueries({ queryKey: sessionKey }));
      return;
    }
    // The client holds its lock while it calls this function. The queries use the client too, so they start after
    // this function has returned.
    setTimeout(() => {
      void (event === 'SIGNED_OUT' ? queryClient.resetQueries() : queryClient.invalidateQueries());
    });
  });
}

/** Returns the data of a response, or throws its error. */
export function orThrow<Answer extends { data: unknown; error: unknown }>(
  answer: Answer,
): Extract<Answer, { error: null }>['data'] {
  if (answer.error) throw answer.error;
  return answer.data;
}

/**
 * Sends a request to `/auth/v1` as the member, for calls that the stock client has no method for. Throws an Error with
 * the server's message.
 */
export async function callAuth<T>({ app, auth }: Portal, path: string, init: RequestInit = {}): Promise<T> {
  const { session } = orThrow(await auth.getSession());
  const response = await fetch(`/auth/v1${path}`, {
    ...init,
    headers: { apikey: app.publishable_key, ...(session && { authorization: `Bearer ${session.access_token}` }) },
  });
  const body = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) {
    const said = body?.msg ?? body?.message ?? t('answered', { status: String(response.status) });
    throw Object.assign(new Error(said), { code: body?.error_code });
  }
  return body;
}

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

/** Requests a mail with a link and a code. The member signs in with either of them. With `isNew`, the sign-in also creates an account. */
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
      const options = { emailRedirectTo, ...(name !== '' && { data: { name } }) };
      const { session } = orThrow(await mails.signUp({ email, password, options }));
      if (session) await keepSession(auth, session);
      return { isSignedIn: session !== null };
    },
  });

/** What the code in a mail is for. */
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

/** Stores the session that a link has opened. */
export async function keepSession(
  auth: GoTrueClient,
  tokens: { access_token: string; refresh_token: string },
): Promise<void> {
  orThrow(await auth.setSession(tokens));
  await queryClient.invalidateQueries({ queryKey: sessionKey });
}

let isSignedOut = false;

/** Returns true if the member has signed out on these pages. */
export const hasSignedOut = (): boolean => isSignedOut;

/** Ends the session of this browser. */
export const signOut = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async () => {
      isSignedOut = true;
      localStorage.setItem(SIGNED_OUT_KEY, String(Date.now()));
      const { error } = await auth.signOut({ scope: 'local' });
      if (error) throw error;
    },
    // Resets the queries instead of removing them, because a page that shows a removed query would never get a new result.
    onSuccess: () => queryClient.resetQueries(),
  });
