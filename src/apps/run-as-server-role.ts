import type { Executor } from '../database/database.ts';
import type { Result, Statement } from '../database/statement.ts';
import { rethrowAsAppDamaged } from './provisioning/damaged-app.ts';

/** Statement that makes a transaction of the app's server role run as the owner of Ninefold's own tables. */
export const becomeServerRole: Statement = {
  text: `select pg_catalog.set_config('role', 'ninefold_server', true), pg_catalog.set_config('search_path', '', true),
    pg_catalog.set_config('lock_timeout', '0', true),
    pg_catalog.set_config('max_parallel_workers_per_gather', '0', true)`,
  params: [],
  planKey: '',
};

/**
 * Statement that makes a transaction of the app's authenticator run as the owner of schema auth. The tables of this
 * schema may have triggers and policies of the app.
 */
export const becomeAuthAdmin: Statement = {
  text: `select pg_catalog.set_config('role', 'supabase_auth_admin', true), pg_catalog.set_config('search_path', '', true),
    pg_catalog.set_config('lock_timeout', '0', true),
    pg_catalog.set_config('max_parallel_workers_per_gather', '0', true)`,
  params: [],
  planKey: '',
};

/**
 * Returns the statement that makes a transaction of the app's authenticator read rows past their policies. The app's
 * owner may have defined anything on them, so the statements have a time limit.
 */
export const becomeServiceRole = (timeoutMilliseconds: number): Statement => ({
  text: `select pg_catalog.set_config('role', 'service_role', true), pg_catalog.set_config('search_path', '', true),
    pg_catalog.set_config('statement_timeout', $1, true)`,
  params: [String(timeoutMilliseconds)],
});

/**
 * Runs statements on Ninefold's own tables in an app's database, in one transaction.
 * @param database `App.serverDatabase`.
 * @throws NinefoldError app_damaged
 * @throws The errors of `Executor.run`.
 */
export async function runAsServerRole(
  database: Executor,
  statements: readonly Omit<Statement, 'planKey'>[],
): Promise<Result[]> {
  const [, ...results] = await database
    .run([
      becomeServerRole,
      ...statements.map((statement): Statement => ({ ...statement, planKey: 'ninefold_server' })),
    ])
    .catch(rethrowAsAppDamaged);
  return results;
}
