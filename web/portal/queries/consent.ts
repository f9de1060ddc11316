import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { codeOf } from './auth-words.ts';
import type { Portal } from './client.ts';
import { callAuth, orThrow, queryClient, signOut } from './session.ts';

const queryKey = (id: string) => ['authorization', id] as const;
const path = (id: string) => `/oauth/authorizations/${encodeURIComponent(id)}`;

/** Reads the request of an application. If the member has already decided about it, reads the address that returns to the application. */
export const authorization = ({ auth }: Portal, id: string) =>
  queryOptions({
    queryKey: queryKey(id),
    queryFn: async () => {
      const data = orThrow(await auth.oauth.getAuthorizationDetails(id));
      return 'redirect_url' in data ? data : { ...data, needs_sign_in: 'needs_sign_in' in data };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Ends a request whose prompt is `none`, because no member is signed in. Returns the address that returns to the application. */
export const declined = (portal: Portal, id: string) =>
  queryOptions({
    queryKey: ['declined', id],
    queryFn: async () =>
      (await callAuth<{ redirect_url: string }>(portal, `${path(id)}/decline`, { method: 'POST' })).redirect_url,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** Allows or denies the request of an application. Returns the address that returns to the application. */
export const decide = ({ auth }: Portal, id: string) =>
  mutationOptions({
    mutationFn: async (isAllowed: boolean) => {
      const options = { skipBrowserRedirect: true };
      const { redirect_url } = orThrow(
        await (isAllowed ? auth.oauth.approveAuthorization(id, options) : auth.oauth.denyAuthorization(id, options)),
      );
      return redirect_url;
    },
    onSuccess: (address) => location.replace(address),
    onError: (error) => {
      // Reads the request again. The page then asks the member to sign in again.
      if (codeOf(error) === 'oauth_sign_in_too_old') void queryClient.invalidateQueries({ queryKey: queryKey(id) });
    },
  });

/** Gives up the member's claim to a request and ends the session of this browser, so that a member can sign in again with any account. */
export const signInAgain = (portal: Portal, id: string) =>
  mutationOptions({
    ...signOut(portal),
    mutationFn: async () => {
      const body = JSON.stringify({ action: 'switch_account' });
      await callAuth(portal, `${path(id)}/consent`, { method: 'POST', body });
      const { error } = await portal.auth.signOut({ scope: 'local' });
      if (error) throw error;
    },
  });
