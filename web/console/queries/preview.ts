import { queryOptions } from '@tanstack/react-query';
import type { PortalEntity, PortalScreens } from '../../../contract/portal.ts';
import { type FromPreview, isPreviewRead, type PreviewMember, type ToPreview } from '../../../contract/preview.ts';
import { quoted } from '../../rows/query.ts';
import { restRequest, totalOf } from '../../rows/rest-request.ts';
import { api, segment } from './api.ts';
import { queryClient } from './query-client.ts';
import { reach } from './reach.ts';
import { literal, runSql } from './sql.ts';
import { user } from './users.ts';

/**
 * The caller of a preview: a visitor, a member by id, or an account that does not exist, with one role or without any
 * role (null).
 */
export type PreviewCaller = 'anon' | { readonly member: string } | { readonly role: string | null };

/** Id of no account. Its rows are those of a member who has none. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Max number of bytes of a reply that a preview gets. */
const REPLY_BYTES = 10_000_000;
/** Time in ms after which a request of a preview is cancelled. */
const REQUEST_MILLISECONDS = 25_000;

/** Headers of a preview's request that reach the server. */
const REQUEST_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'accept-profile', 'range']);
/** Preferences that only ask for a number of rows. */
const COUNT = /^count=(?:exact|planned|estimated)$/;
/** Headers of a reply that reach a preview. */
const REPLY_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-range', 'content-length', 'etag']);

/** Returns the value of `x-ninefold-as` for a caller. */
export const asHeader = (caller: PreviewCaller): string =>
  caller === 'anon' ? caller : 'member' in caller ? caller.member : NOBODY;

/** Returns a text that is equal for equal callers. */
export const callerKey = (caller: PreviewCaller): string => JSON.stringify(caller);

/** Reads the screens that a caller gets. */
export const screensOfCaller = (ref: string, caller: PreviewCaller) =>
  queryOptions({
    queryKey: ['preview', ref, 'screens', callerKey(caller)],
    queryFn: ({ signal }) =>
      api<PortalScreens>(`/apps/${segment(ref)}${withRole('/portal/v1/screens', caller)}`, {
        headers: { 'x-ninefold-as': asHeader(caller) },
        signal,
      }),
    staleTime: 10_000,
  });

/** Reads the account that a preview shows as its member; null for a visitor. */
export const memberOfPreview = (ref: string, caller: PreviewCaller) =>
  queryOptions({
    queryKey: ['preview', ref, 'member', callerKey(caller)],
    queryFn: async (): Promise<PreviewMember | null> => {
      if (caller === 'anon') return null;
      if (!('member' in caller)) return { id: NOBODY, aud: 'authenticated', user_metadata: {}, app_metadata: {} };
      // Without the second factors, because the pages would ask for one.
      const { factors: _, ...account } = await queryClient.fetchQuery(user(ref, caller.member));
      return { ...account };
    },
    staleTime: 60_000,
  });

/** The calls whose reply depends on the roles of the caller. */
const OF_ROLE = /^\/portal\/v1\/(?:screens|figures)$/;

/** Adds the role of a caller to a request for screens or figures. */
function withRole(target: string, caller: PreviewCaller): string {
  const [path = '', query = ''] = target.split('?');
  if (!OF_ROLE.test(path) || caller === 'anon' || !('role' in caller) || caller.role === null) return target;
  const asked = new URLSearchParams(query);
  asked.set('role', caller.role);
  return `${path}?${asked}`;
}

type Request = Extract<FromPreview, { kind: 'request' }>;
type Reply = Extract<ToPreview, { kind: 'reply' }>;

/**
 * Answers a request of a preview through the builder proxy, as the caller of the preview. Refuses every request that is
 * not a read of the app's own API: the preview runs on another origin, and nothing that it sends is trusted.
 */
