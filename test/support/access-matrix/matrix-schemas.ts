import type { Pool } from '../../../src/database/pool.ts';
import { matrixCases } from './matrix-cases.ts';

/** Returns the name of the schema for a case. */
const schemaOf = (index: number): string => `case_${String(index).padStart(2, '0')}`;

/** The names of the schemas of all cases, in the order of `matrixCases`. */
export const matrixSchemas: readonly string[] = matrixCases.map((_, index) => schemaOf(index));

/** Creates the roles that the cases use in addition to the roles of every app. */
export const matrixRoles = `
  create role staff; create role agent; create role clerk noinherit; create role reader; create role writer;
  create role keeper; create role deputy; grant keeper to deputy;
  grant staff to agent; grant staff to clerk; grant pg_read_all_data to reader; grant pg_write_all_data to writer;
  grant staff, agent, clerk, reader, writer, keeper, deputy to authenticator;`;

/** Creates the schemas of all cases. `pool` connects as the superuser to a database that has `matrixRoles`. */
export async function makeMatrixSchemas(pool: Pool): Promise<void> {
  const scripts = matrixCases.map(({ sql }, index) => {
    const schema = schemaOf(index);
    return `reset role; create schema ${schema} authorization app_owner; grant usage on schema ${schema} to public;
      grant create on schema ${schema} to keeper; set search_path = ${schema}, extensions; set role app_owner;
      ${sql.replaceAll('this_schema', schema)};`;
  });
  // Pool.script opens a connection for each script, and PostgreSQL then fills an empty catalog cache. A script of ten
  // cases takes half the time of ten scripts.
  for (let at = 0; at < scripts.length; at += 10) await pool.script(scripts.slice(at, at + 10).join('\n'));
}
