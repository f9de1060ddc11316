import type { Executor } from '../database/database.ts';
import { plannerSettings } from '../database/startup-settings.ts';
import { rowsAsText } from '../database/statement.ts';
import { boundQueries } from './bounds.ts';
import { FIRST_NORMAL_OID } from './fragments.ts';

/** Relations of pg_catalog that the queries of this folder and of the chapters read, of which every row counts. */
const read = [
  ...['pg_namespace', 'pg_class', 'pg_attribute', 'pg_attrdef', 'pg_type', 'pg_enum', 'pg_constraint', 'pg_index'],
  ...['pg_inherits', 'pg_trigger', 'pg_rewrite', 'pg_policy', 'pg_proc', 'pg_language', 'pg_am', 'pg_cast'],
  ...['pg_extension', 'pg_foreign_table', 'pg_foreign_server', 'pg_foreign_data_wrapper', 'pg_description'],
  ...['pg_range', 'pg_sequence', 'pg_default_acl', 'pg_partitioned_table', 'pg_event_trigger'],
  ...['pg_publication', 'pg_publication_rel', 'pg_publication_namespace', 'pg_statistic_ext'],
  ...['pg_database', 'pg_db_role_setting', 'pg_auth_members', 'pg_shdescription'],
];

/** Whose names PostgreSQL prints in expressions and definitions. */
const printed = ['pg_operator', 'pg_opclass', 'pg_collation', 'pg_ts_config', 'pg_ts_dict'];

/** Of which only rows of the app count: PostgreSQL's own are many. With the number of the object that a row is of. */
const ownRows: Readonly<Record<string, string>> = {
  pg_aggregate: 'aggfnoid::oid',
  pg_amop: 'amopfamily',
  pg_amproc: 'amprocfamily',
  pg_conversion: 'oid',
  pg_opfamily: 'oid',
  pg_ts_config_map: 'mapcfg',
  pg_ts_parser: 'oid',
  pg_ts_template: 'oid',
};

/** Tables of schema ninefold that chapters are derived from. The cache of specifications compares the settings itself. */
const definitions = ['app', 'screens', 'machines', 'transitions', 'roles'];

/**
 * How many rows there are and which transactions wrote them: whatever changes a table and is committed changes one of the two. It
 * is the sum of the transactions that counts, as an older one may be committed after a younger. An age grows with every
 * transaction, so they are counted from that of the first; rows that came with the cluster (1) are of one age for ever.
 */
const stateOf = (table: string, condition = 'true'): string =>
  `(select count(*) || ':' || coalesce(sum(age(t.xmin)), 0) - count(*) filter (where t.xmin <> '1') * age('3'::xid)::int8
    from ${table} t where ${condition})`;

const states: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...read, ...printed].map((name) => [name, stateOf(`pg_catalog.${name}`)])),
  ...Object.fromEntries(
    Object.entries(ownRows).map(([name, oid]) => [
      name,
      stateOf(`pg_catalog.${name}`, `t.${oid} >= ${FIRST_NORMAL_OID}`),
    ]),
  ),
  // Most of it follows from the rows of others; what belongs to an extension stands nowhere else.
  pg_depend: stateOf('pg_catalog.pg_depend', `t.refclassid = 'pg_catalog.pg_extension'::regclass`),
  // Views have no transactions, and functions neither. The tables beneath may be read by superusers only.
  pg_roles: `(select md5(string_agg(r::text, '' order by r.oid)) from pg_catalog.pg_roles r)`,
  pg_user_mappings: `(select md5(string_agg(m::text, '' order by m.umid)) from pg_catalog.pg_user_mappings m)`,
  'ninefold.user_mapping_writes': `(select md5(string_agg(w::text, '' order by w.mapping)) from ninefold.user_mapping_writes() w)`,
  pg_settings: `(select md5((${boundQueries.server_settings})::text))`,
  ...Object.fromEntries(definitions.map((name) => [`ninefold.${name}`, stateOf(`ninefold.${name}`)])),
};

/** The watched relations: those of pg_catalog by name, those of schema ninefold with their schema. */
export const watched: readonly string[] = Object.keys(states);

const QUERY = `select concat_ws(' ', ${Object.values(states).join(',\n')}) as state`;

/**
 * A text that differs once anything has changed that the specification is derived from, live figures aside: to compare
 * it with an earlier one costs a fiftieth of deriving anew, and needs nobody to tell of the change. With an empty search path,
 * so that nothing of the app stands in for what PostgreSQL counts with.
 */
export async function catalogueState(executor: Executor): Promise<string> {
  const [, result] = await executor.run([
    {
      text: `select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), pg_catalog.set_config('lock_timeout', '0', true),
        ${plannerSettings}`,
      params: [],
      preparedFor: '',
    },
    { text: QUERY, params: [], preparedFor: 'catalogue state' },
  ]);
  return (result && rowsAsText(result)[0]?.state) ?? '';
}
