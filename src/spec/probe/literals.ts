import type { FieldFact } from '../../catalog/entities.ts';
import { quoteLiteral } from '../../database/statement.ts';
import { sqlName } from '../names.ts';

/** A row as PostgreSQL prints its fields, by name; a field that nobody could read is missing. */
export type Row = ReadonlyMap<string, string | null>;

/** A value with its type. */
export const typed = (value: string | null, field: FieldFact): string =>
  `${value === null ? 'null' : quoteLiteral(value)}::${field.type}`;

/** Types without a = of their own. */
const incomparable = /^(json|xml|point|line|lseg|path|polygon|box|circle|refcursor|txid_snapshot|pg_snapshot)\b/;

export const isComparable = (field: FieldFact): boolean => !incomparable.test(field.type);

/** The condition that finds a row by some of its fields. */
export const found = (row: Row, fields: readonly FieldFact[]): string =>
  fields
    .map((field) => {
      const value = row.get(field.name) ?? null;
      return value === null ? `${sqlName(field.name)} is null` : `${sqlName(field.name)} = ${typed(value, field)}`;
    })
    .join(' and ');

/**
 * Rows as a list that an expression over the relation can be asked of; `ninefold_place` is their number. Of fields that `given`
 * does not hold, the default is taken: those are not in the statement.
 */
export function asRelation(
  rows: readonly Row[],
  fields: readonly FieldFact[],
  alias: string,
  given: ReadonlySet<string> | null,
): string {
  const value = (row: Row, field: FieldFact): string => {
    if (given === null || given.has(field.name)) return typed(row.get(field.name) ?? null, field);
    const counts = field.identity !== '' || (field.needs?.sequences.length ?? 0) > 0;
    return field.default === null || field.generated !== '' || counts
      ? typed(null, field)
      : `(${field.default})::${field.type}`;
  };
  const lines = rows.map((row, place) => `(${[place, ...fields.map((field) => value(row, field))].join(', ')})`);
  const names = ['ninefold_place', ...fields.map((field) => sqlName(field.name))].join(', ');
  return `(values ${lines.join(', ')}) as ${sqlName(alias)} (${names})`;
}
