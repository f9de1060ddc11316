import { infiniteQueryOptions } from '@tanstack/react-query';
import type { BuilderAuditEntry, MemberAuditEntry, NodeAuditEntry } from '../../../contract/audit.ts';
import { apiWithHeaders, segment } from './api.ts';

/** The log: of members or builders of an app, or of builders of the node. */
export type AuditKind = 'members' | 'builders' | 'node';

/** The filter of the entries; an empty string filters nothing. */
export interface AuditFilter {
  kind: AuditKind;
  /** The app; null for the node. */
  ref: string | null;
  search: string;
  action: string;
  /** The id of an account. */
  member: string;
}

/** An entry of any log in one shape. */
export interface AuditLine {
  id: string;
  at: string;
  actor: string;
  actorId: string | null;
  action: string;
  details: Readonly<Record<string, unknown>>;
  /** The code of the error that the action failed with. */
  refused: string | null;
  address: string;
  requestId: string | null;
}

/** Entries on a page. */
const PAGE = 200;
/** Maximum number of entries of an export. */
export const EXPORTED = 20_000;
/** Number of entries that an export reads with one request. */
const EXPORTED_AT_ONCE = 1000;

/** Reads the entries of a log, newest first, page by page. */
export const auditLog = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) => readPage(filter, pageParam, PAGE, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ lines }) => lines),
    // A search reads every loaded page again, so only the builder repeats it.
    refetchInterval: filter.search === '' ? 10_000 : false,
  });

interface AuditPage {
  lines: AuditLine[];
  /** Start of the older entries; null if there are none. */
  next: string | null;
}

async function readPage(
  { kind, ref, search, action, member }: AuditFilter,
  after: string | null,
  limit: number,
  signal?: AbortSignal,
): Promise<AuditPage> {
  const query = new URLSearchParams({ limit: String(limit) });
  if (ref !== null) query.set('kind', kind);
  if (search !== '') query.set('search', search);
  if (action !== '') query.set('action', action);
  if (member !== '') query.set('member', member);
  if (after !== null) query.set('after', after);
  const path = `${ref === null ? '' : `/apps/${segment(ref)}`}/audit?${query}`;
  const { data, headers } = await apiWithHeaders<unknown[]>(path, signal ? { signal } : {});
  if (kind === 'members') {
    return { lines: (data as MemberAuditEntry[]).map(memberLine), next: headers.get('x-next-after') };
  }
  const lines =
    kind === 'builders' ? (data as BuilderAuditEntry[]).map(builderLine) : (data as NodeAuditEntry[]).map(nodeLine);
  const last = lines.at(-1);
  return { lines, next: lines.length === limit && last ? `${last.at}_${last.id}` : null };
}

const builderLine = ({
  id,
  at,
  actor,
  actor_id,
  action,
  details,
  refused,
  ip_address,
  request_id,
}: BuilderAuditEntry | NodeAuditEntry) =>
  ({
    id,
    at,
    actor,
    actorId: actor_id,
    action,
    details,
    refused,
    address: ip_address,
    requestId: request_id,
  }) satisfies AuditLine;

const nodeLine = (entry: NodeAuditEntry): AuditLine => {
  const line = builderLine(entry);
  return entry.app === null ? line : { ...line, details: { app: entry.app, ...line.details } };
};

const memberLine = ({ id, created_at, payload, ip_address }: MemberAuditEntry) =>
  ({
    id,
    at: created_at,
    actor: payload.actor_username,
    actorId: /^[0-9a-f-]{36}$/.test(payload.actor_id) ? payload.actor_id : null,
    action: payload.action,
    details: payload.traits ?? {},
    refused: payload.action === 'login_refused' ? 'invalid_credentials' : null,
    address: ip_address,
    requestId: null,
  }) satisfies AuditLine;

/** Reads the newest entries that match a filter, up to `EXPORTED`. Asks for a proof of identity. */
export async function readForExport(filter: AuditFilter): Promise<AuditLine[]> {
  const lines: AuditLine[] = [];
  let after: string | null = null;
  do {
    const { lines: found, next } = await readPage(filter, after, EXPORTED_AT_ONCE);
    lines.push(...found);
    after = next;
  } while (after !== null && lines.length < EXPORTED);
  return lines;
}
