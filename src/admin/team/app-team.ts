import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { appRoles } from '../../../contract/least-roles.ts';
import { limits } from '../../../contract/limits.ts';
import type {
  AppBuilder,
  AppInvitationRequest,
  AppRoleRequest,
  AppTeam,
  BuilderAccess,
  BuilderLink,
} from '../../../contract/team.ts';
import { listSessions } from '../../accounts/sessions/sessions.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import type { LinkSecret } from '../../apps/team/team-store.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { readBody } from '../body.ts';
import { builderOf } from '../caller-name.ts';
import type { AdminContext, Caller } from '../context.ts';
import { ownsApp } from '../least-role.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../router.ts';

/** The e-mail address of an account in the form in which the database stores it. */
export const address = z.email().max(limits.emailCharacters.default).toLowerCase();

const invitation: z.ZodType<AppInvitationRequest> = z.strictObject({ email: address, role: z.enum(appRoles) });
const change: z.ZodType<AppRoleRequest> = z.strictObject({ role: z.enum(appRoles) });

/**
 * Returns the id of a path.
 * @throws `validation_invalid`
 */
export function uuidOf(id: string): string {
  if (!UUID.test(id)) throw new NinefoldError('validation_invalid', { message: 'id must be a UUID.' });
  return id.toLowerCase();
}

/** Returns a link of the console. Its secret follows #, so no browser sends it to a server. */
export const linkTo = (context: AdminContext, path: string, { secret, expiresAt }: LinkSecret): BuilderLink => ({
  url: `${context.origins.url}${path}#token=${secret}`,
  expires_at: expiresAt,
});

/** Handles GET /apps/:ref/team: returns the builders of an app and the open invitations. */
export async function showAppTeam(context: AdminContext, caller: Caller, ref: string): Promise<Reply> {
  await context.apps.find(ref);
  const { team } = context.registry;
  const isOwner = ownsApp(caller, ref);
  const builders = await team.ofApp(ref);
  const answer: AppTeam = {
    own_role: caller.kind === 'builder' ? (caller.apps.get(ref) ?? 'reader') : 'owner',
    own_id: caller.kind === 'builder' ? caller.userId : null,
    builders: builders.map((one) => ({
      ...one,
      has_second_factor: isOwner ? one.has_second_factor : null,
      apps: visibleApps(caller, one.apps),
    })),
    invitations: isOwner ? await team.invitations(ref) : [],
    second_factor_required_from: await team.secondFactorFrom(),
  };
  return json(answer);
}

/** Removes the apps that the caller cannot open, so that a team does not reveal the refs of other apps. */
const visibleApps = (caller: Caller, apps: AppBuilder['apps']): AppBuilder['apps'] =>
  caller.kind === 'operator' ? apps : Object.fromEntries(Object.entries(apps).filter(([ref]) => caller.apps.has(ref)));

/**
 * Handles GET /apps/:ref/team/:id: returns the second factors, passkeys and sessions of a builder of the app. It leaves
 * out IP addresses, because a session of a builder is a session on the node and no concern of the app's team.
 * @throws `builder_unknown`
 */
export async function showAppBuilder(context: AdminContext, ref: string, id: string): Promise<Reply> {
  const userId = uuidOf(id);
  const keys = await context.registry.team.keysOf(ref, userId);
  const app = await openApp(context, CONSOLE_REF);
  const { auth } = await app.settings();
  const sessions = await listSessions(app.database, auth, { userId });
  const access: BuilderAccess = {
    ...keys,
    sessions: sessions.map((one) => ({ id: one.id, device: one.device, created_at: one.created_at })),
  };
  return json(access);
}

/**
 * Handles POST /apps/:ref/team/invitations: creates an invitation. Only this response contains its link.
 * @throws `builder_exists`, `invitations_full`
 */
export async function inviteToApp(
  context: AdminContext,
  caller: Caller,
  request: CallRequest,
  ref: string,
): Promise<Reply> {
  const { email, role } = readBody(request, invitation);
  await context.apps.find(ref);
  const invitedBy = caller.kind === 'builder' ? caller.userId : null;
  const link = await context.registry.team.invite({ email, app: ref, role, createsApps: false, invitedBy });
  return json(linkTo(context, '/invitation', link), 201);
}

/**
 * Handles DELETE /apps/:ref/team/invitations/:id: withdraws an invitation.
 * @throws `invitation_invalid`
 */
export async function uninviteFromApp(context: AdminContext, ref: string, id: string): Promise<Reply> {
  await context.registry.team.uninvite(uuidOf(id), ref);
  return noContent();
}

/**
 * Handles PUT /apps/:ref/team/:id: changes a builder's role.
 * @throws `builder_unknown`, `last_owner`
 */
export async function changeAppRole(
  context: AdminContext,
  request: CallRequest,
  ref: string,
  id: string,
): Promise<Reply> {
  const { role } = readBody(request, change);
  await context.registry.team.setAppRole(ref, uuidOf(id), role);
  return noContent();
}

/**
 * Handles DELETE /apps/:ref/team/:id: removes a builder from the app.
 * @throws the errors of `changeAppRole`
 */
export async function removeFromApp(context: AdminContext, ref: string, id: string): Promise<Reply> {
  await context.registry.team.removeFromApp(ref, uuidOf(id));
  return noContent();
}

/**
 * Handles POST /apps/:ref/team/leave: removes the caller from the app.
 * @throws the errors of `changeAppRole`, and `builder_unknown` for the operator
 */
export async function leaveApp(context: AdminContext, caller: Caller, ref: string): Promise<Reply> {
  await context.registry.team.removeFromApp(ref, builderOf(caller).userId);
  return noContent();
}
