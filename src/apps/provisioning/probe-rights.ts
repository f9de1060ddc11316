import { type RightName, rightNames } from '../../../contract/server-rights.ts';
import type { Executor } from '../../database/database.ts';
import { plain, rowsAsText } from '../../database/statement.ts';

/** For each right, a statement that fails without it. All of them run in a transaction that is rolled back. */
const probes: Readonly<Record<RightName, string>> = {
  catalog: `perform pg_catalog.set_config('allow_system_table_mods', 'on', true)`,
  eventTriggers: `execute 'create function pg_temp.ninefold_probe() returns event_trigger language plpgsql as ''begin end''';
    execute 'create event trigger ninefold_probe on ddl_command_end execute function pg_temp.ninefold_probe()'`,
  parameterGrants: `execute 'create role ninefold_probe';
    execute 'grant set on parameter session_replication_role to ninefold_probe'`,
  temporaryFiles: `execute 'create role ninefold_probe';
    execute 'alter role ninefold_probe set temp_file_limit = ''1GB'''`,
  reservedConnections: `execute 'create role ninefold_probe';
    if exists (select from pg_catalog.pg_roles where rolname = 'pg_use_reserved_connections') then
      execute 'grant pg_use_reserved_connections to ninefold_probe with inherit true, set false';
    end if`,
  serverFiles: `perform pg_catalog.pg_ls_dir('base/pgsql_tmp', true, false), pg_catalog.pg_ls_tmpdir()`,
};

const attempt = (name: RightName): string => `begin
    ${probes[name]};
    raise exception using errcode = 'P0009';
  exception
    when sqlstate 'P0009' then null;
    when insufficient_privilege or feature_not_supported or cant_change_runtime_param then
      missing := missing || '${name} ';
  end;`;

const PROBE = `do $probe$
declare
  missing pg_catalog.text := '';
begin
  ${rightNames.map(attempt).join('\n  ')}
  perform pg_catalog.set_config('ninefold.missing', missing, true);
end
$probe$`;

/**
 * Tries what a superuser may do. Each attempt is rolled back.
 * @param server Connections of the node's login to any database.
 * @returns the rights that the login lacks; none for a superuser
 */
export async function missingRights(server: Executor): Promise<RightName[]> {
  const results = await server.run([
    plain(PROBE),
    plain(`select pg_catalog.current_setting('ninefold.missing') as missing`),
  ]);
  const missing = (results[1] && rowsAsText(results[1])[0]?.missing) ?? '';
  return rightNames.filter((name) => missing.split(' ').includes(name));
}
