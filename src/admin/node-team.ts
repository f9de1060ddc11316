import { z } from 'zod';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { type NodeInvitationRequest, type NodeRoleRequest, type NodeTeam, nodeRoles } from '../../contract/team.ts';
import { deleteUser } from '../accounts/users.ts';
import { CONSOLE_REF } from '../apps/app-record.ts';
import { address, linkTo, uuidOf } from './app-team.ts';
import { readBody } from './body.ts';
import type { AdminContext, Caller } from './context.ts';
import { openApp } from './open-app.ts';
import { json, noContent } from './router.ts';

const rights = { role: z.enum(nodeRoles), creates_apps: z.boolean() };
const invitation: z.ZodType<NodeInvitationRequest> = z.strictObject({ email: address, ...rights });
const change: z.ZodType<NodeRoleRequest> = z.strictObject(rights);

/** GET /team: the builders of the node and the open invitations to it. */
export async function showNodeTeam(context: AdminContext): Promise<Reply> {
  const { registry } = context;
  const answer: NodeTeam = { builders: await registry.builders(), invitations: await registry.team.invitations(null) };
  return json(answer);
}

/** POST /team/invitations: the link is shown here and never again. Throws `builder_exists`, `invitations_full`. */
export async function inviteToNode(context: AdminContext, caller: Caller, exchange: Exchange): Promise<Reply> {
  const { email, role, creates_apps: createsApps } = readBody(exchange, invitation);
  const invitedBy = caller.kind === 'builder' ? caller.userId : null;
  const link = await context.registry.team.invite({ email, app: null, role, createsApps, invitedBy });
  return json(linkTo(context, '/invitation', link), 201);
}

/** DELETE /team/invitations/:id. Throws `invitation_invalid`. */
export async function uninviteFromNode(context: AdminContext, id: string): Promise<Reply> {
  await context.registry.team.uninvite(uuidOf(id), null);
  return noContent();
}

/** PUT /team/:id. Throws `builder_unknown`, `last_owner`. */
export async function changeNodeRole(context: AdminContext, exchange: Exchange, id: string): Promise<Reply> {
  const { role, creates_apps: createsApps } = readBody(exchange, change);
  await context.registry.team.setNodeRole(uuidOf(id), role, createsApps);
  return noContent();
}

/** DELETE /team/:id: takes every role from a builder and deletes the account, whose sessions end. Throws as `changeNodeRole`. */
export async function removeBuilder(context: AdminContext, id: string): Promise<Reply> {
  const userId = uuidOf(id);
  await context.registry.team.removeFromNode(userId);
  const { database } = await openApp(context, CONSOLE_REF);
  await deleteUser(database, userId);
  return noContent();
}
