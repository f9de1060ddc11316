import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { auditEntry } from '../../accounts/audit/audit.ts';
import { listUsers } from '../../accounts/users/list-users.ts';
import { updateUser } from '../../accounts/users/update-user.ts';
import {
  checkMetadata,
  createUser,
  deleteUser,
  findUser,
  type NewUser,
  softDeleteUser,
} from '../../accounts/users/users.ts';
import { optional } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { flag } from '../body.ts';
import { authCall, SOME_ID } from '../call.ts';
import { byAdmin, requireUserId } from '../callers.ts';
import { json, replyHeaders } from '../reply.ts';
import { normaliseId } from '../sign-in/addresses.ts';
import { checkNewPassword, checkPasswordLength, refuseLeakedPassword } from '../sign-in/check-password.ts';
import { addressesOf, adminBody, banSecondsOf, checkPasswordHash } from './body.ts';

/**
 * X-Total-Count is the number of accounts, and Link has the next and the last page (RFC 8288). If `per_page` exceeds
 * the limit usersPerPage, the limit is used. If many accounts match `filter`, the number is an estimate and
 * `X-Total-Count-Estimated` is `true`. `sort` is `created_at asc` or `created_at desc`.
 */
export const adminListUsers = authCall({
  id: 'auth.admin.users.list',
  route: 'GET /admin/users',
  caller: 'secret-key',
  errors: [],
  summary: 'Lists accounts, the newest first.',
  query: {
    page: optional('Which page, from 1.', 'integer'),
    per_page: optional('Accounts on a page; 50 when not given.', 'integer'),
  },
  returns: 'users: a list of users',
  supabaseJs: 'supabase.auth.admin.listUsers()',
  handle: async (context, request) => {
    const query = new URLSearchParams(request.query);
    const { page, perPage } = pageOf(query, limits.usersPerPage.default);
    const filter = query.get('filter')?.slice(0, limits.emailCharacters.default).replaceAll('\0', '') ?? '';
    const oldestFirst = isAscending(query.get('sort'));
    const { total, isEstimated, usersJson } = await listUsers(context.database, { page, perPage, filter, oldestFirst });
    return {
      status: 200,
      headers: {
        ...replyHeaders,
        ...pageHeaders('/admin/users', query, { page, perPage, total }),
        ...(isEstimated && { 'x-total-count-estimated': 'true' }),
      },
      body: `{"users":${usersJson},"aud":"authenticated"}`,
    };
  },
});

/**
 * Returns the page that a list call requests.
 * @param max Upper bound of `per_page`.
 * @throws validation_failed
 */
export const pageOf = (query: URLSearchParams, max: number): { page: number; perPage: number } => ({
  page: Math.max(1, count(query, 'page') ?? 1),
  perPage: Math.min(count(query, 'per_page') || limits.usersPageDefault.default, max),
});

/** Returns the headers with the total number and with links to other pages. */
export const pageHeaders = (
  path: string,
  query: URLSearchParams,
  { page, perPage, total }: { page: number; perPage: number; total: number },
) => ({ 'x-total-count': String(total), link: links(path, query, page, Math.ceil(total / perPage)) });

function count(query: URLSearchParams, name: string): number | null {
  const value = query.get(name);
  if (!value) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new NinefoldError('validation_failed', {
    message: `Bad Pagination Parameters: ${name} must be a whole number`,
  });
}

function isAscending(sort: string | null): boolean {
  if (sort === null || sort === '') return false;
  const match = /^created_at(?: +(asc|desc))?$/i.exec(sort);
  if (match) return match[1]?.toLowerCase() === 'asc';
  throw new NinefoldError('validation_failed', {
    message: 'Bad Sort Parameters: only created_at can be sorted by, with asc or desc',
  });
}

/** Returns links to other pages. `page` is the first parameter of each link, because clients read it there. */
function links(path: string, query: URLSearchParams, page: number, last: number): string {
  const others = [...query].filter(([name]) => name !== 'page');
  const link = (number: number, relation: string) =>
    `<${path}?${new URLSearchParams([['page', String(number)], ...others])}>; rel="${relation}"`;
  return [...(page < last ? [link(page + 1, 'next')] : []), link(last, 'last')].join(', ');
}

export const adminGetUser = authCall({
  id: 'auth.admin.users.get',
  route: 'GET /admin/users/{user_id}',
  caller: 'secret-key',
  errors: ['user_not_found'],
  summary: 'One account.',
  returns: 'the user',
  supabaseJs: `supabase.auth.admin.getUserById('${SOME_ID}')`,
  handle: async (context, _request, { path }) => {
    const user = await findUser(context.database, requireUserId(path.user_id));
    if (!user) throw new NinefoldError('user_not_found');
    return json(user);
  },
});

