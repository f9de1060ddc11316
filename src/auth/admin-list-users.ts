import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { listUsers } from '../accounts/list-users.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireAdmin } from './callers.ts';
import type { AuthContext } from './context.ts';
import { replyHeaders } from './reply.ts';

/**
 * GET /admin/users?page=&per_page=&sort=created_at asc|desc&filter=: a page of the accounts, the newest first, with their
 * number in X-Total-Count and the next and last page in Link (RFC 8288). `per_page` beyond the limit usersPerPage is that limit.
 * If many accounts match a filter, the number is an estimate and `X-Total-Count-Estimated` is `true`.
 */
export async function adminListUsers(context: AuthContext, exchange: Exchange): Promise<Reply> {
  await requireAdmin(context, exchange);
  const query = new URLSearchParams(exchange.query);
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

/** Returns the page that a list call asks for; `per_page` beyond `most` is `most`. Throws validation_failed. */
export const pageOf = (query: URLSearchParams, most: number): { page: number; perPage: number } => ({
  page: Math.max(1, count(query, 'page') ?? 1),
  perPage: Math.min(count(query, 'per_page') || limits.usersPageDefault.default, most),
});

/** Returns the headers that tell of the other pages. */
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

/** The page stands first in the query: clients look for it there. */
function links(path: string, query: URLSearchParams, page: number, last: number): string {
  const others = [...query].filter(([name]) => name !== 'page');
  const link = (number: number, relation: string) =>
    `<${path}?${new URLSearchParams([['page', String(number)], ...others])}>; rel="${relation}"`;
  return [...(page < last ? [link(page + 1, 'next')] : []), link(last, 'last')].join(', ');
}