export async function answerPreview(ref: string, caller: PreviewCaller, request: Request): Promise<Reply> {
  const { id, method, target } = request;
  if (typeof target !== 'string' || !isPreviewRead(method, target)) return refusal(id, 'A preview changes nothing.');
  try {
    const response = await reach(`/admin/v1/apps/${segment(ref)}${withRole(target, caller)}`, {
      method,
      headers: { ...passed(request.headers), 'x-ninefold-as': asHeader(caller) },
      signal: AbortSignal.timeout(REQUEST_MILLISECONDS),
    });
    const body = await boundedBytes(response);
    if (body === null) return refusal(id, 'This is too large for a preview.');
    const headers = [...response.headers].filter(([name]) => REPLY_HEADERS.has(name));
    // The pages would take a 401 for the end of the member's session, but the session of the builder has ended.
    return { kind: 'reply', id, status: response.status === 401 ? 403 : response.status, headers, body };
  } catch {
    return { kind: 'reply', id, status: 503, headers: [], body: null };
  }
}

function passed(headers: Request['headers']): Record<string, string> {
  const all = headers.map(([name, value]) => [String(name).toLowerCase(), String(value)] as const);
  return Object.fromEntries(
    all.filter(([name, value]) => REQUEST_HEADERS.has(name) || (name === 'prefer' && COUNT.test(value))),
  );
}

/** Reads the body of a response. Returns null if it has more than REPLY_BYTES. */
async function boundedBytes(response: Response): Promise<ArrayBuffer | null> {
  const reader = response.body?.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    bytes += read.value.length;
    if (bytes > REPLY_BYTES) {
      await reader?.cancel();
      return null;
    }
    parts.push(read.value);
  }
  return new Blob(parts).arrayBuffer();
}

/** Returns a reply that refuses a request of a preview in words. */
function refusal(id: number, message: string): Reply {
  const body = new TextEncoder().encode(
    JSON.stringify({ code: 'preview_refused', message, hint: null, details: null }),
  );
  return { kind: 'reply', id, status: 400, headers: [['content-type', 'application/json']], body: body.buffer };
}

/** Counts the rows of an entity that a caller reads with the filter of a screen, as the portal does; nothing without an entity. */
export const rowsOfScreen = (
  ref: string,
  caller: PreviewCaller,
  entity: PortalEntity | undefined,
  filter: string | null,
) =>
  queryOptions({
    queryKey: ['preview', ref, 'rows', callerKey(caller), entity?.id, filter],
    enabled: entity !== undefined,
    queryFn: async ({ signal }): Promise<number | null> => {
      const { schema = null, name = '', fields = [] } = entity ?? {};
      const parameters = new URLSearchParams(filter ?? '');
      const field = fields.find(({ readable }) => readable);
      parameters.set('select', field ? quoted(field.name) : '');
      parameters.set('limit', '1');
      const prefer = ['count=estimated'];
      const { url, init } = restRequest(encodeURIComponent(name), schema, { parameters, prefer });
      const response = await reach(`/admin/v1/apps/${segment(ref)}${url}`, {
        ...init,
        headers: { ...init.headers, 'x-ninefold-as': asHeader(caller) },
        signal,
      });
      return response.ok ? totalOf(response) : null;
    },
    staleTime: 30_000,
  });

/** Max number of members that the choice of a preview offers. */
export const OFFERED_MEMBERS = 100;

/** A member whose rows a preview can show. */
export interface OfferedMember {
  readonly id: string;
  readonly name: string;
}

/** Reads members with a role, those with the fewest other roles first; for null, members without any role. */
export const offeredMembers = (ref: string, role: string | null) =>
  queryOptions({
    queryKey: ['preview', ref, 'members', role],
    queryFn: async ({ signal }): Promise<OfferedMember[]> => {
      const roles = '(select count(*) from ninefold.member_roles m where m.user_id = u.id)';
      const has = `exists (select from ninefold.member_roles m where m.user_id = u.id and m.role = ${literal(role ?? '')})`;
      const { results } = await runSql(
        ref,
        `select u.id, coalesce(nullif(u.raw_user_meta_data ->> 'name', ''), nullif(u.email, ''), '+' || nullif(u.phone, ''), u.id::text)
         from auth.users u where u.deleted_at is null and ${role === null ? `${roles} = 0` : has}
         order by ${roles}, u.created_at, u.id limit ${OFFERED_MEMBERS}`,
        signal,
      );
      return (results[0]?.rows ?? []).map(([id, name]) => ({ id: id ?? '', name: name ?? '' }));
    },
    staleTime: 30_000,
  });
