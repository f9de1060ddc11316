import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { AddSigningKeysRequest, SigningKeyEntry } from '../../../contract/admin.ts';
import { api, segment } from './api.ts';
import { queryClient } from './query-client.ts';

const queryKey = (ref: string) => ['keys', ref] as const;
const path = (ref: string) => `/apps/${segment(ref)}/keys`;

/** Reads the keys that sign access tokens of an app, newest first. */
export const signingKeys = (ref: string) =>
  queryOptions({
    queryKey: queryKey(ref),
    queryFn: ({ signal }) => api<SigningKeyEntry[]>(path(ref), { signal }),
  });

const changing = <Body>(ref: string, call: (body: Body) => Promise<unknown>) =>
  mutationOptions({
    mutationFn: call,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKey(ref) }),
  });

/** Adds standby keys. */
export const addKeys = (ref: string) =>
  changing(ref, (body: AddSigningKeysRequest) => api<SigningKeyEntry[]>(path(ref), { method: 'POST', body }));

/** Makes a standby key the current key, which signs new tokens. */
export const rotateKeys = (ref: string) =>
  changing(ref, (kid: string) => api<SigningKeyEntry[]>(`${path(ref)}/rotate`, { method: 'POST', body: { kid } }));

/** Revokes a key. */
export const revokeKey = (ref: string) =>
  changing(ref, (kid: string) =>
    api<SigningKeyEntry[]>(`${path(ref)}/${segment(kid)}/revoke`, { method: 'POST', body: {} }),
  );
