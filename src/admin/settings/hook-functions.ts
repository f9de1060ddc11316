import type { HookFunctions } from '../../../contract/hooks.ts';
import { limits } from '../../../contract/limits.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { firstJson } from '../../database/statement.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { json } from '../reply.ts';

/**
 * Query for the functions, $1 is their maximum number. Settings can only name functions with plain names (GoTrue,
 * `postgresNamesRegexp`).
 */
const LIST = `select pg_catalog.json_build_object('functions', coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
    'schema', f.schema, 'name', f.name, 'is_executable', f.is_executable) order by f.schema, f.name), '[]'))
  from (
    select n.nspname as schema, p.proname as name,
      pg_catalog.has_schema_privilege('supabase_auth_admin', n.oid, 'USAGE')
        and pg_catalog.has_function_privilege('supabase_auth_admin', p.oid, 'EXECUTE') as is_executable
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where p.prokind = 'f' and p.pronargs = 1 and not p.proretset
      and p.proargtypes[0] in ('pg_catalog.json'::pg_catalog.regtype, 'pg_catalog.jsonb'::pg_catalog.regtype)
      and p.prorettype in ('pg_catalog.json'::pg_catalog.regtype, 'pg_catalog.jsonb'::pg_catalog.regtype, 'pg_catalog.void'::pg_catalog.regtype)
      and n.nspname !~ '^pg_' and n.nspname <> all (array['information_schema', 'ninefold', 'auth', 'storage', 'realtime', 'net', 'cron', 'vault'])
      and n.nspname ~ '^[a-zA-Z_][a-zA-Z0-9_]*$' and p.proname ~ '^[a-zA-Z_][a-zA-Z0-9_]*$'
      and not exists (
        select from pg_catalog.pg_depend d where d.objid = p.oid and d.deptype = 'e'
          and d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass)
    order by 1, 2 limit $1::int
  ) f`;

const listHookFunctions = adminCall({
  route: 'GET /apps/:ref/hook-functions',
  least: 'developer',
  summary: 'Returns the functions that auth hooks can call, and whether supabase_auth_admin may execute them.',
  returns: 'HookFunctions',
  handle: async ({ context, ref }) => {
    const { serverDatabase } = await context.apps.get(ref);
    const [result] = await runAsServerRole(serverDatabase, [
      { text: LIST, params: [String(limits.hookFunctionsListed.default)] },
    ]);
    return json((result && firstJson<HookFunctions>(result)) ?? { functions: [] });
  },
});

export const hookFunctionCalls: readonly AdminCall[] = [listHookFunctions];
