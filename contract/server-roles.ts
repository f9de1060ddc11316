/**
 * Roles of the database server that appear in Ninefold or in migrations of Supabase projects, but that no call of an
 * app ever has.
 */
export const serverRoles: ReadonlySet<string> = new Set([
  'authenticator',
  'dashboard_user',
  'ninefold_owner',
  'ninefold_server',
  'pgbouncer',
  'postgres',
  'supabase_admin',
  'supabase_auth_admin',
  'supabase_etl_admin',
  'supabase_functions_admin',
  'supabase_read_only_user',
  'supabase_realtime_admin',
  'supabase_replication_admin',
  'supabase_storage_admin',
]);