/** The body has a password or the hash of a password. Without both, the account cannot sign in with a password. */
export const adminCreateUser = authCall({
  id: 'auth.admin.users.create',
  route: 'POST /admin/users',
  caller: 'secret-key',
  body: adminBody,
  errors: ['email_exists', 'phone_exists', 'user_already_exists', 'weak_password'],
  summary: 'Makes an account, also while sign-up is switched off.',
  returns: 'the user',
  example: { email: 'ada@example.org', password: 'a long password', email_confirm: true },
  supabaseJs:
    "supabase.auth.admin.createUser({ email: 'ada@example.org', password: 'a long password', email_confirm: true })",
  handle: async (context, request, { readBody }) => {
    const body = readBody();
    const addresses = addressesOf(body);
    if (!addresses.email && !addresses.phone) {
      throw new NinefoldError('validation_failed', {
        message: 'Cannot create a user without either an email or phone',
      });
    }
    if (body.password && body.password_hash) {
      throw new NinefoldError('validation_failed', {
        message: 'Only a password or a password hash should be provided',
      });
    }
    const id = body.id && normaliseId(body.id);
    if (body.password) checkPasswordLength(body.password);
    if (body.password_hash) checkPasswordHash(body.password_hash);
    checkMetadata(body.user_metadata ?? {}, body.app_metadata);
    const newUser: NewUser = {
      ...addresses,
      ...banSecondsOf(body),
      ...(id && { id }),
      ...(body.aud && { aud: body.aud }),
      ...(body.role && { role: body.role }),
      ...(body.password && { passwordHash: await context.passwords.hash(body.password) }),
      ...(body.password_hash && { passwordHash: body.password_hash }),
      userMetadata: body.user_metadata,
      ...(body.app_metadata && { appMetadata: body.app_metadata }),
      confirmed: body.email_confirm ?? false,
      phoneConfirmed: body.phone_confirm ?? false,
    };
    const user = await createUser(context.database, newUser, (id) => [
      auditEntry('user_signedup', id, byAdmin(request), { provider: addresses.email ? 'email' : 'phone' }),
    ]);
    context.events.emit({ type: 'auth', what: 'signed-up', app: context.app.ref, userId: user.id, address: null });
    return json(user);
  },
});

const { email, password, ban_duration, user_metadata, app_metadata } = adminBody.shape;

const changes = {
  email: email.meta(optional('The new e-mail address.')),
  password: password.meta(optional('The new password.')),
  ban_duration: ban_duration.meta(optional('How long the account is banned: 24h; none lifts the ban.')),
  user_metadata: user_metadata.meta(optional('User metadata, merged with what is there.')),
  app_metadata: app_metadata.meta(optional('Metadata that only the secret key may change, merged with what is there.')),
};

/** A new password or a ban ends the account's sessions. */
export const adminUpdateUser = authCall({
  id: 'auth.admin.users.update',
  route: 'PUT /admin/users/{user_id}',
  caller: 'secret-key',
  body: adminBody,
  shows: changes,
  errors: ['email_exists', 'phone_exists', 'user_not_found', 'weak_password'],
  summary: 'Changes an account, bans it or lifts a ban.',
  returns: 'the user after the change',
  example: { ban_duration: '24h' },
  supabaseJs: `supabase.auth.admin.updateUserById('${SOME_ID}', { ban_duration: '24h' })`,
  handle: async (context, request, { path, readBody }) => {
    const id = requireUserId(path.user_id);
    const body = readBody();
    const addresses = addressesOf(body);
    const ban = banSecondsOf(body);
    if (body.password !== undefined) checkNewPassword(body.password, context.settings, []);
    await refuseLeakedPassword(context, body.password, request.requestId);
    const user = await updateUser(context.database, id, {
      ...addresses,
      ...ban,
      ...(body.role && { role: body.role.trim() }),
      ...(body.password && { passwordHash: await context.passwords.hash(body.password) }),
      ...(body.user_metadata && { userMetadata: body.user_metadata }),
      ...(body.app_metadata && { appMetadata: body.app_metadata }),
      confirmEmail: body.email_confirm ?? false,
      confirmPhone: body.phone_confirm ?? false,
      caller: byAdmin(request),
    });
    if (!user) throw new NinefoldError('user_not_found');
    return json(user);
  },
});

const schema = z.object({ should_soft_delete: flag });

/**
 * With `should_soft_delete` the row remains without personal data. The call returns database_refused if rows of the app
 * refer to the account.
 */
export const adminDeleteUser = authCall({
  id: 'auth.admin.users.delete',
  route: 'DELETE /admin/users/{user_id}',
  caller: 'secret-key',
  body: schema,
  errors: ['user_not_found'],
  summary: 'Deletes an account with its sessions.',
  returns: 'an empty object',
  supabaseJs: `supabase.auth.admin.deleteUser('${SOME_ID}')`,
  handle: async (context, request, { path, readBody }) => {
    const id = requireUserId(path.user_id);
    const body = readBody({ optional: true });
    const remove = body.should_soft_delete ? softDeleteUser : deleteUser;
    if (!(await remove(context.database, id, byAdmin(request)))) throw new NinefoldError('user_not_found');
    return json({});
  },
});
