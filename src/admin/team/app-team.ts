import { z } from 'zod';
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
import { type AdminCall, adminCall } from '../call.ts';
import { builderOf } from '../caller-name.ts';
import type { AdminContext, Caller } from '../context.ts';
import { ownsApp } from '../least-role.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';

/** The e-mail address of an account in the form in which the database stores it. */
export const address = z.email().max(limits.emailCharacters.default).toLowerCase();

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

const showAppTeam = adminCall({
  route: 'GET /apps/:ref/team',
  least: 'reader',
  summary: 'Returns the builders of an app and the open invitations.',
  returns: 'AppTeam',
  handle: async ({ context, caller, ref }) => {
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
  },
});

/** Removes the apps that the caller cannot open, so that a team does not reveal the refs of other apps. */
const visibleApps = (caller: Caller, apps: AppBuilder['apps']): AppBuilder['apps'] =>
  caller.kind === 'operator' ? apps : Object.fromEntries(Object.entries(apps).filter(([ref]) => caller.apps.has(ref)));

const showAppBuilder = adminCall({
  route: 'GET /apps/:ref/team/:id',
  least: 'owner',
  summary:
    "Returns the second factors, passkeys and sessions of a builder of the app. It leaves out IP addresses, because a session of a builder is a session on the node and no concern of the app's team.",
  returns: 'BuilderAccess',
  errors: ['builder_unknown'],
  handle: async ({ context, ref, id }) => {
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
  },
});

const inviteToApp = adminCall({
  route: 'POST /apps/:ref/team/invitations',
  least: 'owner',
  sensitive: 'invite a builder',
  audit: {
    action: 'builder_invited',
    details: ({ email, role }) => ({ email, role }),
  },
  summary: 'Creates an invitation. Only this response contains its link.',
  returns: '201 BuilderLink',
  errors: ['builder_exists', 'invitations_full'],
  body: z.strictObject({ email: address, role: z.enum(appRoles) }) satisfies z.ZodType<AppInvitationRequest>,
  handle: async ({ context, caller, ref, body: { email, role } }) => {
    await context.apps.find(ref);
    const invitedBy = caller.kind === 'builder' ? caller.userId : null;
    const link = await context.registry.team.invite({ email, app: ref, role, createsApps: false, invitedBy });
    return json(linkTo(context, '/invitation', link), 201);
  },
});

const uninviteFromApp = adminCall({
  route: 'DELETE /apps/:ref/team/invitations/:id',
  least: 'owner',
  audit: {
    action: 'invitation_withdrawn',
    details: (_, { id }) => ({ id }),
  },
  summary: 'Withdraws an invitation.',
  errors: ['invitation_invalid'],
  handle: async ({ context, ref, id }) => {
    await context.registry.team.uninvite(uuidOf(id), ref);
    return noContent();
  },
});

const changeAppRole = adminCall({
  route: 'PUT /apps/:ref/team/:id',
  least: 'owner',
  sensitive: 'change the role of a builder',
  audit: {
    action: 'builder_role_changed',
    details: ({ role }, { id }) => ({ builder_id: id, role }),
  },
  summary: "Changes a builder's role.",
  errors: ['builder_unknown', 'last_owner'],
  body: z.strictObject({ role: z.enum(appRoles) }) satisfies z.ZodType<AppRoleRequest>,
  handle: async ({ context, ref, id, body: { role } }) => {
    await context.registry.team.setAppRole(ref, uuidOf(id), role);
    return noContent();
  },
});

const removeFromApp = adminCall({
  route: 'DELETE /apps/:ref/team/:id',
  least: 'owner',
  sensitive: 'remove a builder',
  audit: { action: 'builder_removed', details: (_, { id }) => ({ builder_id: id }) },
  summary: 'Removes a builder from the app.',
  errors: ['builder_unknown', 'last_owner'],
  handle: async ({ context, ref, id }) => {
    await context.registry.team.removeFromApp(ref, uuidOf(id));
    return noContent();
  },
});

const leaveApp = adminCall({
  route: 'POST /apps/:ref/team/leave',
  least: 'reader',
  audit: { action: 'builder_left' },
  summary: 'Removes the caller from the app.',
  errors: ['builder_unknown', 'last_owner'],
  handle: async ({ context, caller, ref }) => {
    await context.registry.team.removeFromApp(ref, builderOf(caller).userId);
    return noContent();
  },
});

export const appTeamCalls: readonly AdminCall[] = [
  showAppTeam,
  inviteToApp,
  uninviteFromApp,
  showAppBuilder,
  changeAppRole,
  leaveApp,
  removeFromApp,
];
