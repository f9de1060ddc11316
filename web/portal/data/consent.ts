import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { Portal } from './client.ts';
import { orThrow } from './session.ts';

/** Reads what an application asks the member for, or, if the member allowed it before, the address that leads back to it. */
export const authorization = ({ auth }: Portal, id: string) =>
  queryOptions({
    queryKey: ['authorization', id],
    queryFn: async () => orThrow(await auth.oauth.getAuthorizationDetails(id)),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Allows or denies what an application asks for. Returns the address that leads back to it. */
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
  });
