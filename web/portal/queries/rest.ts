import type { PortalAction, PortalEntity } from '../../../contract/portal.ts';
import { t } from '../../language/messages.ts';
import { type RestRequest, restRequest, totalOf } from '../../rows/rest-request.ts';
import type { Portal } from './client.ts';
import { reach } from './connection.ts';
import { hasExpired, orThrow } from './session.ts';

/** A row as a data request returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** The server's error for a refused request to `/rest/v1`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string | null;
  /** The advice for the member, or the description of the rule that the request violated. */
  readonly hint: string | null;
  readonly details: unknown;

  constructor(status: number, body: { code?: string; message?: string; hint?: string; details?: unknown } | null) {
    super(body?.message ?? t('answered', { status: String(status) }));
    this.status = status;
    this.code = body?.code ?? null;
    this.hint = body?.hint ?? null;
    this.details = body?.details ?? null;
  }
}

/**
 * Returns the headers that identify the caller: the key of the app, and the token of the member who is signed in. Throws
 * Refusal if the session of the member has ended, because the request would then be one of a visitor.
 */
export async function callerHeaders({ app, auth }: Portal): Promise<Record<string, string>> {
  if (hasExpired()) throw new Refusal(401, { message: t('authEnded') });
  const { session } = orThrow(await auth.getSession());
  return { apikey: app.publishable_key, ...(session && { authorization: `Bearer ${session.access_token}` }) };
}

interface DataCall {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  params?: URLSearchParams;
  body?: Row | readonly Row[];
  prefer?: string;
}

/** Rows of an entity, and how many rows match in total. */
export interface Rows {
  readonly rows: readonly Row[];
  /** Number of all matching rows; null if the request does not ask for the count. */
  readonly total: number | null;
  /** Schema and address of this read, from which live-rows.ts makes a topic; absent if it has no live list. */
  readonly live?: string;
}

/** Sends a data request on an entity as the caller. Throws Refusal if the server refuses it, and Unreachable if there is no response. */
export async function callRest(
  portal: Portal,
  { schema, name, key, opens }: Pick<PortalEntity, 'schema' | 'name' | 'key' | 'opens'>,
  { method, params, body, prefer }: DataCall,
): Promise<Rows> {
  const path = encodeURIComponent(name);
  const response = await send(portal, path, schema, {
    method,
    parameters: params,
    body: body && JSON.stringify(body),
    prefer: prefer === undefined ? [] : [prefer],
  });
  const text = await response.text();
  if (!response.ok) throw new Refusal(response.status, parsed(text));
  const rows = text === '' ? [] : (parseExactly(text) as Row[]);
  // The rows of a view contain the key of the row that they open.
  const isRead = (method === undefined || method === 'GET') && (key.length > 0 || opens !== null);
  return { rows, total: totalOf(response), ...(isRead && { live: `${schema ?? ''} ${response.url}` }) };
}

/** Sends a request to /rest/v1 as the caller. */
async function send(portal: Portal, path: string, schema: string | null, request: RestRequest): Promise<Response> {
  const { url, init } = restRequest(path, schema, request);
  return reach(url, { ...init, headers: { ...init.headers, ...(await callerHeaders(portal)) } });
}

/** Matches a JSON string, or a number of at least 16 characters. */
const textOrLongNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{15,}/g;

/** Parses JSON. A number that JavaScript cannot represent, such as a key above 2⁵³, becomes a string with all its digits. Pure. */
export function parseExactly(text: string): unknown {
  if (!/\d[\d.]{15}/.test(text)) return JSON.parse(text);
  const exact = text.replaceAll(textOrLongNumber, (found) =>
    found.startsWith('"') || isExact(found) ? found : `"${found}"`,
  );
  return JSON.parse(exact);
}

// The pattern takes linear time: PostgreSQL's numbers have up to 131,072 digits before the point.
const isExact = (number: string): boolean =>
  String(Number(number)) === (number.includes('.') ? number.replace(/(?:\.0+|(?<![.0])0+)$/, '') : number);

/** Calls a function of the app as the caller. Returns the value of the response; null if there is none. */
export async function callFunction(
  portal: Portal,
  { schema, name }: Pick<PortalAction, 'schema' | 'name'>,
  args: Row,
): Promise<unknown> {
  const response = await send(portal, `rpc/${encodeURIComponent(name)}`, schema, {
    method: 'POST',
    body: JSON.stringify(args),
  });
  const text = await response.text();
  if (!response.ok) throw new Refusal(response.status, parsed(text));
  return parsed(text);
}

function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
