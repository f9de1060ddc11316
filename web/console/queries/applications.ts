import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { api, segment } from './api.ts';
import { queryClient } from './query-client.ts';

/** An application to which members sign in with their account of the app. */
export interface Application {
  client_id: string;
  client_name?: string;
  client_type: 'public' | 'confidential';
  redirect_uris: string[];
  /** The scopes that the application may ask for, separated by blanks. If it is absent, the application may ask for all scopes. */
  scope?: string;
  registration_type: 'manual' | 'dynamic';
  /** The number of members who have consented to the application. */
  grants: number;
  created_at: string;
}

/** An application with a new secret. The server sends the secret only once. */
export type ApplicationWithSecret = Omit<Application, 'grants'> & { client_secret?: string };

/** The values of an application that a builder can set. */
interface ApplicationValues {
  client_name: string;
  redirect_uris: readonly string[];
  scope: string;
}

const queryKey = (ref: string) => ['applications', ref] as const;
const path = (ref: string, id?: string): string =>
  `/apps/${segment(ref)}/applications${id === undefined ? '' : `/${segment(id)}`}`;
const onSuccess = (ref: string) => () => queryClient.invalidateQueries({ queryKey: queryKey(ref) });

/** Reads the applications of an app, newest first. Works only if the app is enabled as an identity provider. */
export const applications = (ref: string) =>
  queryOptions({
    queryKey: queryKey(ref),
    queryFn: async ({ signal }) => (await api<{ clients: Application[] }>(path(ref), { signal })).clients,
  });

/** Registers an application. */
export const registerApplication = (ref: string) =>
  mutationOptions({
    mutationFn: (body: ApplicationValues & Pick<Application, 'client_type'>) =>
      api<ApplicationWithSecret>(path(ref), { method: 'POST', body }),
    onSuccess: onSuccess(ref),
  });

/** Changes the name, the redirect addresses and the scopes of an application. */
export const changeApplication = (ref: string, id: string) =>
  mutationOptions({
    mutationFn: (body: ApplicationValues) => api<Application>(path(ref, id), { method: 'PUT', body }),
    onSuccess: onSuccess(ref),
  });

/** Creates a new secret for an application. The previous secret stops working. */
export const renewSecret = (ref: string, id: string) =>
  mutationOptions({
    mutationFn: () => api<ApplicationWithSecret>(`${path(ref, id)}/secret`, { method: 'POST', body: {} }),
  });

/** Deletes an application and ends its sessions. */
export const deleteApplication = (ref: string, id: string) =>
  mutationOptions({
    mutationFn: () => api<null>(path(ref, id), { method: 'DELETE' }),
    onSuccess: onSuccess(ref),
  });
