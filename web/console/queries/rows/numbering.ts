import { ApiFailure } from '../api-failure.ts';
import { identifier, literal, runSql } from '../sql.ts';
import type { Table } from './rest-call.ts';

/** Time in ms after which giving numbers back is cancelled. */
const RESTORE_MILLISECONDS = 5000;

/** A sequence that numbers the rows of a table, with its last number before a check; null if it has issued none. */
interface Numbering {
  readonly sequence: string;
  readonly field: string;
  readonly last: string | null;
}

const nameOf = ({ entity: { schema, name } }: Table): string => `${identifier(schema)}.${identifier(name)}`;

/** Reads the numberings of a table. Returns none for a builder who may not run SQL. */
export async function readNumberings(table: Table, signal: AbortSignal): Promise<Numbering[]> {
  // A sequence with a cache, or one that counts down, issues numbers that its last one does not tell. If policies also
  // apply to the owner, the owner may not see which numbers the rows have.
  const sql = `select s.seqrelid::pg_catalog.regclass, a.attname, pg_catalog.pg_sequence_last_value(s.seqrelid)
    from pg_catalog.pg_depend d join pg_catalog.pg_sequence s on s.seqrelid = d.objid
    join pg_catalog.pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    join pg_catalog.pg_class c on c.oid = d.refobjid and not c.relforcerowsecurity
    where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.deptype in ('a', 'i') and s.seqcache = 1
      and s.seqincrement > 0 and d.refobjid = ${literal(nameOf(table))}::pg_catalog.regclass`;
  try {
    const { results } = await runSql(table.ref, sql, signal);
    return (results.at(-1)?.rows ?? []).map(([sequence, field, last]) => ({
      sequence: sequence ?? '',
      field: field ?? '',
      last: last ?? null,
    }));
  } catch (error) {
    if (error instanceof ApiFailure) return [];
    throw error;
  }
}

/**
 * Gives the numbers back that rows took in transactions that were rolled back, so that the next row has the number that
 * it would have had. PostgreSQL itself never does this. A numbering stays as it is if others may have used it: if it has
 * issued more numbers than rows were sent, or if a row with a new number exists. The lock lets no row in meanwhile.
 * @param sent Number of rows that were sent.
 */
export async function restoreNumberings(table: Table, numberings: readonly Numbering[], sent: number): Promise<void> {
  if (numberings.length === 0 || sent === 0) return;
  const steps = numberings.map(({ sequence, field, last }) => {
    const [name, column] = [literal(sequence), identifier(field)];
    return `select pg_catalog.setval(s.seqrelid, coalesce(${last ?? 'null'}, s.seqstart), ${last !== null})
      from pg_catalog.pg_sequence s
      where s.seqrelid = ${name}::pg_catalog.regclass
        and pg_catalog.pg_sequence_last_value(s.seqrelid) - coalesce(${last ?? 'null'}, s.seqstart - s.seqincrement) between 1 and ${sent} * s.seqincrement
        and not exists (select from ${nameOf(table)} where ${column} > coalesce(${last ?? 'null'}, s.seqstart - s.seqincrement));`;
  });
  const sql = `begin; set local lock_timeout = '500ms'; lock table ${nameOf(table)} in exclusive mode; ${steps.join('\n')} commit;`;
  try {
    // The rows were sent, also if the builder has cancelled the check.
    await runSql(table.ref, sql, AbortSignal.timeout(RESTORE_MILLISECONDS));
  } catch {
    // Numbers with a gap are no fault.
  }
}
