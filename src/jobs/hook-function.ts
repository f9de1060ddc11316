import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { quoteIdentifier, type Statement } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { hookFailure } from './hook-failure.ts';

const ROLE = 'supabase_auth_admin';

/** Statement that switches to the role and the search path of auth triggers. */
const SET_ROLE: Statement = {
  text: `select pg_catalog.set_config('role', '${ROLE}', true), pg_catalog.set_config('search_path', 'auth', true),
    pg_catalog.set_config('lock_timeout', '0', true),
    pg_catalog.set_config('statement_timeout', '${limits.hookFunctionMilliseconds.default}', true)`,
  params: [],
  planKey: '',
};

/** SQLSTATE query_canceled. */
const CANCELED = '57014';

/** SQLSTATE raise_exception. */
const RAISED = 'P0001';

/** Matches SQLSTATEs with causes outside of the hook's code: connections, resources, a shutdown, the disk. */
const ofServer = /^(08|53|57P|58)/;

/**
 * Calls a function of the app with a payload in a separate transaction. Returns its result as JSON text; null for NULL
 * and for void functions.
 * @param database Connections to the app's database with its authenticator role.
 * @throws NinefoldError hook_timeout, hook_payload_over_size_limit, unexpected_failure
 * @throws DatabaseError for errors outside of the hook's code
 */
export async function callHookFunction(
  database: Executor,
  hook: { readonly schema: string; readonly name: string; readonly uri: string },
  payload: string,
): Promise<string | null> {
  const max = limits.hookAnswerBytes.default;
  const name = `${quoteIdentifier(hook.schema)}.${quoteIdentifier(hook.name)}`;
  const call: Statement = {
    text: `with answer as materialized (select ${name}($1)::text as value limit 1)
      select case when pg_catalog.octet_length(value) <= ${max} then value end, pg_catalog.octet_length(value) from answer`,
    params: [payload],
  };
  const results = await database.run([SET_ROLE, call]).catch((error: unknown) => failed(error, hook.uri));
  const [value, bytes] = results[1]?.rows[0] ?? [];
  if (Number(bytes?.toString('utf8') ?? 0) > max) throw tooLarge();
  return value?.toString('utf8') || null;
}

/** Returns the error for a response larger than the limit hookAnswerBytes. */
export const tooLarge = (): NinefoldError =>
  new NinefoldError('hook_payload_over_size_limit', {
    message: `Payload size exceeded size limit of ${limits.hookAnswerBytes.default} bytes`,
    limit: 'hookAnswerBytes',
  });

/**
 * Throws the error for a function that failed. The client gets the message of RAISE; other messages of PostgreSQL could
 * reveal internals of the app.
 */
function failed(error: unknown, uri: string): never {
  if (!(error instanceof DatabaseError) || ofServer.test(error.sqlstate)) throw error;
  if (error.sqlstate === RAISED) throw hookFailure(error.fields.message ?? '', error);
  if (error.sqlstate !== CANCELED) throw hookFailure(`Error running hook URI: ${uri}`, error);
  throw new NinefoldError('hook_timeout', {
    message: `Failed to run hook within maximum time of ${limits.hookFunctionMilliseconds.default / 1000} seconds`,
    limit: 'hookFunctionMilliseconds',
    cause: error,
  });
}
