import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';

/** A provider that an app has added by its addresses; the secret is never sent. */
export interface CustomProvider {
  identifier: string;
  name: string;
  client_id: string;
  issuer: string | null;
  authorization_url: string | null;
  enabled: boolean;
}

/** What a new provider needs. */
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

/** The providers that an app has added. */
export const customProviders = (ref: string) =>
  queryOptions({
    queryKey: queryKey(ref),
    queryFn: async ({ signal }) => (await api<{ providers: CustomProvider[] }>(path(ref), { signal })).providers,
  });

/** Adds a provider of OpenID Connect. The server reads its discovery document first. */
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

/** Returns the name that calls use: letters, digits and hyphens of the title. */
export function identifierOf(name: string): string {
  const word = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `custom:${word.slice(0, 40).replace(/-+$/, '')}`;
}
