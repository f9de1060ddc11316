import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { Portal } from './client.ts';
import { orThrow, queryClient } from './session.ts';

const queryKey = ['applications'] as const;

/** Reads the applications that the member allowed to sign them in. */
export const applications = ({ auth }: Portal) =>
  queryOptions({ queryKey, queryFn: async () => orThrow(await auth.oauth.listGrants()) });

/** Revokes the consent for an application. The server also ends the sessions of this application. */
export const revokeApplication = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async (clientId: string) => {
      const { error } = await auth.oauth.revokeGrant({ clientId });
      if (error) throw error;
    },
    onSuccess: () => queryClient.invalidateQueries(),
  });
