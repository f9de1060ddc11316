import { z } from 'zod';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import type { PortalScreens, PortalSharedView, PortalSharedViews, PortalViewToShare } from '../../contract/portal.ts';
import type { App } from '../apps/app.ts';
import { runAsServerRole } from '../apps/run-as-server-role.ts';
import { firstJson } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { UUID } from '../identity/uuid.ts';
import { readScreens, type ScreensFor } from './portal-caller.ts';
import { json, parsed, view } from './portal-views.ts';

/** The longest name of a role in characters, which `ninefold.roles` checks. */
const ROLE_CHARACTERS = 63;

const sharedView = view.extend({
  role: z.string().max(ROLE_CHARACTERS).nullable(),
}) satisfies z.ZodType<PortalViewToShare>;

/** Conflicts with itself, so that SHARE counts the views of all earlier requests. */
const LOCK = 'lock table ninefold.shared_views in share row exclusive mode';

/**
 * Shares a view, or changes the shared view with the same name. Does nothing if the member or the app has the maximum
 * number of other shared views, or if the member lacks the role.
 */
const SHARE = `insert into ninefold.shared_views as v (user_id, route, name, search, role)
  select $1::uuid, $2, $3, $4, $5
  where (select count(*) from ninefold.shared_views o where o.user_id = $1::uuid and (o.route, o.name) <> ($2, $3)) < $6::int
    and (select count(*) from ninefold.shared_views o where (o.user_id, o.route, o.name) <> ($1::uuid, $2, $3)) < $7::int
    and ($5::text is null or exists (select from ninefold.member_roles m where m.user_id = $1::uuid and m.role = $5))
  on conflict on constraint shared_views_once do update set search = excluded.search, role = excluded.role, shared_at = now()
  returning to_json(v.id)`;

/** Reads the roles of the member, whether the app has roles, and the views that are shared with the member. */
const READ = `select json_build_object(
  'roles', (select coalesce(json_agg(m.role order by m.role), '[]') from ninefold.member_roles m where m.user_id::text = $1),
  'hasRoles', exists (select from ninefold.roles),
  'views', (select coalesce(json_agg(json_build_object('id', v.id, 'route', v.route, 'name', v.name, 'search', v.search,
      'role', v.role, 'is_own', v.user_id::text is not distinct from $1) order by v.name, v.shared_at, v.id), '[]')
    from ninefold.shared_views v
    where $2::boolean or v.role is null or v.user_id::text = $1
      or exists (select from ninefold.member_roles m where m.user_id::text = $1 and m.role = v.role)))`;

interface Stored {
  readonly roles: readonly string[];
  readonly hasRoles: boolean;
  readonly views: readonly PortalSharedView[];
}

/**
 * Handles `/portal/v1/shared-views`: GET returns the views that members share with the caller, PUT shares a view, and
 * DELETE removes the view with the given `id`. A caller sees only views of lists that the caller can open. The secret
 * key sees and removes every view.
 */
export async function sharedViewsReply(
  app: App,
  request: CallRequest,
  identify: () => Promise<Identity>,
  screensFor: ScreensFor,
): Promise<Reply> {
  const identity = await identify();
  if (identity.source === 'none') throw new NinefoldError('key_missing');
  const screens = () => readScreens(app, identity, request, screensFor);
  if (request.method === 'PUT') await share(app, request, identity, screens);
  else if (request.method === 'DELETE') await remove(app, request, identity);
  else if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new NinefoldError('method_not_allowed', { headers: { allow: 'GET, PUT, DELETE' } });
  }
  return json(await shown(app, identity, screens));
}

const seesAll = ({ role }: Identity): boolean => role === 'service_role';

async function stored(app: App, identity: Identity): Promise<Stored> {
  const params = [identity.userId, String(seesAll(identity))];
  const [found] = await runAsServerRole(app.serverDatabase, [{ text: READ, params }]);
  return (found && firstJson<Stored>(found)) ?? { roles: [], hasRoles: false, views: [] };
}

/**
 * Returns true if the caller may share views. In an app with roles, accounts without a role may be strangers who have
 * signed up, and cannot put texts into the menus of other members.
 */
const mayShare = ({ userId, claims }: Identity, { roles, hasRoles }: Stored): boolean =>
  userId !== null && claims.is_anonymous !== true && (!hasRoles || roles.length > 0);

async function shown(app: App, identity: Identity, screens: () => Promise<PortalScreens>): Promise<PortalSharedViews> {
  const all = await stored(app, identity);
  if (seesAll(identity)) return { views: all.views, roles: null };
  if (all.views.length === 0 && all.roles.length === 0)
    return { views: [], roles: mayShare(identity, all) ? [] : null };
  const { screens: open, roles: labels } = await screens();
  const lists = new Set(open.filter(({ kind }) => kind === 'list').map(({ route }) => route));
  // The labels have the order of the roles.
  const labelOf = (name: string): string => labels[all.roles.indexOf(name)] ?? name;
  return {
    views: all.views
      .filter(({ route }) => lists.has(route))
      .map((one) => ({ ...one, role: one.role === null ? null : labelOf(one.role) })),
    roles: mayShare(identity, all) ? all.roles.map((name) => ({ name, label: labelOf(name) })) : null,
  };
}

async function share(
  app: App,
  request: CallRequest,
  identity: Identity,
  screens: () => Promise<PortalScreens>,
): Promise<void> {
  const { route, name, search, role } = parsed(request.body, sharedView);
  const known = await stored(app, identity);
  if (identity.userId === null || !mayShare(identity, known)) {
    throw new NinefoldError('validation_invalid', { message: 'You cannot share views with other members.' });
  }
  const { screens: open } = await screens();
  if (!open.some((screen) => screen.kind === 'list' && screen.route === route)) {
    throw new NinefoldError('validation_invalid', { message: 'You cannot open a list with this route.' });
  }
  const [, saved] = await runAsServerRole(app.serverDatabase, [
    { text: LOCK, params: [] },
    {
      text: SHARE,
      params: [
        ...[identity.userId, route, name, search, role],
        ...[String(limits.memberSharedViews.default), String(limits.sharedViews.default)],
      ],
    },
  ]);
  if (saved && firstJson<string>(saved) !== null) return;
  if (role !== null && !known.roles.includes(role)) {
    throw new NinefoldError('validation_invalid', {
      message: 'You can share with all members, or with a role that you have.',
    });
  }
  const own = known.views.filter(({ is_own }) => is_own).length;
  const limit = own >= limits.memberSharedViews.default ? 'memberSharedViews' : 'sharedViews';
  const message = `${limits[limit].default} views are shared, which is the limit. Remove one of them first.`;
  throw new NinefoldError('validation_invalid', { message, limit });
}

async function remove(app: App, request: CallRequest, identity: Identity): Promise<void> {
  const id = new URLSearchParams(request.query).get('id') ?? '';
  if (!UUID.test(id)) throw new NinefoldError('validation_invalid', { message: 'id is that of a shared view.' });
  const text = 'delete from ninefold.shared_views where id = $1::uuid and ($3::boolean or user_id::text = $2)';
  await runAsServerRole(app.serverDatabase, [{ text, params: [id, identity.userId, String(seesAll(identity))] }]);
}
