import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';

/** A provider that was added by its addresses. The server never sends the secret. */
export interface CustomProvider {
  identifier: string;
  name: string;
  client_id: string;
  issuer: string | null;
  authorization_url: string | null;
  enabled: boolean;
}

/** The values of a new provider. */
export interface NewProvider {
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string;
}

const queryKey = (ref: string) => ['custom-providers', ref] as const;
const path = (ref: string, identifier?: string): string =>
  `/apps/${segment(ref)}/auth/v1/admin/custom-providers${identifier === undefined ? '' : `/${segment(identifier)}`}`;
const onSuccess = (ref: string) => () => queryClient.invalidateQueries({ queryKey: queryKey(ref) });

/** Reads the providers that were added to an app. */
export const customProviders = (ref: string) =>
  queryOptions({
    queryKey: queryKey(ref),
    queryFn: async ({ signal }) => (await api<{ providers: CustomProvider[] }>(path(ref), { signal })).providers,
  });

/** Adds an OpenID Connect provider. The server first reads the discovery document of the provider. */
export const addCustomProvider = (ref: string) =>
  mutationOptions({
    mutationFn: (provider: NewProvider) =>
      api<CustomProvider>(path(ref), {
        method: 'POST',
        body: { ...provider, provider_type: 'oidc', identifier: identifierOf(provider.name) },
      }),
    onSuccess: onSuccess(ref),
  });

export const switchCustomProvider = (ref: string) =>
  mutationOptions({
    mutationFn: ({ identifier, enabled }: Pick<CustomProvider, 'identifier' | 'enabled'>) =>
      api<CustomProvider>(path(ref, identifier), { method: 'PUT', body: { enabled } }),
    onSuccess: onSuccess(ref),
  });

export const deleteCustomProvider = (ref: string) =>
  mutationOptions({
    mutationFn: (identifier: string) => api<null>(path(ref, identifier), { method: 'DELETE' }),
    onSuccess: onSuccess(ref),
  });

/** Returns the identifier of a provider in calls: letters, digits and hyphens of its name. */
export function identifierOf(name: string): string {
  const word = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `custom:${word.slice(0, 40).replace(/-+$/, '')}`;
}
