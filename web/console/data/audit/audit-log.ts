import { infiniteQueryOptions } from '@tanstack/react-query';
import type { BuilderAuditEntry, MemberAuditEntry, NodeAuditEntry } from '../../../../contract/audit.ts';
import { api, segment } from '../api.ts';

/** Whose events are listed: of members or builders of an app, or of builders of the node. */
export type AuditKind = 'members' | 'builders' | 'node';

/** The entries that are asked for; an empty text is no filter. */
export interface AuditFilter {
  kind: AuditKind;
  /** The app; null for the node. */
  ref: string | null;
  search: string;
  action: string;
  /** The id of an account. */
  member: string;
}

/** An entry of either log in one shape. */
export interface AuditLine {
  id: string;
  at: string;
  actor: string;
  actorId: string | null;
  action: string;
  details: Readonly<Record<string, unknown>>;
  /** The code of the error that refused it. */
  refused: string | null;
  address: string;
  requestId: string | null;
}

/** Entries on a page. */
const PAGE = 200;
/** Entries that an export holds at most. */
export const EXPORTED = 20_000;
/** Entries that an export reads at once. */
const EXPORTED_AT_ONCE = 1000;

/** The entries of a log, newest first, page by page. */
export const auditLog = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) => readPage(filter, pageParam, PAGE, signal),
    initialPageParam: null as AuditLine | null,
    getNextPageParam: (lines) => (lines.length === PAGE ? (lines.at(-1) ?? null) : undefined),
    select: ({ pages }) => pages.flat(),
    refetchInterval: 10_000,
  });

async function readPage(
  { kind, ref, search, action, member }: AuditFilter,
  after: AuditLine | null,
  limit: number,
  signal?: AbortSignal,
): Promise<AuditLine[]> {
  const query = new URLSearchParams({ limit: String(limit) });
  if (ref !== null) query.set('kind', kind);
  if (search !== '') query.set('search', search);
  if (action !== '') query.set('action', action);
  if (member !== '') query.set('member', member);
  if (after) query.set('after', `${after.at}_${after.id}`);
  const path = `${ref === null ? '' : `/apps/${segment(ref)}`}/audit?${query}`;
  const options = signal ? { signal } : {};
  switch (kind) {
    case 'members':
      return (await api<MemberAuditEntry[]>(path, options)).map(memberLine);
    case 'builders':
      return (await api<BuilderAuditEntry[]>(path, options)).map(builderLine);
    case 'node':
      return (await api<NodeAuditEntry[]>(path, options)).map(nodeLine);
  }
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

/** Reads the newest entries that a filter leaves, up to `EXPORTED`. Asks for a proof of identity. */
export async function readForExport(filter: AuditFilter): Promise<AuditLine[]> {
  const lines: AuditLine[] = [];
  for (let last: AuditLine | null = null; lines.length < EXPORTED; ) {
    const page = await readPage(filter, last, EXPORTED_AT_ONCE);
    lines.push(...page);
    last = page.at(-1) ?? null;
    if (page.length < EXPORTED_AT_ONCE) break;
  }
  return lines;
}
