import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
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
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { flag, readBody } from '../body.ts';
import { byAdmin, requireUserId } from '../callers.ts';
import type { AuthContext } from '../context.ts';
import { json, replyHeaders } from '../reply.ts';
import { normaliseId } from '../sign-in/addresses.ts';
import { checkNewPassword, checkPasswordLength, refuseLeakedPassword } from '../sign-in/check-password.ts';
import { addressesOf, adminBody, banSecondsOf, checkPasswordHash } from './body.ts';

/**
 * Handles GET /admin/users?page=&per_page=&sort=created_at asc|desc&filter=: returns a page of the accounts, newest
 * first. X-Total-Count is their number, and Link has the next and the last page (RFC 8288). If `per_page` exceeds the
 * limit usersPerPage, the limit is used. If many accounts match a filter, the number is an estimate and
 * `X-Total-Count-Estimated` is `true`.
 */
export async function adminListUsers(context: AuthContext, request: CallRequest): Promise<Reply> {
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
}

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

/**
 * Handles GET /admin/users/<id>: returns one account.
 * @throws user_not_found
 */
export async function adminGetUser(context: AuthContext, _request: CallRequest, segment: string): Promise<Reply> {
  const user = await findUser(context.database, requireUserId(segment));
  if (!user) throw new NinefoldError('user_not_found');
  return json(user);
}

/**
 * Handles POST /admin/users: creates an account, also while sign-up is off. The body has a password or the hash of a
 * password. Without both, the account cannot sign in with a password.
 */
export async function adminCreateUser(context: AuthContext, request: CallRequest): Promise<Reply> {
  const body = readBody(request, adminBody);
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
}

/**
 * Handles PUT /admin/users/<id>: changes an account. A new password or a ban (`ban_duration`; `none` lifts the ban)
 * ends the account's sessions.
 * @throws user_not_found, email_exists, phone_exists
 */
export async function adminUpdateUser(context: AuthContext, request: CallRequest, segment: string): Promise<Reply> {
  const id = requireUserId(segment);
  const body = readBody(request, adminBody);
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
}

const schema = z.object({ should_soft_delete: flag });

/**
 * Handles DELETE /admin/users/<id>: deletes an account with its sessions. With `should_soft_delete` the row remains
 * without personal data.
 * @throws user_not_found, and database_refused if rows of the app refer to the account
 */
export async function adminDeleteUser(context: AuthContext, request: CallRequest, segment: string): Promise<Reply> {
  const id = requireUserId(segment);
  const body = readBody(request, schema, { optional: true });
  const remove = body.should_soft_delete ? softDeleteUser : deleteUser;
  if (!(await remove(context.database, id, byAdmin(request)))) throw new NinefoldError('user_not_found');
  return json({});
}
