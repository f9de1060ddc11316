import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
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
import { readBody } from '../body.ts';
import { callerName } from '../caller-name.ts';
import type { AdminContext, Caller } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../router.ts';
import { address, linkTo, uuidOf } from './app-team.ts';

const rights = { role: z.enum(nodeRoles), creates_apps: z.boolean() };
const invitation: z.ZodType<NodeInvitationRequest> = z.strictObject({ email: address, ...rights });
const change: z.ZodType<NodeRoleRequest> = z.strictObject(rights);
const rule: z.ZodType<SecondFactorRule> = z.strictObject({
  required: z.boolean(),
  grace_days: z.int().min(0).max(limits.secondFactorGraceDays.default),
});

/**
 * Handles GET /team: returns the builders of the node, the open invitations to the node, and whether builders need a
 * second factor.
 */
export async function showNodeTeam(context: AdminContext, caller: Caller): Promise<Reply> {
  const { registry } = context;
  const answer: NodeTeam = {
    own_id: caller.kind === 'builder' ? caller.userId : null,
    builders: await registry.builders(),
    invitations: await registry.team.invitations(null),
    second_factor_required_from: await registry.team.secondFactorFrom(),
  };
  return json(answer);
}

/**
 * Handles PUT /node/second-factor: requires a second factor of every builder after a number of days, or stops requiring
 * it.
 * @throws `second_factor_required` if the caller is a builder without a second factor and wants to require one
 */
export async function setSecondFactorRule(context: AdminContext, caller: Caller, request: CallRequest): Promise<Reply> {
  const { required, grace_days: graceDays } = readBody(request, rule);
  if (required && caller.kind === 'builder' && !caller.hasSecondFactor) {
    throw new NinefoldError('second_factor_required', { message: 'Add a second factor to your own account first.' });
  }
  await context.registry.team.requireSecondFactor(required ? graceDays : null, await callerName(context, caller));
  return noContent();
}

/**
 * Handles POST /team/invitations: creates an invitation. Only this response contains its link.
 * @throws `builder_exists`, `invitations_full`
 */
export async function inviteToNode(context: AdminContext, caller: Caller, request: CallRequest): Promise<Reply> {
  const { email, role, creates_apps: createsApps } = readBody(request, invitation);
  const invitedBy = caller.kind === 'builder' ? caller.userId : null;
  const link = await context.registry.team.invite({ email, app: null, role, createsApps, invitedBy });
  return json(linkTo(context, '/invitation', link), 201);
}

/**
 * Handles DELETE /team/invitations/:id: withdraws an invitation.
 * @throws `invitation_invalid`
 */
export async function uninviteFromNode(context: AdminContext, id: string): Promise<Reply> {
  await context.registry.team.uninvite(uuidOf(id), null);
  return noContent();
}

/**
 * Handles PUT /team/:id: changes a builder's role on the node.
 * @throws `builder_unknown`, `last_owner`
 */
export async function changeNodeRole(context: AdminContext, request: CallRequest, id: string): Promise<Reply> {
  const { role, creates_apps: createsApps } = readBody(request, change);
  await context.registry.team.setNodeRole(uuidOf(id), role, createsApps);
  return noContent();
}

/**
 * Handles DELETE /team/:id: removes every role of a builder and deletes the account with its sessions.
 * @throws the errors of `changeNodeRole`
 */
export async function removeBuilder(context: AdminContext, id: string): Promise<Reply> {
  const userId = uuidOf(id);
  await context.registry.team.removeFromNode(userId);
  const { database } = await openApp(context, CONSOLE_REF);
  await deleteUser(database, userId);
  return noContent();
}
