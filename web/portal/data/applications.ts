import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { Portal } from './client.ts';
import { orThrow, queryClient } from './session.ts';

const queryKey = ['applications'] as const;

/** Reads the applications that the member has consented to. */
export const applications = ({ auth }: Portal) =>
  queryOptions({ queryKey, queryFn: async () => orThrow(await auth.oauth.listGrants()) });

/** Revokes the consent for an application and ends its sessions. */
export const revokeApplication = ({ auth }: Portal) =>
  mutationOptions({
    mutationFn: async (clientId: string) => {
      const { error } = await auth.oauth.revokeGrant({ clientId });
      if (error) throw error;
    },
    onSuccess: () => queryClient.invalidateQueries(),
  });
