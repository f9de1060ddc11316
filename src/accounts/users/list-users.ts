import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { jsonAsAuthAdmin, runAsAuthAdmin } from '../run-as-auth-admin.ts';
import { userJson } from './user.ts';

/** The minimum length of a text that the index can find, because the index holds sequences of three characters. */
const INDEXED_CHARACTERS = 3;

export interface UserPage {
  readonly total: number;
  /** True if the total number is an estimate. */
  readonly isEstimated: boolean;
  /** The users of the page: a JSON array of User. */
  readonly usersJson: string;
}

interface PageOptions {
  /** The number of the page, counted from 1. */
  readonly page: number;
  readonly perPage: number;
  readonly oldestFirst?: boolean;
}

/** Returns the number of accounts. */
export const countUsers = async (database: Executor): Promise<number> =>
  (await jsonAsAuthAdmin<number>(
    database,
    'select pg_catalog.to_jsonb(coalesce(pg_catalog.sum(n), 0)::bigint) from ninefold.account_counts',
    [],
  )) ?? 0;

/**
 * Returns a page of the accounts in the order of their age. `filter` is a part of the address, the phone number or the
 * name (`full_name` or `name` of the user metadata), in any letter case.
 */
export async function listUsers(
  database: Executor,
  { filter, ...options }: PageOptions & { readonly filter?: string },
): Promise<UserPage> {
  const total = await countUsers(database);
  return filter ? searchUsers(database, filter, total, options) : pageOfAll(database, total, options);
}

const order = (direction: 'asc' | 'desc'): string => `u.created_at ${direction}, u.id ${direction}`;

/** Reads the page from the nearer end of the list, so that the last page takes no longer than the first. */
async function pageOfAll(database: Executor, total: number, options: PageOptions): Promise<UserPage> {
  const offset = (options.page - 1) * options.perPage;
  const rows = Math.min(options.perPage, total - offset);
  if (rows <= 0) return { total, isEstimated: false, usersJson: '[]' };
  const isFromEnd = offset > total / 2;
  const asked = options.oldestFirst ? 'asc' : 'desc';
  const walked = isFromEnd === (asked === 'asc') ? 'desc' : 'asc';
  const [result] = await runAsAuthAdmin(database, [
    [
      `select coalesce(pg_catalog.jsonb_agg(${userJson} order by ${order(asked)}), '[]') from auth.users u where u.id = any (array(
         select u.id from auth.users u order by ${order(walked)} limit $1::bigint offset $2::bigint))`,
      [String(rows), String(isFromEnd ? total - offset - rows : offset)],
    ],
  ]);
  return { total, isEstimated: false, usersJson: result?.rows[0]?.[0]?.toString('utf8') ?? '[]' };
}

const WORDS = 'ninefold.member_words(u.email, u.phone, u.raw_user_meta_data)';

/**
 * SQL text of a search. $1 is the pattern, $2 the number of rows of the page, $3 the number of rows before it, $4 how
 * many of the first accounts are read without the index, $5 the number of accounts, $6 the searched text itself.
 *
 * If the text is common, the first accounts alone fill the page. A rare text is looked up in the index, which then
 * returns few accounts.
 */
const search = (direction: 'asc' | 'desc', isIndexed: boolean): string => `with first_accounts as materialized (
  select u.id, u.created_at, ${WORDS} as words from auth.users u order by ${order(direction)} limit $4::bigint
),
near as materialized (select id, created_at from first_accounts where words like $1),
judged as materialized (select pg_catalog.count(*) >= $2::bigint + $3::bigint or $4::bigint >= $5::bigint as suffices from near),
far as materialized (
  select u.id, u.created_at from auth.users u
  where not (select suffices from judged) and ${WORDS} like $1
    and ${isIndexed ? `ninefold.trigrams(${WORDS}) @> ninefold.trigrams($6)` : '$6::text is not null'}
),
found as (select * from near where (select suffices from judged) union all select * from far),
page as (select u.id from found u order by ${order(direction)} limit $2::bigint offset $3::bigint)
select (select suffices from judged), (select pg_catalog.count(*) from found), coalesce((
  select pg_catalog.jsonb_agg(${userJson} order by ${order(direction)}) from auth.users u where u.id = any (array(select id from page))
), '[]')`;

async function searchUsers(
  database: Executor,
  filter: string,
  total: number,
  { page, perPage, oldestFirst = false }: PageOptions,
): Promise<UserPage> {
  // In the index, a line end separates the values of an account. So the searched text must not contain one.
  const text = filter.replaceAll('\n', ' ').toLowerCase();
  const first = limits.searchedAccounts.default;
  const isIndexed = [...text].length >= INDEXED_CHARACTERS;
  const [result] = await runAsAuthAdmin(database, [
    [
      search(oldestFirst ? 'asc' : 'desc', isIndexed),
      [`%${text.replace(/[\\%_]/g, '\\$&')}%`, ...[perPage, (page - 1) * perPage, first, total].map(String), text],
    ],
  ]);
  const [suffices, found, usersJson] = (result?.rows[0] ?? []).map((value) => value?.toString('utf8') ?? '');
  const matches = Number(found ?? 0);
  const isEstimated = suffices === 't' && total > first;
  return {
    total: isEstimated ? Math.round((matches / first) * total) : matches,
    isEstimated,
    usersJson: usersJson ?? '[]',
  };
}
