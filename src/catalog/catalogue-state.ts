import type { Executor } from '../database/database.ts';
import { rowsAsText } from '../database/statement.ts';

/** What the chapters are derived from: PostgreSQL's catalogue, and the tables of schema ninefold that hold what it has no word for. */
const tables = [
  ...[
    'pg_namespace',
    'pg_class',
    'pg_attribute',
    'pg_attrdef',
    'pg_type',
    'pg_enum',
    'pg_range',
    'pg_constraint',
    'pg_index',
  ],
  ...[
    'pg_trigger',
    'pg_rewrite',
    'pg_policy',
    'pg_proc',
    'pg_inherits',
    'pg_sequence',
    'pg_extension',
    'pg_event_trigger',
  ],
  ...['pg_description', 'pg_default_acl', 'pg_init_privs', 'pg_aggregate', 'pg_cast'],
  ...['pg_database', 'pg_db_role_setting', 'pg_auth_members', 'pg_shdescription'],
].map((name) => `pg_catalog.${name}`);

const definitions = ['app', 'screens', 'machines', 'transitions', 'roles'].map((name) => `ninefold.${name}`);

/**
 * How many rows there are and which transactions wrote them: whatever changes a table and is committed changes one of the two. It
 * is the sum of the transactions that counts, as an older one may be committed after a younger. Of rows as old as the cluster the
 * age is the largest number.
 */
const stateOf = (table: string): string =>
  `(select count(*) || ':' || coalesce(sum(age(t.xmin) - age('3'::xid)) filter (where age(t.xmin) < 2147483647), 0) from ${table} t)`;

const QUERY = `select concat_ws(' ', ${[...tables, ...definitions].map(stateOf).join(',\n')},
  (select md5(string_agg(r::text, '' order by r.oid)) from pg_catalog.pg_roles r),
  (select md5(string_agg(s.name || s.setting, '' order by s.name)) from pg_catalog.pg_settings s
    where s.name in ('max_connections', 'statement_timeout', 'transaction_timeout', 'lock_timeout',
      'idle_in_transaction_session_timeout', 'temp_file_limit', 'work_mem'))) as state`;

/**
 * A text that differs once anything has changed that the specification is derived from, live figures aside: to compare
 * it with an earlier one costs a fiftieth of deriving anew, and needs nobody to tell of the change.
 */
export async function catalogueState(executor: Executor): Promise<string> {
  const [result] = await executor.run([{ text: QUERY, params: [], preparedFor: 'catalogue state' }]);
  return (result && rowsAsText(result)[0]?.state) ?? '';
}
