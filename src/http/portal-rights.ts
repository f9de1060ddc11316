import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { PortalRights } from '../../contract/portal.ts';
import type { App } from '../apps/app.ts';
import { DatabaseError } from '../database/database-error.ts';
import { firstJson, quoteIdentifier, type Statement } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { setupText } from '../identity/setup-text.ts';
import { identifiedCaller } from './portal-caller.ts';

/** Max number of fields of a key, which is that of an index of PostgreSQL. */
const KEY_FIELDS = 32;

/** Time in ms after which PostgreSQL cancels the evaluation of policies. */
const STATEMENT_MILLISECONDS = 2000;

/**
 * Runs a statement as the caller, who can change nothing with it, and returns its JSON. Returns null if it fails: the
 * caller may not read what it reads, or a policy has an error.
 */
export async function readAsCaller<Value>(
  app: App,
  { role, claimsJson }: Identity,
  searchPath: string,
  statement: Pick<Statement, 'text' | 'params'>,
): Promise<Value | null> {
  try {
    const [, found] = await app.database.run([
      {
        text: setupText('search_path statement_timeout role request.jwt.claims transaction_read_only'),
        params: [searchPath, String(STATEMENT_MILLISECONDS), role, claimsJson, 'on'],
        planKey: 'setup',
      },
      statement,
    ]);
    return (found && firstJson<Value>(found)) ?? null;
  } catch (error) {
    if (error instanceof DatabaseError) return null;
    throw error;
  }
}

/** Refuses a request with another method than GET and HEAD. */
export function onlyReads({ method }: CallRequest): void {
  if (method !== 'GET' && method !== 'HEAD') {
    throw new NinefoldError('method_not_allowed', { headers: { allow: 'GET' } });
  }
}

/** Returns a reply that is only for its caller. */
export function replyToCaller({ method }: CallRequest, body: object): Reply {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-store',
    vary: 'Authorization, apikey',
  };
  return { status: 200, headers, body: method === 'HEAD' ? null : JSON.stringify(body) };
}

/** The answer if the policies cannot be evaluated: the pages then offer what the caller may do with some rows. */
const UNKNOWN: PortalRights = { update: null, delete: null };

/**
 * Handles `GET /portal/v1/rights?schema=…&entity=…&key={"id":1}`: whether policies let the caller change and delete one
 * row. Runs as the caller, who learns nothing that an UPDATE or a DELETE of the row would not show.
 * @throws NinefoldError validation_invalid for a row that the API cannot name
 */
export async function rightsReply(app: App, request: CallRequest, identify: () => Promise<Identity>): Promise<Reply> {
  onlyReads(request);
  const identity = await identifiedCaller(identify);
  const { rest } = await app.settings();
  const asked = new URLSearchParams(request.query);
  const schema = asked.get('schema') ?? rest.db_schemas[0] ?? 'public';
  const key = keyOf(asked.get('key'));
  const entity = asked.get('entity') ?? '';
  if (!rest.db_schemas.includes(schema) || key.length === 0 || entity === '' || /\0/.test(request.query + entity)) {
    throw new NinefoldError('validation_invalid', { message: 'The address names no row of the API by its key.' });
  }
  const body = await rightsOf(app, identity, {
    path: [schema, ...rest.db_extra_search_path].map(quoteIdentifier).join(', '),
    relation: `${quoteIdentifier(schema)}.${quoteIdentifier(entity)}`,
    key,
  });
  return replyToCaller(request, body);
}

async function rightsOf(
  app: App,
  identity: Identity,
  { path, relation, key }: { path: string; relation: string; key: readonly (readonly [string, string])[] },
): Promise<PortalRights> {
  const conditions = key.map(([name], i) => `t.${quoteIdentifier(name)} = $${i + 1}`);
  const found = await readAsCaller<PortalRights>(app, identity, path, {
    text: `select ninefold.row_rights(t, $${key.length + 1}::pg_catalog.regclass)
      from ${relation} t where ${conditions.join(' and ')} limit 1`,
    params: [...key.map(([, value]) => value), relation],
  });
  return found ?? UNKNOWN;
}

/** Reads the fields of a key with their values. Returns an empty list for a text that is no key. */
function keyOf(text: string | null): [string, string][] {
  let key: unknown;
  try {
    key = JSON.parse(text ?? '');
  } catch {
    return [];
  }
  const fields = typeof key === 'object' && key !== null && !Array.isArray(key) ? Object.entries(key) : [];
  const isKey =
    fields.length <= KEY_FIELDS && fields.every(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return isKey ? fields.map(([name, value]) => [name, String(value)]) : [];
}
