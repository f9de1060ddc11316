import type { RoleCell } from '../../../contract/specification-roles.ts';
import { sqlName } from '../../../src/catalog/names.ts';
import { members } from './matrix-case.ts';

/** The fields and rows of a table or view in a case, as the superuser reads them. */
export interface Held {
  fields: readonly string[];
  ids: readonly string[];
  rows: number;
}

/** A statement, and the number of rows that it would reach if neither privileges nor policies restricted it. */
export interface Try {
  sql: string;
  of: number;
}

const [ada, bob] = members;

/** Returns the statements that test a cell: on all rows, on the rows that match a filter, and on each single row. */
export function statementsFor(cell: RoleCell, held: Held): Try[] {
  switch (cell.operation) {
    case 'select':
      return [held.fields, ...held.fields.map((field) => [field]), ...(cell.columns ? [cell.columns] : [])]
        .map((fields) => ({
          sql: `select ${fields.map(sqlName).join(', ')} from ${cell.entity}`,
          of: held.rows,
        }))
        .concat(held.ids.map((id) => ({ sql: `select id from ${cell.entity} where id = ${id}`, of: 1 })));
    case 'insert':
      return inserts(cell, held).map(asCall);
    case 'update':
      return assignments(cell, held)
        .flatMap((set) => filtered(`update ${cell.entity} set ${set}`, held))
        .map(asCall);
    default:
      return filtered(`delete from ${cell.entity}`, held).map(asCall);
  }
}

/** Wraps a write in WITH, as the server does for a data call, so that PostgreSQL counts the written rows. */
const asCall = ({ sql, of }: Try): Try => ({ sql: `with written as (${sql} returning 1) select from written`, of });

function filtered(statement: string, { fields, ids, rows }: Held): Try[] {
  const reads = ['note', 'f'].flatMap((field) =>
    fields.includes(field) ? [{ sql: `${statement} where ${field} is not null`, of: rows }] : [],
  );
  return [
    { sql: statement, of: rows },
    ...reads,
    ...ids.map((id) => ({ sql: `${statement} where id = ${id}`, of: 1 })),
  ];
}

/** Returns the fields that a write must omit because the words of its cell exclude them. */
const leftOut = (words: string): string[] => /\bwithout ([\w, ]+)$/.exec(words)?.[1]?.split(', ') ?? [];

function assignments({ words }: RoleCell, { fields }: Held): string[] {
  const known = [
    `owner = '${ada}'`,
    `note = 'x'`,
    `status = 'closed'`,
    `secret = 'x'`,
    ...(leftOut(words).includes('id') ? ['id = 99'] : []),
  ];
  const sets = known.filter((set) => fields.some((field) => set.startsWith(`${field} =`)));
  return sets.length > 0 ? sets : fields.map((field) => `${sqlName(field)} = ${sqlName(field)}`);
}

function inserts({ entity, columns, words }: RoleCell, { fields }: Held): Try[] {
  const known = ['id', 'owner', 'note', 'status', 'secret'].filter((field) => fields.includes(field));
  const left = leftOut(words);
  const sets = [
    ...(left.length > 0 ? [known.filter((field) => !left.includes(field))] : []),
    known.length > 0 ? known : fields,
    ...(columns ? [columns] : []),
    ...(fields.includes('n') ? [['id', 'n']] : []),
  ];
  const rows: Readonly<Record<string, string>>[] = [
    { owner: `'${ada}'`, status: `'open'` },
    { owner: `'${bob}'`, status: `'open'` },
    { owner: `'${ada}'`, status: `'closed'` },
    { owner: 'null', status: `'open'` },
  ];
  const value = (row: Readonly<Record<string, string>>, field: string) =>
    field === 'id' ? '99' : field === 'n' ? '1' : (row[field] ?? `'x'`);
  return sets.flatMap((set) =>
    rows.map((row) => ({
      sql: `insert into ${entity} (${set.map(sqlName).join(', ')}) values (${set.map((field) => value(row, field)).join(', ')})`,
      of: 1,
    })),
  );
}
