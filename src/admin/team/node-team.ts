import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import {
  type NodeInvitationRequest,
  type NodeRoleRequest,
  type NodeTeam,
  nodeRoles,
  type SecondFactorRule,
} from '../../../contract/team.ts';
import { deleteUser } from '../../accounts/users/users.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { callerName } from '../caller-name.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';
import { address, linkTo, uuidOf } from './app-team.ts';

const rights = { role: z.enum(nodeRoles), creates_apps: z.boolean() };

const showNodeTeam = adminCall({
  route: 'GET /team',
  least: 'node owner',
  summary:
    'Returns the builders of the node, the open invitations to the node, and whether builders need a second factor.',
  returns: 'NodeTeam',
  handle: async ({ context, caller }) => {
    const { registry } = context;
    const answer: NodeTeam = {
      own_id: caller.kind === 'builder' ? caller.userId : null,
      builders: await registry.builders(),
      invitations: await registry.team.invitations(null),
      second_factor_required_from: await registry.team.secondFactorFrom(),
    };
    return json(answer);
  },
});

const setSecondFactorRule = adminCall({
  route: 'PUT /node/second-factor',
  least: 'node owner',
  sensitive: 'change whether builders need a second factor',
  audit: {
    action: 'second_factor_rule_changed',
    details: ({ required, grace_days }) => ({ required: String(required ?? ''), grace_days }),
  },
  summary: 'Requires a second factor of every builder after a number of days, or stops requiring it.',
  errors: ['second_factor_required'],
  body: z.strictObject({
    required: z.boolean(),
    grace_days: z.int().min(0).max(limits.secondFactorGraceDays.default),
  }) satisfies z.ZodType<SecondFactorRule>,
  handle: async ({ context, caller, body: { required, grace_days: graceDays } }) => {
    if (required && caller.kind === 'builder' && !caller.hasSecondFactor) {
      throw new NinefoldError('second_factor_required', { message: 'Add a second factor to your own account first.' });
    }
    await context.registry.team.requireSecondFactor(required ? graceDays : null, await callerName(context, caller));
    return noContent();
  },
});

const inviteToNode = adminCall({
  route: 'POST /team/invitations',
  least: 'node owner',
  sensitive: 'invite a builder',
  audit: {
    action: 'builder_invited',
    details: ({ email, role, creates_apps }) => ({
      email,
      role,
      creates_apps: creates_apps === true,
    }),
  },
  summary: 'Creates an invitation. Only this response contains its link.',
  returns: '201 BuilderLink',
  errors: ['builder_exists', 'invitations_full'],
  body: z.strictObject({ email: address, ...rights }) satisfies z.ZodType<NodeInvitationRequest>,
  handle: async ({ context, caller, body: { email, role, creates_apps: createsApps } }) => {
    const invitedBy = caller.kind === 'builder' ? caller.userId : null;
    const link = await context.registry.team.invite({ email, app: null, role, createsApps, invitedBy });
    return json(linkTo(context, '/invitation', link), 201);
  },
});

const uninviteFromNode = adminCall({
  route: 'DELETE /team/invitations/:id',
  least: 'node owner',
  audit: { action: 'invitation_withdrawn', details: (_, { id }) => ({ id }) },
  summary: 'Withdraws an invitation.',
  errors: ['invitation_invalid'],
  handle: async ({ context, id }) => {
    await context.registry.team.uninvite(uuidOf(id), null);
    return noContent();
  },
});

const changeNodeRole = adminCall({
  route: 'PUT /team/:id',
  least: 'node owner',
  sensitive: 'change the role of a builder',
  audit: {
    action: 'builder_role_changed',
    details: ({ role, creates_apps }, { id }) => ({
      builder_id: id,
      role,
      creates_apps: creates_apps === true,
    }),
  },
  summary: "Changes a builder's role on the node.",
  errors: ['builder_unknown', 'last_owner'],
  body: z.strictObject(rights) satisfies z.ZodType<NodeRoleRequest>,
  handle: async ({ context, id, body: { role, creates_apps: createsApps } }) => {
    await context.registry.team.setNodeRole(uuidOf(id), role, createsApps);
    return noContent();
  },
});

const removeBuilder = adminCall({
  route: 'DELETE /team/:id',
  least: 'node owner',
  sensitive: 'remove a builder',
  audit: { action: 'builder_removed', details: (_, { id }) => ({ builder_id: id }) },
  summary: 'Removes every role of a builder and deletes the account with its sessions.',
  errors: ['builder_unknown', 'last_owner'],
  handle: async ({ context, id }) => {
    const userId = uuidOf(id);
    await context.registry.team.removeFromNode(userId);
    const { database } = await openApp(context, CONSOLE_REF);
    await deleteUser(database, userId);
    return noContent();
  },
});

export const nodeTeamCalls: readonly AdminCall[] = [
  setSecondFactorRule,
  showNodeTeam,
  inviteToNode,
  uninviteFromNode,
  changeNodeRole,
  removeBuilder,
];
