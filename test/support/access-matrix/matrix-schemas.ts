import type { Pool } from '../../../src/database/pool.ts';
import { matrixCases } from './matrix-cases.ts';

/** The schema that a situation is in. */
const schemaOf = (index: number): string => `case_${String(index).padStart(2, '0')}`;

/** Of all situations, in their order. */
export const matrixSchemas: readonly string[] = matrixCases.map((_, index) => schemaOf(index));

/** The roles that situations are tried as, beside those that every app has. */
export const matrixRoles = `
  create role staff; create role agent; create role clerk noinherit; create role reader; create role writer;
  create role keeper; create role deputy; grant keeper to deputy;
  grant staff to agent; grant staff to clerk; grant pg_read_all_data to reader; grant pg_write_all_data to writer;
  grant staff, agent, clerk, reader, writer, keeper, deputy to authenticator;`;

/** Makes all situations; `pool` is the superuser's of a database that has the roles. */
export async function makeMatrixSchemas(pool: Pool): Promise<void> {
  const scripts = matrixCases.map(({ sql }, index) => {
    const schema = schemaOf(index);
    return `reset role; create schema ${schema} authorization app_owner; grant usage on schema ${schema} to public;
      grant create on schema ${schema} to keeper; set search_path = ${schema}, extensions; set role app_owner;
      ${sql.replaceAll('this_schema', schema)};`;
  });
  // Each script has a connection of its own, which knows nothing of the catalog yet: one for each situation takes twice the time.
  for (let at = 0; at < scripts.length; at += 10) await pool.script(scripts.slice(at, at + 10).join('\n'));
}
