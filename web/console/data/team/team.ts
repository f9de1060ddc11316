import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type {
  AcceptRequest,
  AppInvitationRequest,
  AppRole,
  AppTeam,
  BuilderLink,
  RecoveryRequest,
  ShownInvitation,
} from '../../../../contract/team.ts';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';

const queryKey = (ref: string) => ['team', ref] as const;
const path = (ref: string) => `/apps/${segment(ref)}/team`;

/** The builders of an app and the open invitations to it. */
export const appTeam = (ref: string) =>
  queryOptions({ queryKey: queryKey(ref), queryFn: ({ signal }) => api<AppTeam>(path(ref), { signal }) });

const changing = <Body, Answer>(ref: string, call: (body: Body) => Promise<Answer>) =>
  mutationOptions({
    mutationFn: call,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKey(ref) }),
  });

/** Invites a builder to an app. */
export const inviteBuilder = (ref: string) =>
  changing(ref, (body: AppInvitationRequest) => api<BuilderLink>(`${path(ref)}/invitations`, { method: 'POST', body }));

/** Takes an invitation back. */
export const withdrawInvitation = (ref: string) =>
  changing(ref, (id: string) => api<null>(`${path(ref)}/invitations/${segment(id)}`, { method: 'DELETE' }));

/** Changes the role of a builder. */
export const changeRole = (ref: string) =>
  changing(ref, ({ id, role }: { id: string; role: AppRole }) =>
    api<null>(`${path(ref)}/${segment(id)}`, { method: 'PUT', body: { role } }),
  );

/** Takes the app from a builder. */
export const removeBuilder = (ref: string) =>
  changing(ref, (id: string) => api<null>(`${path(ref)}/${segment(id)}`, { method: 'DELETE' }));

/** What the link of an invitation offers. */
export const shownInvitation = (secret: string) =>
  queryOptions({
    queryKey: ['invitation', secret],
    queryFn: ({ signal }) => api<ShownInvitation>('/invitations/show', { method: 'POST', body: { secret }, signal }),
    retry: false,
  });

/** Accepts an invitation. */
export const acceptInvitation = () =>
  mutationOptions({
    mutationFn: (body: AcceptRequest) => api<null>('/invitations/accept', { method: 'POST', body }),
  });

/** Sets a new password with a recovery link. */
export const recover = () =>
  mutationOptions({ mutationFn: (body: RecoveryRequest) => api<null>('/recovery', { method: 'POST', body }) });
