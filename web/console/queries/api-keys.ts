import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type {
  ApiKeyEntry,
  AppConnection,
  CreateApiKeyRequest,
  CreatedApiKey,
  RevealedApiKey,
} from '../../../contract/admin.ts';
import { api, segment } from './api.ts';
import { appKeys } from './apps.ts';
import { queryClient } from './query-client.ts';

const queryKey = (ref: string) => ['api-keys', ref] as const;
const path = (ref: string) => `/apps/${segment(ref)}/api-keys`;

/** Reads the API keys of an app. The keys that were created with the app come first. */
export const apiKeys = (ref: string) =>
  queryOptions({
    queryKey: queryKey(ref),
    queryFn: ({ signal }) => api<ApiKeyEntry[]>(path(ref), { signal }),
  });

const changing = <Body, Answer>(ref: string, call: (body: Body) => Promise<Answer>) =>
  mutationOptions({
    mutationFn: call,
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: queryKey(ref) }),
        queryClient.invalidateQueries({ queryKey: appKeys.connection(ref) }),
      ]),
  });

/** Creates a secret key. */
export const createApiKey = (ref: string) =>
  changing(ref, (body: CreateApiKeyRequest) => api<CreatedApiKey>(path(ref), { method: 'POST', body }));

/** Revokes a key and creates another key that replaces it. */
export const rotateApiKey = (ref: string) =>
  changing(ref, (id: string) => api<CreatedApiKey>(`${path(ref)}/${segment(id)}/rotate`, { method: 'POST', body: {} }));

/** Revokes a key. */
export const revokeApiKey = (ref: string) =>
  changing(ref, (id: string) => api<ApiKeyEntry[]>(`${path(ref)}/${segment(id)}/revoke`, { method: 'POST', body: {} }));

/** Loads the secret of a key that was created with the app. The audit log records this. */
export const revealApiKey = (ref: string, id: AppConnection['reveals'][number]) =>
  mutationOptions({
    mutationFn: () => api<RevealedApiKey>(`${path(ref)}/${segment(id)}/reveal`, { method: 'POST', body: {} }),
    gcTime: 0,
  });
