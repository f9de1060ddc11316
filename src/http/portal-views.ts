import { z } from 'zod';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import type { PortalView } from '../../contract/portal.ts';
import type { App } from '../apps/app.ts';
import { runAsServerRole } from '../apps/run-as-server-role.ts';
import { firstJson } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';

/** The schema of a view in a body. */
export const view = z.strictObject({
  route: z.string().min(1).max(limits.memberViewRoute.default),
  name: z.string().trim().min(1).max(limits.memberViewName.default),
  search: z.string().max(limits.memberViewSearch.default),
});

/**
 * Locks the views of a member until the end of the transaction, so that SAVE counts the views of all earlier requests.
 * A member without a view cannot exceed the limit by the requests that a node handles at the same time.
 */
const LOCK = 'select 1 from ninefold.member_views where user_id = $1::uuid order by route, name for update';

/**
 * Statement that saves a view, or replaces the view with the same name. It does nothing if the member already has the
 * maximum number of views with other names.
 */
const SAVE = `insert into ninefold.member_views as v (user_id, route, name, search)
  select $1::uuid, $2, $3, $4
  where (select count(*) from ninefold.member_views o where o.user_id = $1::uuid and (o.route, o.name) <> ($2, $3)) < $5::int
  on conflict on constraint member_views_pkey do update set search = excluded.search
  returning to_json(v.name)`;

const READ = `select coalesce(json_agg(json_build_object('route', v.route, 'name', v.name, 'search', v.search)
  order by v.saved_at, v.route, v.name), '[]') from ninefold.member_views v where v.user_id = $1::uuid`;

/**
 * Handles `/portal/v1/views`: GET returns the views that the member has saved, PUT saves a view, and DELETE deletes the
 * view with the given `route` and `name`.
 */
export async function viewsReply(app: App, request: CallRequest, identify: () => Promise<Identity>): Promise<Reply> {
  const { userId, source } = await identify();
  if (source === 'none') throw new NinefoldError('key_missing');
  if (request.method === 'GET' || request.method === 'HEAD') {
    return json(userId === null ? [] : await read<PortalView[]>(app, READ, [userId]));
  }
  if (userId === null)
    throw new NinefoldError('validation_invalid', { message: 'Only a member who is signed in saves views.' });
  if (request.method === 'PUT') {
    const { route, name, search } = parsed(request.body, view);
    const [, saved] = await runAsServerRole(app.serverDatabase, [
      { text: LOCK, params: [userId] },
      { text: SAVE, params: [userId, route, name, search, String(limits.memberViews.default)] },
    ]);
    if (!saved || firstJson<string>(saved) === null) {
      const message = `You have ${limits.memberViews.default} saved views. Delete one of them first.`;
      throw new NinefoldError('validation_invalid', { message, limit: 'memberViews' });
    }
  } else if (request.method === 'DELETE') {
    const asked = new URLSearchParams(request.query);
    const [route, name] = [asked.get('route') ?? '', asked.get('name') ?? ''];
    if (hasNul(route, name)) throw new NinefoldError('validation_invalid', { message: NO_VIEW });
    const text = 'delete from ninefold.member_views where user_id = $1::uuid and route = $2 and name = $3';
    await runAsServerRole(app.serverDatabase, [{ text, params: [userId, route, name] }]);
  } else {
    throw new NinefoldError('method_not_allowed', { headers: { allow: 'GET, PUT, DELETE' } });
  }
  return json(await read<PortalView[]>(app, READ, [userId]));
}

async function read<T>(app: App, text: string, params: string[]): Promise<T | null> {
  const [found] = await runAsServerRole(app.serverDatabase, [{ text, params }]);
  return (found && firstJson<T>(found)) ?? null;
}

const NO_VIEW = 'A view has a route, a name and a search, within the limits of their characters.';

/** Returns true if a text contains a NUL character. PostgreSQL refuses these in texts. */
const hasNul = (...texts: readonly string[]): boolean => texts.some((text) => text.includes('\0'));

/**
 * Returns the view in the body of a request.
 * @throws NinefoldError body_malformed, validation_invalid
 */
export function parsed<V extends PortalView>(body: Uint8Array | null, schema: z.ZodType<V>): V {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body ?? []).toString('utf8'));
  } catch {
    throw new NinefoldError('body_malformed');
  }
  const read = schema.safeParse(value);
  if (!read.success || Object.values(read.data).some((text) => typeof text === 'string' && hasNul(text))) {
    throw new NinefoldError('validation_invalid', { message: NO_VIEW });
  }
  return read.data;
}

/** Returns a reply that no cache stores. */
export const json = (value: unknown): Reply => ({
  status: 200,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-store',
    vary: 'Authorization, apikey',
  },
  body: JSON.stringify(value),
});
