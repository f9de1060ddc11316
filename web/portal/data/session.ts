import type { GoTrueClient, Session } from '@supabase/auth-js';
import { MutationCache, mutationOptions, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { codeOf } from './auth-words.ts';
import type { Portal } from './client.ts';

const sessionKey = ['session'] as const;

/** An error that says that the session has ended. */
const isEnded = (error: unknown): boolean =>
  ['session_not_found', 'session_expired', 'bad_jwt', 'user_not_found', 'user_banned'].includes(codeOf(error) ?? '') ||
  (error instanceof Error && error.name === 'AuthSessionMissingError');

/** An answer that says so makes the page look for the session again. */
const onError = (error: unknown) => {
  if (isEnded(error)) void queryClient.invalidateQueries({ queryKey: sessionKey });
};

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: { queries: { retry: 1, staleTime: 10_000 } },
  queryCache: new QueryCache({ onError: (error, query) => query.queryKey !== sessionKey && onError(error) }),
  mutationCache: new MutationCache({ onError }),
});

/** The session of this browser, and whether a second factor is still to be shown. */
export interface SignedIn {
  session: Session;
  /** The account has a second factor that this session has not shown. */
  needsFactor: boolean;
}

/** Reads the session of this browser; null if nobody is signed in. */
export const signedIn = ({ auth }: Portal) =>
  queryOptions({
    queryKey: sessionKey,
    queryFn: async (): Promise<SignedIn | null> => {
      const { session } = orThrow(await auth.getSession());
      if (!session) return null;
      // The server may have ended the session: the client then forgets it.
      const { error } = await auth.getUser();
      if (error && isEnded(error)) {
        await auth.signOut({ scope: 'local' });
        return null;
      }
      const level = orThrow(await auth.mfa.getAuthenticatorAssuranceLevel());
      return { session, needsFactor: level.currentLevel !== level.nextLevel && level.nextLevel === 'aal2' };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Keeps what the pages show in step with the session: other tabs sign in and out, too. */
export function followSession(auth: GoTrueClient): void {
  auth.onAuthStateChange((event) => {
    if (event === 'INITIAL_SESSION') return;
    // The client holds its lock while it calls this function.
    setTimeout(() => {
      if (event === 'SIGNED_OUT') queryClient.clear();
      void queryClient.invalidateQueries();
    });
  });
}

/** Returns the data of a call, or throws its error. */
export function orThrow<Answer extends { data: unknown; error: unknown }>(
  answer: Answer,
): Extract<Answer, { error: null }>['data'] {
  if (answer.error) throw answer.error;
  return answer.data;
}

/** Makes a call to `/auth/v1` as the member, for calls that the stock client has no method for. Throws an Error with the server's sentence. */
export async function callAuth<T>({ app, auth }: Portal, path: string, init: RequestInit = {}): Promise<T> {
  const { session } = orThrow(await auth.getSession());
  const response = await fetch(`/auth/v1${path}`, {
    ...init,
    headers: { apikey: app.publishable_key, ...(session && { authorization: `Bearer ${session.access_token}` }) },
  });
  const body = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) {
    const said = body?.msg ?? body?.message ?? `The app answered ${response.status}.`;
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

/** Leads to a provider; the browser comes back to /arrive. */
export const signInWithProvider = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async ({ id, next }: { id: string; next: string }) => {
      const redirectTo = `${location.origin}/arrive?next=${encodeURIComponent(next)}`;
      const options = { redirectTo, skipBrowserRedirect: true };
      const { url } = orThrow(await auth.signInWithOAuth({ provider: id as 'google', options }));
      if (url) location.assign(url);
    },
  });

/** Asks for a mail with a link and a code, which sign in or, with `isNew`, make an account. */
export const mailLink = ({ mails }: Portal) =>
  mutationOptions({
    mutationFn: async ({ email, next }: { email: string; next: string }) => {
      const emailRedirectTo = `${location.origin}/arrive?next=${encodeURIComponent(next)}`;
      return orThrow(await mails.signInWithOtp({ email, options: { emailRedirectTo, shouldCreateUser: false } }));
    },
  });

/** Makes an account. Without a session the address must be confirmed first. */
export const signUp = ({ auth, mails }: Portal) =>
  mutationOptions({
    mutationFn: async ({ email, password, name }: { email: string; password: string; name: string }) => {
      const emailRedirectTo = `${location.origin}/arrive`;
      const options = { emailRedirectTo, ...(name !== '' && { data: { name } }) };
      const { session } = orThrow(await mails.signUp({ email, password, options }));
      if (session) await keepSession(auth, session);
      return { isSignedIn: session !== null };
    },
  });

/** What a code in a mail is for. */
export type CodeKind = 'email' | 'signup' | 'recovery';

/** Uses the code of a mail and signs in. */
export const useMailedCode = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async ({ email, code, kind }: { email: string; code: string; kind: CodeKind }) =>
      orThrow(await auth.verifyOtp({ email, token: code, type: kind })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionKey }),
  });

/** Sends the mail of a sign-up again. */
export const resendSignUp = ({ mails }: Portal) =>
  mutationOptions({
    mutationFn: async (email: string) =>
      orThrow(await mails.resend({ type: 'signup', email, options: { emailRedirectTo: `${location.origin}/arrive` } })),
  });

/** Asks for a mail that leads to a new password. */
export const recover = ({ mails }: Portal) =>
  mutationOptions({
    mutationFn: async (email: string) =>
      orThrow(await mails.resetPasswordForEmail(email, { redirectTo: `${location.origin}/arrive?next=/new-password` })),
  });

/** Keeps a session that came from a link. */
export async function keepSession(
  auth: GoTrueClient,
  tokens: { access_token: string; refresh_token: string },
): Promise<void> {
  orThrow(await auth.setSession(tokens));
  await queryClient.invalidateQueries({ queryKey: sessionKey });
}

/** Ends the session of this browser. */
export const signOut = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async () => {
      const { error } = await auth.signOut({ scope: 'local' });
      if (error) throw error;
    },
    onSuccess: () => queryClient.clear(),
  });
