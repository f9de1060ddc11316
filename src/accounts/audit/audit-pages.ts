import { limits } from '../../../contract/limits.ts';
import { type AuditQuery, likePattern } from '../../apps/team/builder-audit.ts';
import type { Executor } from '../../database/database.ts';
import type { Param } from '../../database/statement.ts';
import { runAsAuthAdmin } from '../run-as-auth-admin.ts';

/** The fields of an entry that each scope of GoTrue's query searches. */
const scopes = {
  author: ['actor_username', 'actor_name'],
  action: ['action'],
  type: ['log_type'],
} as const;

export type AuditScope = keyof typeof scopes;

export const isAuditScope = (scope: string): scope is AuditScope => Object.hasOwn(scopes, scope);

export interface AuditFilter {
  readonly scope: AuditScope;
  /** The search ignores letter case. */
  readonly text: string;
}

export interface AuditPage {
  readonly total: number;
  /** A JSON array of entries. */
  readonly entriesJson: string;
}

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

/** SQL text: the row `e` of auth.audit_log_entries as JSON. */
const ENTRY = `pg_catalog.json_build_object(
  'id', e.id, 'payload', e.payload,
  'created_at', pg_catalog.to_char(e.created_at at time zone 'utc', ${TIME}),
  'ip_address', e.ip_address)`;

/** Returns a page of the audit log as GoTrue shows it, the newest first; `page` counts from 1. */
export async function listAudit(
  database: Executor,
  { page, perPage, filter }: { page: number; perPage: number; filter: AuditFilter | null },
): Promise<AuditPage> {
  const matching = filter
    ? `where (${scopes[filter.scope].map((part) => `e.payload ->> '${part}' ilike $1`).join(' or ')})`
    : 'where $1::text is null';
  const text = likePattern(filter?.text ?? null);
  const [total, entries] = await runAsAuthAdmin(database, [
    [`select pg_catalog.count(*) from auth.audit_log_entries e ${matching}`, [text]],
    [
      `select coalesce(pg_catalog.json_agg(${ENTRY} order by e.created_at desc, e.id desc), '[]')
       from (
         select * from auth.audit_log_entries e ${matching}
         order by e.created_at desc, e.id desc limit $2::bigint offset $3::bigint
       ) e`,
      [text, String(perPage), String((page - 1) * perPage)],
    ],
  ]);
  return {
    total: Number(total?.rows[0]?.[0]?.toString() ?? 0),
    entriesJson: entries?.rows[0]?.[0]?.toString('utf8') ?? '[]',
  };
}

/** A page of a log, the newest entry first. */
interface AuditEntries {
  /** The entries as a JSON array. */
  readonly entriesJson: string;
  /** Where the next page begins, as `<time>_<id>`; null if no older entry can match. */
  readonly next: string | null;
}

/** Collects the values of a statement and returns their placeholders. */
class Values {
  readonly params: Param[] = [];

  add(value: Param): string {
    this.params.push(value);
    return `$${this.params.length}`;
  }
}

/**
 * Returns the SQL conditions of the filters that have an index. A filter that is not set adds no condition, so that
 * PostgreSQL plans each combination of filters separately.
 */
function indexed({ action, from, to, after }: AuditQuery, values: Values): string[] {
  return [
    ...(action === null ? [] : [`e.payload ->> 'action' = ${values.add(action)}`]),
    ...(from === null ? [] : [`e.created_at >= ${values.add(from)}::timestamptz`]),
    ...(to === null ? [] : [`e.created_at < ${values.add(to)}::timestamptz`]),
    ...(after === null
      ? []
      : [`(e.created_at, e.id) < (${values.add(after.at)}::timestamptz, ${values.add(after.id)}::uuid)`]),
  ];
}

const NEWEST_FIRST = 'order by e.created_at desc, e.id desc';

/**
 * Returns SQL text that selects the entries of a query. An entry belongs to an account that is its actor or that an
 * admin changed; each case has its own index.
 */
function rowsOf(member: string | null, query: AuditQuery, values: Values, further: readonly string[]): string {
  const pattern = likePattern(query.search);
  const text = pattern === null ? null : values.add(pattern);
  const conditions = [
    ...indexed(query, values),
    ...further,
    ...(text === null ? [] : [`(e.payload::text ilike ${text} or e.ip_address ilike ${text})`]),
  ];
  const max = `${values.add(String(query.most))}::integer`;
  const select = (of: readonly string[]): string =>
    `select e.* from auth.audit_log_entries e where ${[...of, ...conditions, 'true'].join(' and ')} ${NEWEST_FIRST} limit ${max}`;
  if (member === null) return select([]);
  const id = values.add(member);
  const own = select([`e.payload ->> 'actor_id' = ${id}`]);
  const byAdmin = select([`e.payload -> 'traits' ->> 'user_id' = ${id}`, `e.payload ->> 'actor_id' <> ${id}`]);
  return `select e.* from ((${own}) union all (${byAdmin})) e ${NEWEST_FIRST} limit ${max}`;
}

const cursor = (row: string): string =>
  `pg_catalog.to_char(${row}.created_at at time zone 'utc', ${TIME}) || '_' || ${row}.id`;

/**
 * Returns entries, newest first, of one account if `member` is given. A search through all accounts reads the log in
 * parts of auditSearchRows entries. After one part, it returns the matches and the place where the next part begins,
 * even if there are no matches.
 */
export async function pageOfAudit(database: Executor, member: string | null, query: AuditQuery): Promise<AuditEntries> {
  const values = new Values();
  const isInParts = query.search !== null && member === null;
  // The place of the last entry of this part, where the next part begins. The query reads only its time and id, which
  // are in the indexes.
  const bound = isInParts
    ? `select e.created_at, e.id from auth.audit_log_entries e where ${[...indexed(query, values), 'true'].join(' and ')}
       ${NEWEST_FIRST} offset ${values.add(String(limits.auditSearchRows.default - 1))}::integer limit 1`
    : 'select null::timestamptz as created_at, null::uuid as id where false';
  const within = isInParts
    ? [
        `(e.created_at, e.id) >= (coalesce((select b.created_at from bound b), '-infinity'),
          coalesce((select b.id from bound b), '00000000-0000-0000-0000-000000000000'))`,
      ]
    : [];
  const rows = rowsOf(member, query, values, within);
  const [result] = await runAsAuthAdmin(database, [
    [
      `with bound as materialized (${bound}), found as (${rows})
       select (select coalesce(pg_catalog.json_agg(${ENTRY} ${NEWEST_FIRST}), '[]') from found e),
         case when (select pg_catalog.count(*) from found) = ${values.add(String(query.most))}::integer
           then (select ${cursor('e')} from found e order by e.created_at, e.id limit 1)
           else (select ${cursor('b')} from bound b) end`,
      values.params,
    ],
  ]);
  const [entries, next] = result?.rows[0] ?? [];
  return { entriesJson: entries?.toString('utf8') ?? '[]', next: next?.toString('utf8') ?? null };
}
