import { limits } from '../../contract/limits.ts';
import { rethrowAsAppDamaged } from '../apps/provisioning/damaged-app.ts';
import type { Executor } from '../database/database.ts';
import type { Param, Result, Statement } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { nestsDeeper } from '../limits/bounded-json.ts';

/** SQL text and its parameters. */
export type SqlStatement = readonly [text: string, params: Param[]];

/** The database role that owns schema auth. */
const ROLE = 'supabase_auth_admin';

/**
 * Statement that sets the role and the search path. Triggers of the app run within the statements. The search path must
 * not find an object in a schema of the app in place of an object that the statements name.
 */
const SET_ROLE: Statement = {
  text: `select pg_catalog.set_config('role', '${ROLE}', true), pg_catalog.set_config('search_path', 'auth', true),
    pg_catalog.set_config('lock_timeout', '0', true),
    pg_catalog.set_config('statement_timeout', '${limits.authStatementMilliseconds.default}', true),
    pg_catalog.set_config('max_parallel_workers_per_gather', '0', true)`,
  params: [],
  planKey: '',
};

/**
 * Runs statements as the owner of the schema auth, in one round trip and one transaction. Takes texts with parameters
 * and returns one result per statement.
 * @throws what Executor.run throws, and `app_damaged`
 */
export async function runAsAuthAdmin(
  database: Executor,
  statements: readonly (readonly [text: string, params: Statement['params']])[],
): Promise<Result[]> {
  const [, ...results] = await database
    .run([SET_ROLE, ...statements.map(([text, params]): Statement => ({ text, params, planKey: ROLE }))])
    .catch(rethrowAsAppDamaged);
  return results;
}

/**
 * Runs one statement like `runAsAuthAdmin` and parses the JSON in its only column. Returns null if there is no row or
 * the value is NULL.
 */
export async function jsonAsAuthAdmin<T>(
  database: Executor,
  text: string,
  params: Statement['params'],
): Promise<T | null> {
  const [result] = await runAsAuthAdmin(database, [[text, params]]);
  return accountJson(result);
}

/**
 * Parses the JSON in the first column of the first row; returns null without a row. The JSON may contain values that
 * the app's own SQL wrote, such as the metadata of a member.
 * @throws database_refused if it is nested too deeply for a token
 */
export function accountJson<T>(result: Result | undefined): T | null {
  const value = result?.rows[0]?.[0];
  if (!value) return null;
  const json = value.toString('utf8');
  const max = limits.storedJsonDepth.default;
  if (json.length > 2 * max && nestsDeeper(json, max)) {
    throw new NinefoldError('database_refused', {
      status: 422,
      message: `What the database holds of the account nests deeper than ${max} objects and arrays.`,
      limit: 'storedJsonDepth',
    });
  }
  return JSON.parse(json) as T;
}
