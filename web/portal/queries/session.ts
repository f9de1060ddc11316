import type { GoTrueClient, Session } from '@supabase/auth-js';
import { MutationCache, mutationOptions, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { t } from '../../language/messages.ts';
import { codeOf } from './auth-words.ts';
import type { Portal } from './client.ts';
import { isUnreachable, loseConnection, reach } from './connection.ts';
import { followAccount } from './language.ts';

/** Key of the query `signedIn`. */
export const sessionKey = ['session'] as const;

/** Returns true for an error which says that the session has ended. */
const isEnded = (error: unknown): boolean =>
  ['session_not_found', 'session_expired', 'bad_jwt', 'user_not_found', 'user_banned'].includes(codeOf(error) ?? '') ||
  (error instanceof Error &&
    (error.name === 'AuthSessionMissingError' ||
      (error.name === 'Refusal' && 'status' in error && error.status === 401)));

/** Reads the session again if an error says that it has ended. Records a lost connection. */
const onError = (error: unknown) => {
  if (isUnreachable(error)) loseConnection(reconnect);
  if (isEnded(error)) void queryClient.invalidateQueries({ queryKey: sessionKey });
};

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: { queries: { retry: 1, staleTime: 10_000 } },
  queryCache: new QueryCache({
    onError: (error, query) => query.queryKey !== sessionKey && onError(error),
  }),
  mutationCache: new MutationCache({ onError }),
});

/** Tries to reach the app. If it responds, reads the visible rows again. */
export function reconnect(): void {
  reach('/portal/v1/app', { method: 'HEAD', cache: 'no-store' }).then(
    () => queryClient.invalidateQueries({ queryKey: ['rows'] }),
    () => loseConnection(reconnect),
  );
}

/** Follows what the browser reports about its network. While the browser is offline, changes wait; they are sent once it is online. */
export function followConnection(): void {
  addEventListener('offline', () => loseConnection(reconnect));
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
