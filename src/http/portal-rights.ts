import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { PortalRights } from '../../contract/portal.ts';
import type { App } from '../apps/app.ts';
import { DatabaseError } from '../database/database-error.ts';
import { firstJson, quoteIdentifier } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { setupText } from '../identity/setup-text.ts';

/** Max number of fields of a key, which is that of an index of PostgreSQL. */
const KEY_FIELDS = 32;

/** Time in ms after which PostgreSQL cancels the evaluation of policies. */
const STATEMENT_MILLISECONDS = 2000;

/** The answer if the policies cannot be evaluated: the pages then offer what the caller may do with some rows. */
const UNKNOWN: PortalRights = { update: null, delete: null };

/**
 * Handles `GET /portal/v1/rights?schema=…&entity=…&key={"id":1}`: whether policies let the caller change and delete one
 * row. Runs as the caller, who learns nothing that an UPDATE or a DELETE of the row would not show.
 * @throws NinefoldError validation_invalid for a row that the API cannot name
 */
export async function rightsReply(app: App, request: CallRequest, identify: () => Promise<Identity>): Promise<Reply> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new NinefoldError('method_not_allowed', { headers: { allow: 'GET' } });
  }
  const identity = await identify();
  if (identity.source === 'none') throw new NinefoldError('key_missing');
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
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-store',
    vary: 'Authorization, apikey',
  };
  return { status: 200, headers, body: request.method === 'HEAD' ? null : JSON.stringify(body) };
}

async function rightsOf(
  app: App,
  { role, claimsJson }: Identity,
  { path, relation, key }: { path: string; relation: string; key: readonly (readonly [string, string])[] },
): Promise<PortalRights> {
  const conditions = key.map(([name], i) => `t.${quoteIdentifier(name)} = $${i + 1}`);
  try {
    const [, found] = await app.database.run([
      {
        text: setupText('search_path statement_timeout role request.jwt.claims transaction_read_only'),
        params: [path, String(STATEMENT_MILLISECONDS), role, claimsJson, 'on'],
        planKey: 'setup',
      },
      {
        text: `select ninefold.row_rights(t, $${key.length + 1}::pg_catalog.regclass)
          from ${relation} t where ${conditions.join(' and ')} limit 1`,
        params: [...key.map(([, value]) => value), relation],
      },
    ]);
    return (found && firstJson<PortalRights>(found)) ?? UNKNOWN;
  } catch (error) {
    // The caller may not read the complete row, or the database has an older schema.
    if (error instanceof DatabaseError) return UNKNOWN;
    throw error;
  }
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
