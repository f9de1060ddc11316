import { type AuditQuery, likePattern, queryParams } from '../apps/builder-audit.ts';
import type { Executor } from '../database/database.ts';
import { asAuthAdmin } from './as-auth-admin.ts';

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

/** SQL text: the row `e` of auth.audit_log_entries as JSON. */
const ENTRY = `pg_catalog.json_build_object(
  'id', e.id, 'payload', e.payload,
  'created_at', pg_catalog.to_char(e.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
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
  const [total, entries] = await asAuthAdmin(database, [
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

/** $1 to $7 are `queryParams`. */
const page = (of: string): string => `select e.* from auth.audit_log_entries e
  where ${of} and ($1::text is null or e.payload ->> 'action' = $1)
    and ($2::text is null or e.payload::text ilike $2 or e.ip_address ilike $2)
    and ($3::timestamptz is null or e.created_at >= $3::timestamptz)
    and ($4::timestamptz is null or e.created_at < $4::timestamptz)
    and ($5::timestamptz is null or (e.created_at, e.id) < ($5::timestamptz, $6::uuid))
  order by e.created_at desc, e.id desc limit $7::integer`;

const PAGE = page('true');

/**
 * An entry belongs to an account if the account is the actor or an admin changed the account; each of the two
 * conditions has its own index. $8 is the account.
 */
const PAGE_OF_MEMBER = `(${page(`e.payload ->> 'actor_id' = $8`)}) union all (select m.* from (${page(
  `e.payload -> 'traits' ->> 'user_id' = $8`,
)}) m where m.payload ->> 'actor_id' <> $8)`;

/** Returns entries, of one account if `member` is given, the newest first, as a JSON array. */
export async function pageOfAudit(database: Executor, member: string | null, query: AuditQuery): Promise<string> {
  const rows = member === null ? PAGE : PAGE_OF_MEMBER;
  const [result] = await asAuthAdmin(database, [
    [
      `select coalesce(pg_catalog.json_agg(${ENTRY} order by e.created_at desc, e.id desc), '[]')
       from (select * from (${rows}) e order by e.created_at desc, e.id desc limit $7::integer) e`,
      [...queryParams(query), ...(member === null ? [] : [member])],
    ],
  ]);
  return result?.rows[0]?.[0]?.toString('utf8') ?? '[]';
}
