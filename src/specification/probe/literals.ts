import { limits } from '../../../contract/limits.ts';
import { baseOf } from '../../access/field-types.ts';
import type { FieldFact, TypeFact } from '../../catalog/entities.ts';
import { sqlName } from '../../catalog/names.ts';
import { quoteLiteral } from '../../database/statement.ts';

/** The fields of a row as PostgreSQL prints them, by name. Fields that no role can read are missing. */
export type Row = ReadonlyMap<string, string | null>;

/** Returns a value as a literal with a cast to the field's type. */
export const typed = (value: string | null, field: FieldFact): string =>
  `${value === null ? 'null' : quoteLiteral(value)}::${field.type}`;

/** Matches the built-in types that have no operator =. */
const incomparable = /^(json|xml|point|line|lseg|path|polygon|box|circle|refcursor|txid_snapshot|pg_snapshot)\b/;

/** Returns SQL that reads a value as text, limited to `probeTextCharacters` characters. */
export const asText = (sql: string): string =>
  `pg_catalog.left(${sql}::pg_catalog.text, ${limits.probeTextCharacters.default})`;

/**
 * Returns the condition that finds a row by some of its fields. The condition names no type, because the role may lack
 * USAGE on the type's schema. It also calls no function of a domain: PostgreSQL reads a literal next to a field as a
 * value of the base type of the field's domain.
 */
export const found = (row: Row, fields: readonly FieldFact[], types: ReadonlyMap<number, TypeFact>): string =>
  fields
    .map((field) => {
      const value = row.get(field.name) ?? null;
      const name = sqlName(field.name);
      if (value === null) return `${name} is null`;
      const isWhole = value.length < limits.probeTextCharacters.default;
      return isWhole && isPlain(field, types)
        ? `${name} = ${quoteLiteral(value)}`
        : `${asText(name)} = ${quoteLiteral(value)}`;
    })
    .join(' and ');

/**
 * Returns true for built-in types that have the operator =, for enums, and for domains over these. Values of all other
 * types may contain domains.
 */
function isPlain(field: FieldFact, types: ReadonlyMap<number, TypeFact>): boolean {
  const { type, fact } = baseOf(field, types);
  return fact ? fact.kind === 'e' : !incomparable.test(type) && !/["[\].]/.test(type);
}

/**
 * Returns rows as a VALUES list on which an expression over the relation can be evaluated. The column `ninefold_place`
 * has the index of the row.
 * @param given Names of the fields that the statement sets; null for all. The other fields get their default.
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
