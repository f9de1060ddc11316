import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { PortalAdditions } from '../../contract/portal.ts';
import type { App } from '../apps/app.ts';
import { runAsServerRole } from '../apps/run-as-server-role.ts';
import { DatabaseError } from '../database/database-error.ts';
import { firstJson } from '../database/statement.ts';
import type { Identity } from '../identity/identity.ts';
import { identifiedCaller } from './portal-caller.ts';
import { onlyReads, readAsCaller, replyToCaller } from './portal-rights.ts';

interface Policy {
  readonly permissive: boolean;
  /** The condition of new rows as SQL without a search path, and as the tree that PostgreSQL stores. */
  readonly condition: string;
  readonly tree: string;
}

interface PolicedTable {
  readonly schema: string;
  readonly name: string;
  readonly policies: readonly Policy[] | null;
}

/** Reads the policies for new rows of the tables into which a role may insert. */
const policies = `select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('schema', n.nspname, 'name', c.relname, 'policies', p.list)), '[]')
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  cross join lateral (
    select pg_catalog.json_agg(pg_catalog.json_build_object('permissive', p.polpermissive,
      'condition', coalesce(pg_catalog.pg_get_expr(coalesce(p.polwithcheck, p.polqual), p.polrelid), 'true'),
      'tree', coalesce(p.polwithcheck::text, p.polqual::text, ''))) as list
    from pg_catalog.pg_policy p
    where p.polrelid = c.oid and p.polcmd in ('*', 'a') and exists (
      select from pg_catalog.unnest(p.polroles) r where r = 0 or pg_catalog.pg_has_role($2::name, r, 'usage'))
  ) p
  where c.relkind in ('r', 'p') and c.relrowsecurity
    and not exists (select from pg_catalog.pg_roles r where r.rolname = $2 and (r.rolbypassrls or r.rolsuper))
    and n.nspname in (select pg_catalog.jsonb_array_elements_text($1::jsonb))
    and pg_catalog.has_any_column_privilege($2::name, c.oid, 'insert')`;

/**
 * Handles `GET /portal/v1/additions`: the tables to which the policies let the caller add no row, whatever it contains.
 * Conditions that name no field of the row, such as `is_staff()`, are evaluated as the caller.
 */
export async function additionsReply(
  app: App,
  request: CallRequest,
  identify: () => Promise<Identity>,
): Promise<Reply> {
  onlyReads(request);
  const identity = await identifiedCaller(identify);
  const { rest } = await app.settings();
  const tables = await policedTables(app, rest.db_schemas, identity.role);
  const holds = await evaluate(app, identity, [
    ...new Set(tables.flatMap((table) => (table.policies ?? []).filter(isOfCaller).map(({ condition }) => condition))),
  ]);
  const isPossible = ({ policies: list }: PolicedTable) => {
    const mayHold = (policy: Policy) => !isOfCaller(policy) || holds.get(policy.condition) !== false;
    const all = list ?? [];
    return all.some((one) => one.permissive && mayHold(one)) && all.every((one) => one.permissive || mayHold(one));
  };
  const body: PortalAdditions = {
    // Without a permissive policy, the caller has not learned of the table from the screens.
    closed: tables
      .filter((table) => table.policies?.some(({ permissive }) => permissive) && !isPossible(table))
      .map(({ schema, name }) => `${schema}.${name}`),
  };
  return replyToCaller(request, body);
}

async function policedTables(app: App, schemas: readonly string[], role: string): Promise<readonly PolicedTable[]> {
  const [found] = await runAsServerRole(app.serverDatabase, [
    { text: policies, params: [JSON.stringify(schemas), role] },
  ]).catch((error: unknown) => {
    // The role of an old token can be gone.
    if (error instanceof DatabaseError) return [];
    throw error;
  });
  return (found && firstJson<PolicedTable[]>(found)) ?? [];
}

/** Evaluates conditions as the caller. Returns nothing if one of them fails: the pages then offer what the caller may add to some rows. */
async function evaluate(
  app: App,
  identity: Identity,
  conditions: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  if (conditions.length === 0) return new Map();
  // A condition that is null admits no row.
  const values = conditions.map((condition) => `coalesce((${condition}), false)`);
  const text = `select pg_catalog.to_json(array[${values.join(', ')}])`;
  const found = await readAsCaller<boolean[]>(app, identity, '', { text, params: [] });
  return new Map(conditions.map((condition, i) => [condition, found?.[i] !== false]));
}

/**
 * Returns true for a condition that names no field of the new row. In the tree, such a field is a VAR outside of a
 * subquery, or one inside whose level is not 0.
 */
function isOfCaller({ tree }: Policy): boolean {
  if (/:varlevelsup [1-9]/.test(tree)) return false;
  const open: string[] = [];
  for (const [token, node] of tree.replaceAll(/\\./g, '').matchAll(/\{(\w*)|\}/g)) {
    if (token === '}') open.pop();
    else if (node === 'VAR' && !open.includes('QUERY')) return false;
    else open.push(node ?? '');
  }
  return true;
}
