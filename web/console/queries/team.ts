import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { AppRole } from '../../../contract/least-roles.ts';
import type {
  AcceptRequest,
  AppInvitationRequest,
  AppTeam,
  BuilderAccess,
  BuilderLink,
  NodeInvitationRequest,
  NodeRoleRequest,
  NodeTeam,
  RecoveryLinkRequest,
  RecoveryRequest,
  SecondFactorRule,
  ShownInvitation,
} from '../../../contract/team.ts';
import { api, segment } from './api.ts';
import { appKeys } from './apps.ts';
import { queryClient } from './query-client.ts';

/** Ref of the app whose team it is; null for the team of the node. */
export type TeamOf = string | null;

const queryKey = (ref: TeamOf) => ['team', ref] as const;
const path = (ref: TeamOf) => (ref === null ? '/team' : `/apps/${segment(ref)}/team`);

/** Reads the builders of an app and its open invitations. */
export const appTeam = (ref: string) =>
  queryOptions({ queryKey: queryKey(ref), queryFn: ({ signal }) => api<AppTeam>(path(ref), { signal }) });

/** Reads the second factors, passkeys and sessions of a builder of an app. Only owners of the app may read them. */
export const builderAccess = (ref: string, id: string) =>
  queryOptions({
    queryKey: [...queryKey(ref), id],
    queryFn: ({ signal }) => api<BuilderAccess>(`${path(ref)}/${segment(id)}`, { signal }),
  });

/** Reads the builders of the node, its open invitations, and whether builders need a second factor. */
export const nodeTeam = () =>
  queryOptions({ queryKey: queryKey(null), queryFn: ({ signal }) => api<NodeTeam>(path(null), { signal }) });

const changing = <Body, Answer>(ref: TeamOf, call: (body: Body) => Promise<Answer>) =>
  mutationOptions({
    mutationFn: call,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKey(ref) }),
  });

/** Invites a builder. If the address was invited before, the link of that invitation stops working. */
export const inviteBuilder = (ref: TeamOf) =>
  changing(ref, (body: AppInvitationRequest | NodeInvitationRequest) =>
    api<BuilderLink>(`${path(ref)}/invitations`, { method: 'POST', body }),
  );

/** Revokes an invitation. */
export const withdrawInvitation = (ref: TeamOf) =>
  changing(ref, (id: string) => api<null>(`${path(ref)}/invitations/${segment(id)}`, { method: 'DELETE' }));

/** Changes the role of a builder of an app. */
export const changeRole = (ref: string) =>
  changing(ref, ({ id, role }: { id: string; role: AppRole }) =>
    api<null>(`${path(ref)}/${segment(id)}`, { method: 'PUT', body: { role } }),
  );

/** Changes the role of a builder on the node. */
export const changeNodeRole = () =>
  changing(null, ({ id, ...body }: NodeRoleRequest & { id: string }) =>
    api<null>(`${path(null)}/${segment(id)}`, { method: 'PUT', body }),
  );

/** Removes a builder from the team of an app. From the team of the node, deletes the builder's account. */
export const removeBuilder = (ref: TeamOf) =>
  changing(ref, (id: string) => api<null>(`${path(ref)}/${segment(id)}`, { method: 'DELETE' }));

/** Removes the builder who is signed in from the team of an app. */
export const leaveApp = (ref: string) =>
  mutationOptions({
    mutationFn: () => api<null>(`${path(ref)}/leave`, { method: 'POST', body: {} }),
    onSuccess: () => queryClient.resetQueries({ queryKey: appKeys.list(), exact: true }),
  });

/** Changes whether the node requires a second factor from every builder. */
export const setSecondFactorRule = () =>
  changing(null, (body: SecondFactorRule) => api<null>('/node/second-factor', { method: 'PUT', body }));

/** Reads the content of an invitation by the secret of its link. */
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

/** Creates the link with which a builder sets a new password. Only owners of the node may. */
export const createRecoveryLink = () =>
  mutationOptions({
    mutationFn: (body: RecoveryLinkRequest) => api<BuilderLink>('/builders/recover', { method: 'POST', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['team'] }),
  });

/** Sets a new password with a recovery link. */
export const recover = () =>
  mutationOptions({ mutationFn: (body: RecoveryRequest) => api<null>('/recovery', { method: 'POST', body }) });
