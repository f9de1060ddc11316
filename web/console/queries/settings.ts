import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { RedirectDecision, SettingEntry, SignInCounts } from '../../../contract/admin.ts';
import type { HookFunctions } from '../../../contract/hooks.ts';
import type { ProviderCheck } from '../../../contract/providers.ts';
import type { LimitLine, Specification } from '../../../contract/specification.ts';
import { api, segment } from './api.ts';
import { mailKeys } from './mails.ts';
import { queryClient } from './query-client.ts';
import { specificationKeys } from './specification.ts';
import { versionKeys } from './versions.ts';

/** The settings of an app, by key. */
export type AppSettings = ReadonlyMap<string, SettingEntry>;

const queryKey = (ref: string) => ['settings', ref] as const;

/** Reads the settings of an app. The server does not send the value of a secret, only `is_set`. */
export const appSettings = (ref: string) =>
  queryOptions({
    queryKey: queryKey(ref),
    queryFn: async ({ signal }): Promise<AppSettings> => {
      const entries = await api<SettingEntry[]>(`/apps/${segment(ref)}/settings`, { signal });
      return new Map(entries.map((entry) => [entry.key, entry]));
    },
  });

/**
 * Reads whether a sign-in of an app may redirect to an address. The server decides by the stored settings. A change of
 * settings makes the page ask again.
 */
export const redirectDecision = (ref: string, address: string) =>
  queryOptions({
    queryKey: [...queryKey(ref), 'redirect', address],
    queryFn: ({ signal }) =>
      api<RedirectDecision>(`/apps/${segment(ref)}/redirects?${new URLSearchParams({ address })}`, { signal }),
    enabled: address !== '',
  });

/** New values of settings by key; undefined resets a setting to its default. */
export type SettingChanges = Readonly<Record<string, unknown>>;

/**
 * Changes settings one after the other. If the server refuses a setting, throws `setting_invalid` and does not send the
 * rest. The settings before it stay changed.
 */
export const changeSettings = (ref: string) =>
  mutationOptions({
    mutationFn: async (changes: SettingChanges): Promise<void> => {
      for (const [key, value] of Object.entries(changes)) {
        const path = `/apps/${segment(ref)}/settings/${segment(key)}`;
        if (value === undefined) await api(path, { method: 'DELETE' });
        else await api(path, { method: 'PUT', body: { value } });
      }
    },
    onSettled: async () => {
      void queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) });
      void queryClient.invalidateQueries({ queryKey: mailKeys.templates(ref) });
      await queryClient.invalidateQueries({ queryKey: queryKey(ref) });
    },
  });

/** Checks the client id and the secret of a sign-in provider at the provider. */
export const checkProvider = (ref: string) =>
  mutationOptions({
    mutationFn: (name: string) =>
      api<ProviderCheck>(`/apps/${segment(ref)}/providers/${segment(name)}/check`, { method: 'POST' }),
  });

/** A change of a limit that is an app setting. `to` is the new value; null removes the limit, and `default` resets the setting. */
export interface LimitChange {
  limit: LimitLine;
  to: number | null | 'default';
}

/**
 * Changes the app setting of a limit. The cached specification shows the new value at once. If the server refuses the
 * value with `setting_invalid` or `setting_unknown`, the specification shows the previous value again.
 */
export const changeLimit = (ref: string) =>
  mutationOptions({
    mutationFn: async ({ limit, to }: LimitChange): Promise<void> => {
      const path = `/apps/${segment(ref)}/settings/${segment(limit.change?.key ?? '')}`;
      if (to === 'default') await api(path, { method: 'DELETE' });
      else await api(path, { method: 'PUT', body: { value: to } });
    },
    onMutate: async ({ limit, to }: LimitChange) => {
      const queryKey = specificationKeys.of(ref);
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData<Specification>(queryKey);
      queryClient.setQueryData<Specification>(queryKey, (known) => known && withLimit(known, limit.id, to));
      return { before };
    },
    onError: (_error, _change, result) => {
      if (result?.before) queryClient.setQueryData(specificationKeys.of(ref), result.before);
    },
    onSettled: () => {
      setTimeout(() => {
        void queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) });
        void queryClient.invalidateQueries({ queryKey: versionKeys.all(ref) });
      }, heard);
    },
  });

/** Time in ms until every process of the node uses a changed setting. Until then, a process may still return the previous value. */
const heard = 1000;

/** Returns the specification in which one limit has a new value. Pure. */
export function withLimit(known: Specification, id: string, to: LimitChange['to']): Specification {
  const { limits } = known.chapters;
  if (!limits) return known;
  const changed = limits.limits.map((line): LimitLine => {
    if (line.id !== id) return line;
    const value = to === 'default' ? line.default : to;
    return { ...line, value, set_in: value === line.default ? 'code' : 'setting' };
  });
  return { ...known, chapters: { ...known.chapters, limits: { ...limits, limits: changed } } };
}

/** A provider that a builder added by entering its addresses. The server never sends its secret. */
export interface CustomProvider {
  identifier: string;
  name: string;
  client_id: string;
  issuer: string | null;
  authorization_url: string | null;
  enabled: boolean;
}

/** The values that a builder enters for a new provider. */
export interface NewProvider {
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string;
}

const providersKey = (ref: string) => ['custom-providers', ref] as const;
const path = (ref: string, identifier?: string): string =>
  `/apps/${segment(ref)}/auth/v1/admin/custom-providers${identifier === undefined ? '' : `/${segment(identifier)}`}`;
const onSuccess = (ref: string) => () => queryClient.invalidateQueries({ queryKey: providersKey(ref) });

/** Reads the providers that builders added to an app by their addresses. */
export const customProviders = (ref: string) =>
  queryOptions({
    queryKey: providersKey(ref),
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

/** Returns the identifier of a provider for use in requests. It contains only letters, digits and hyphens of the provider's name. */
export function identifierOf(name: string): string {
  const word = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `custom:${word.slice(0, 40).replace(/-+$/, '')}`;
}

/** Reads the functions of an app that auth hooks can call. */
export const hookFunctions = (ref: string) =>
  queryOptions({
    queryKey: ['hook-functions', ref],
    queryFn: async ({ signal }) =>
      (await api<HookFunctions>(`/apps/${segment(ref)}/hook-functions`, { signal })).functions,
  });

/** Reads the number of sign-ins to an app by method. */
export const signInCounts = (ref: string) =>
  queryOptions({
    queryKey: ['sign-in-counts', ref],
    queryFn: ({ signal }) => api<SignInCounts>(`/apps/${segment(ref)}/sign-ins`, { signal }),
  });
