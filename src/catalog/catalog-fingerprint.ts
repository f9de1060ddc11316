import type { Executor } from '../database/database.ts';
import { plannerSettings, storeServerValues } from '../database/startup-settings.ts';
import { rowsAsText } from '../database/statement.ts';
import { BUCKETS } from './buckets.ts';
import { boundQueries } from './server-limits.ts';
import { FIRST_NORMAL_OID } from './sql-fragments.ts';

/**
 * Relations of pg_catalog that the queries of this folder and of the chapters read. A change of any of their rows
 * changes the fingerprint.
 */
const read = [
  ...['pg_namespace', 'pg_class', 'pg_attribute', 'pg_attrdef', 'pg_type', 'pg_enum', 'pg_constraint', 'pg_index'],
  ...['pg_inherits', 'pg_trigger', 'pg_rewrite', 'pg_policy', 'pg_proc', 'pg_language', 'pg_am', 'pg_cast'],
  ...['pg_extension', 'pg_foreign_table', 'pg_foreign_server', 'pg_foreign_data_wrapper'],
  ...['pg_range', 'pg_sequence', 'pg_default_acl', 'pg_partitioned_table', 'pg_event_trigger'],
  ...['pg_publication', 'pg_publication_rel', 'pg_publication_namespace', 'pg_statistic_ext'],
  ...['pg_database', 'pg_db_role_setting', 'pg_auth_members', 'pg_shdescription'],
];

/** Relations with names of objects that PostgreSQL prints in expressions and definitions. */
const printed = ['pg_operator', 'pg_opclass', 'pg_collation', 'pg_ts_config', 'pg_ts_dict'];

/**
 * Relations that contain many rows of PostgreSQL itself, each with its column of object identifiers. This column
 * distinguishes the app's rows, and the fingerprint includes only these.
 */
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

/**
 * Tables of schema ninefold from which chapters are derived. The table of settings is not among them, because the cache
 * of specifications compares the settings itself.
 */
const definitions = [
  ...['app', 'screens', 'pages', 'menus', 'labels', 'file_fields', 'machines', 'transitions', 'roles'],
  'notification_rules',
];

/**
 * Returns SQL with the number of rows and the sum of the ages of the transactions that wrote them. Each committed
 * change of a table changes the number or the sum. The sum is used because an older transaction can commit after a
 * younger one. Ages grow with every transaction, so they are relative to that of transaction 3; rows created with the
 * cluster (xmin 1) have a constant age.
 */
const stateOf = (table: string, condition = 'true'): string =>
  `(select count(*) || ':' || coalesce(sum(age(t.xmin)), 0) - count(*) filter (where t.xmin <> '1') * age('3'::xid)::int8
    from ${table} t where ${condition})`;

/** The name of the state of the comments on relations and columns. `pg_description` is that of all other comments. */
export const RELATION_COMMENTS = 'pg_description of pg_class';

const ofRelation = `t.classoid = 'pg_catalog.pg_class'::regclass`;

const states: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...read, ...printed].map((name) => [name, stateOf(`pg_catalog.${name}`)])),
  ...Object.fromEntries(
    Object.entries(ownRows).map(([name, oid]) => [
      name,
      stateOf(`pg_catalog.${name}`, `t.${oid} >= ${FIRST_NORMAL_OID}`),
    ]),
  ),
  pg_description: stateOf('pg_catalog.pg_description', `not ${ofRelation}`),
  [RELATION_COMMENTS]: stateOf('pg_catalog.pg_description', ofRelation),
  // Most rows of pg_depend change only together with rows of other relations, which are watched. A row about the
  // membership in an extension can change alone, so only these rows are read.
  pg_depend: stateOf('pg_catalog.pg_depend', `t.refclassid = 'pg_catalog.pg_extension'::regclass`),
  // These views and functions have no transaction ids, and only superusers may read the underlying tables, so the
  // fingerprint contains a hash of their content.
  pg_roles: `(select md5(string_agg(r::text, '' order by r.oid)) from pg_catalog.pg_roles r)`,
  pg_user_mappings: `(select md5(string_agg(m::text, '' order by m.umid)) from pg_catalog.pg_user_mappings m)`,
  'ninefold.user_mapping_writes': `(select md5(string_agg(w::text, '' order by w.mapping)) from ninefold.user_mapping_writes() w)`,
  'ninefold.described_buckets': `(select md5(${BUCKETS}::text))`,
  'ninefold.scheduled_jobs': '(select md5(ninefold.scheduled_jobs()::text))',
  'ninefold.edge_functions': '(select md5(ninefold.edge_functions()::text))',
  pg_settings: `(select md5((${boundQueries.server_settings})::text))`,
  ...Object.fromEntries(definitions.map((name) => [`ninefold.${name}`, stateOf(`ninefold.${name}`)])),
};

const names: readonly string[] = Object.keys(states);

/**
 * The names of the relations whose changes alter the fingerprint. Relations of pg_catalog are named without the schema,
 * all others with it.
 */
export const watched = names.filter((name) => name !== RELATION_COMMENTS);

const SEPARATOR = ' ';
const parts = Object.values(states).map((state) => `coalesce(${state}, '')`);

/** A SELECT of the fingerprint, for a transaction with the settings of `readCatalog`. */
export const FINGERPRINT = `select concat_ws('${SEPARATOR}', ${parts.join(',\n')}) as state`;

/** Returns the relations in which two fingerprints differ: names of `watched`, and RELATION_COMMENTS. */
export function changedRelations(before: string, after: string): readonly string[] {
  const [old, fresh] = [before.split(SEPARATOR), after.split(SEPARATOR)];
  return names.filter((_, i) => old[i] !== fresh[i]);
}

/**
 * Returns a string that changes whenever an input of the specification changes, except live figures. Comparing it takes
 * a fiftieth of the time of a derivation, so the caller can compare it for each request, without notifications of
 * changes. The search path is empty, so that no object of the app can replace a function of PostgreSQL.
 */
export async function catalogFingerprint(executor: Executor): Promise<string> {
  const [, result] = await executor.run([
    {
      text: `select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), ${storeServerValues},
        pg_catalog.set_config('lock_timeout', '0', true),
        ${plannerSettings}`,
      params: [],
      planKey: '',
    },
    { text: FINGERPRINT, params: [], planKey: 'catalog state' },
  ]);
  return (result && rowsAsText(result)[0]?.state) ?? '';
}
