import { infiniteQueryOptions } from '@tanstack/react-query';
import type { BuilderAuditEntry, MemberAuditEntry, NodeAuditEntry } from '../../../contract/audit.ts';
import { apiWithHeaders, segment } from './api.ts';

/** An audit log: of the members of an app, of the builders of an app, or of the builders of the node. */
export type AuditKind = 'members' | 'builders' | 'node';

/** The filter of the entries. A part that is an empty string filters nothing. */
export interface AuditFilter {
  kind: AuditKind;
  /** Ref of the app; null for the log of the node. */
  ref: string | null;
  search: string;
  action: string;
  /** Id of the account that the entries are about. */
  member: string;
}

/** An entry of any of the logs, in one common shape. */
export interface AuditLine {
  id: string;
  at: string;
  actor: string;
  actorId: string | null;
  action: string;
  details: Readonly<Record<string, unknown>>;
  /** The code of the error with which the server refused the action; null if the action succeeded. */
  refused: string | null;
  address: string;
  requestId: string | null;
}

/** Number of entries on a page. */
const PAGE = 200;
/** Maximum number of entries that an export contains. */
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
    // A refresh of a search would read every loaded page again, so a search is refreshed only when the builder asks for it.
    refetchInterval: filter.search === '' ? 10_000 : false,
  });

interface AuditPage {
  lines: AuditLine[];
  /** Position at which the page of older entries starts; null if there are none. */
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

/** Reads the newest entries that match a filter, at most `EXPORTED`. The server requires a proof of identity for this many entries. */
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
