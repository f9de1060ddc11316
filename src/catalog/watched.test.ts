import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isTest, sourceFiles } from '../../test/architecture/source-files.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { watched } from './catalog-fingerprint.ts';

/** Relations that the sources name although the specification does not depend on their content, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  pg_authid: 'the class under which comments on roles are kept; roles themselves are read from pg_roles',
  pg_policies: 'shown as a source of chapter 6, which reads pg_policy',
  pg_indexes: 'shown as a source of chapter 5, which reads pg_index',
  'ninefold.settings': 'compared by whoever remembers a specification',
  'ninefold.call_statistics': 'live figures',
  'ninefold.mails': 'live figures',
  'ninefold.request_traces': 'live figures',
  'ninefold.request_log_counts': 'live figures',
  pg_stat_activity: 'live figures',
  'ninefold.state_changes': 'live figures',
  'ninefold.member_roles': 'whom a probe acts as',
  'ninefold.probe': 'what a probe found, which is no part of the specification',
  'ninefold.versions': 'made from specifications',
  'ninefold.journal': 'names the author of a change',
};

const printing = ['pg_operator', 'pg_opclass', 'pg_collation', 'pg_ts_config', 'pg_ts_dict', 'pg_proc', 'pg_type'];
const rights = ['pg_roles', 'pg_auth_members', 'pg_database'];
const foreign = ['pg_rewrite', 'pg_trigger', 'pg_foreign_table', 'pg_foreign_server', 'pg_foreign_data_wrapper'];

/** For each function of PostgreSQL that queries call, the catalogs that the function reads. */
const functions: Readonly<Record<string, readonly string[]>> = {
  format_type: ['pg_type', 'pg_namespace'],
  has_column_privilege: ['pg_class', 'pg_attribute', ...rights],
  has_database_privilege: rights,
  has_function_privilege: ['pg_proc', ...rights],
  has_schema_privilege: ['pg_namespace', ...rights],
  has_sequence_privilege: ['pg_class', ...rights],
  has_table_privilege: ['pg_class', ...rights],
  obj_description: ['pg_description'],
  pg_column_is_updatable: foreign,
  pg_encoding_to_char: [],
  pg_export_snapshot: [],
  pg_get_constraintdef: [...printing, 'pg_constraint'],
  pg_get_expr: printing,
  pg_get_function_arguments: printing,
  pg_get_function_identity_arguments: ['pg_proc', 'pg_type'],
  pg_get_function_result: ['pg_proc', 'pg_type'],
  pg_get_function_sqlbody: printing,
  pg_get_indexdef: [...printing, 'pg_am', 'pg_index'],
  pg_get_partkeydef: [...printing, 'pg_partitioned_table'],
  pg_get_ruledef: [...printing, 'pg_rewrite'],
  pg_get_statisticsobjdef: [...printing, 'pg_statistic_ext'],
  pg_get_triggerdef: [...printing, 'pg_trigger'],
  pg_get_userbyid: ['pg_roles'],
  pg_get_viewdef: [...printing, 'pg_rewrite'],
  pg_has_role: rights,
  pg_options_to_table: [],
  pg_partition_ancestors: ['pg_inherits'],
  pg_partition_root: ['pg_inherits'],
  pg_relation_is_updatable: foreign,
  shobj_description: ['pg_shdescription'],
  // These functions return live figures, which are not part of the specification. So no catalog needs to be watched for
  // them.
  pg_database_size: [],
  pg_stat_get_live_tuples: [],
  pg_stat_get_tuples_deleted: [],
  pg_total_relation_size: [],
};

let postgres: TestPostgres;
let client: pg.Client;

beforeAll(async () => {
  postgres = await startPostgres('watched');
  client = new pg.Client(postgres.url);
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await postgres?.stop();
});

const sources = sourceFiles(['src/access', 'src/catalog', 'src/specification'])
  .filter(({ path }) => !isTest(path) && path !== 'src/catalog/catalog-fingerprint.ts')
  .map(({ path, text }) => ({ path, text: text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '') }));

/** Returns the matches of the pattern's first group in the sources, each with the first file that contains it. */
function found(pattern: RegExp): Map<string, string> {
  const all = new Map<string, string>();
  for (const { path, text } of sources) {
    for (const [, name = ''] of text.matchAll(pattern)) if (!all.has(name)) all.set(name, path);
  }
  return all;
}

it('the list of watched relations contains every catalog relation that a query reads, so that each change of its rows updates the specification', async () => {
  const { rows } = await client.query(`select relname from pg_class
    where relnamespace = 'pg_catalog'::regnamespace and relkind in ('r', 'v')`);
  const relations = new Set(rows.map(({ relname }) => relname));
  const named = [...found(/\b(pg_\w+)/g)].filter(([name]) => relations.has(name));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(([name]) => !watched.includes(name) && !Object.hasOwn(exceptions, name))).toEqual([]);
});

it('the list of watched relations contains the catalogs that PostgreSQL reads inside the functions that queries call', () => {
  const called = found(/\b(pg_\w+|has_\w+_privilege|\w+_description|format_type)\s*\(/g);
  expect(called.size).toBeGreaterThan(20);
  expect([...called].filter(([name]) => !Object.hasOwn(functions, name))).toEqual([]);
  expect(Object.keys(functions).filter((name) => !called.has(name))).toEqual([]);
  expect(
    Object.values(functions)
      .flat()
      .filter((name) => !watched.includes(name)),
  ).toEqual([]);
});

it('the list of watched relations contains the tables of schema ninefold that queries read', () => {
  const named = found(/\b(?:from|join) (ninefold\.\w+)\b(?! *\()/g);
  expect(named.size).toBeGreaterThan(5);
  expect([...named].filter(([name]) => !watched.includes(name) && !Object.hasOwn(exceptions, name))).toEqual([]);
});

it('the list of watched relations contains no unused entry: each watched relation and each exception is named by a query', () => {
  const named = new Set([...found(/\b(pg_\w+|ninefold\.\w+)/g).keys(), ...Object.values(functions).flat()]);
  expect([...watched, ...Object.keys(exceptions)].filter((name) => !named.has(name))).toEqual([]);
});
