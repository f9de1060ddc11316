import type { Param, Statement } from '../../database/statement.ts';
import { isoTime } from '../iso-time.ts';
import type { StoredObject } from './object.ts';

/** A file, or a folder: the common start of paths up to a slash. */
export interface ListedEntry {
  /** The complete path; of a folder with the slash at its end. */
  readonly name: string;
  /** Null for a folder. */
  readonly object: Pick<
    StoredObject,
    'id' | 'version' | 'metadata' | 'user_metadata' | 'owner_id' | 'created_at' | 'updated_at' | 'last_accessed_at'
  > | null;
}

/** A page of a listing. */
export interface Listing {
  readonly bucket: string;
  /** The start of all paths. */
  readonly prefix: string;
  /** The start of the names after the prefix, in any letter case. */
  readonly search: string;
  readonly limit: number;
  readonly offset: number;
  readonly sort: { readonly column: SortColumn; readonly order: 'asc' | 'desc' };
  /** The last entry of the page before, if the order is by name. */
  readonly after: string | null;
  /** True if no folder hides its files. */
  readonly isFlat: boolean;
}

export type SortColumn = 'name' | 'created_at' | 'updated_at' | 'last_accessed_at';

/** Returns the statement that lists a page as one JSON list of ListedEntry. */
export function entriesSql(listing: Listing): Statement {
  if (listing.sort.column !== 'name' || listing.search !== '') return scan(listing);
  return listing.isFlat ? files(listing) : walk(listing);
}

/** The smallest character. A path that continues with it is the next path in the order of bytes. */
const NEXT = '\u0001';
/** The character after the slash. */
const AFTER_SLASH = '0';

/** Returns the first text after all texts that start with the prefix; null if there is none. */
function endOf(prefix: string): string | null {
  const characters = [...prefix];
  const last = characters.pop();
  if (last === undefined) return null;
  const next = (last.codePointAt(0) ?? 0) + 1;
  if (next > LAST_CHARACTER) return endOf(characters.join(''));
  return characters.join('') + String.fromCodePoint(next === FIRST_SURROGATE ? AFTER_SURROGATES : next);
}
const LAST_CHARACTER = 0x10ffff;
/** UTF-8 has no surrogates. */
const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

const COLUMNS =
  'o.id, o.name, o.version, o.metadata, o.user_metadata, o.owner_id, o.created_at, o.updated_at, o.last_accessed_at';

const OBJECT = `json_build_object('id', e.id, 'version', e.version, 'metadata', e.metadata, 'user_metadata', e.user_metadata,
  'owner_id', e.owner_id, 'created_at', ${isoTime('e.created_at')}, 'updated_at', ${isoTime('e.updated_at')},
  'last_accessed_at', ${isoTime('e.last_accessed_at')})`;

const asList = (entries: string): string =>
  `select coalesce(json_agg(json_build_object('name', e.entry, 'object', case when e.entry = e.name then ${OBJECT} end)
    order by e.step), '[]') from ${entries} e`;

/**
 * Returns the bounds of the paths of a page, and their condition. A missing end is another text and not another value of
 * the parameter, because PostgreSQL can only use `name < $3` to end a scan of the index.
 */
function rangeOf({ prefix, sort, after, isFlat }: Listing): { from: string; to: string | null; end: string } {
  const end = endOf(prefix);
  const first = after?.endsWith('/') && !isFlat ? after.slice(0, -1) + AFTER_SLASH : `${after}${NEXT}`;
  const isUp = sort.order === 'asc';
  const from = isUp && after !== null ? first : prefix;
  const to = isUp ? end : (after ?? end);
  return { from, to, end: to === null ? '$3::text is null' : 'o.name < $3' };
}

/** Lists files by name, without folders. */
function files(listing: Listing): Statement {
  const { bucket, limit, offset, sort } = listing;
  const { from, to, end } = rangeOf(listing);
  return {
    text: `with page as (
      select ${COLUMNS}, o.name as entry, row_number() over (order by o.name ${sort.order}) as step from storage.objects o
      where o.bucket_id = $1 and o.name >= $2 and ${end} order by o.name ${sort.order} limit $4::int offset $5::int
    )
    ${asList('page')}`,
    params: [bucket, from, to, String(limit), String(offset)],
  };
}

/**
 * Lists files and folders by name. Each step finds the next entry in the index of the paths and skips the rest of a
 * folder, so that the time depends on the length of the page and not on the number of objects.
 */
function walk(listing: Listing): Statement {
  const { bucket, prefix, limit, offset, sort } = listing;
  const isUp = sort.order === 'asc';
  const { from, to, end } = rangeOf(listing);
  const params: Param[] = [bucket, from, to, prefix, String(offset + limit), String(offset)];
  const [edge, bound] = isUp ? ['>=', end] : ['<', 'o.name >= $2'];
  // The entry of a path: the path itself, or the folder below the prefix.
  const entry = `case when strpos(substr(o.name, length($4::text) + 1), '/') > 0
    then $4 || split_part(substr(o.name, length($4) + 1), '/', 1) || '/' else o.name end`;
  const next = isUp
    ? `case when w.entry = w.name then w.name || chr(1) else left(w.entry, -1) || '${AFTER_SLASH}' end`
    : 'w.entry';
  const source = (condition: string): string => `select ${COLUMNS}, ${entry} as entry from storage.objects o
    where o.bucket_id = $1 and ${condition} order by o.name ${sort.order} limit 1`;
  return {
    text: `with recursive walk as (
      select 1 as step, f.* from (${source(`o.name >= $2 and ${end}`)}) f
      union all
      select w.step + 1, n.* from walk w
      cross join lateral (${source(`o.name ${edge} (${next}) and (${bound})`)}) n
      where w.step < $5::int
    ), page as (select * from walk where step > $6::int)
    ${asList('page')}`,
    params,
  };
}

/** Lists in any order, after reading all objects below the prefix. Folders come first, except in the order by name. */
function scan({ bucket, prefix, search, limit, offset, sort, isFlat }: Listing): Statement {
  const rest = 'substr(o.name, length($2) + 1)';
  const isFile = isFlat ? 'true' : `strpos(${rest}, '/') = 0`;
  const { column, order } = sort;
  const by = column === 'name' ? `entry ${order}` : `(id is null) desc, ${column} ${order}, entry ${order}`;
  return {
    text: `with found as (
      select ${COLUMNS}, ${isFile} as is_file, $2 || split_part(${rest}, '/', 1) || '/' as folder from storage.objects o
      where o.bucket_id = $1 and o.name >= $2 and ($3::text is null or o.name < $3)
        and starts_with(lower(${rest}), lower($4))
    ), entries as (
      select id, name, version, metadata, user_metadata, owner_id, created_at, updated_at, last_accessed_at, name as entry
      from found where is_file
      union all
      select distinct null::uuid, null, null, null::jsonb, null::jsonb, null, null::timestamptz, null::timestamptz, null::timestamptz, folder
      from found where not is_file
    ), page as (
      select *, row_number() over (order by ${by}) as step from entries order by step limit $5::int offset $6::int
    )
    ${asList('page')}`,
    params: [bucket, prefix, endOf(prefix), search, String(limit), String(offset)],
  };
}
