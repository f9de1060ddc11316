import { limits } from '../../../contract/limits.ts';
import type { FieldFact, TypeFact } from '../../catalog/entities.ts';
import { quoteLiteral } from '../../database/statement.ts';
import { sqlName } from '../names.ts';

/** A row as PostgreSQL prints its fields, by name; a field that nobody could read is missing. */
export type Row = ReadonlyMap<string, string | null>;

/** A value with its type. */
export const typed = (value: string | null, field: FieldFact): string =>
  `${value === null ? 'null' : quoteLiteral(value)}::${field.type}`;

/** PostgreSQL's own types without a = of their own. */
const incomparable = /^(json|xml|point|line|lseg|path|polygon|box|circle|refcursor|txid_snapshot|pg_snapshot)\b/;

/** A value as it is read of a row: not the whole of a long one. */
export const asText = (sql: string): string =>
  `pg_catalog.left(${sql}::pg_catalog.text, ${limits.probeTextCharacters.default})`;

/**
 * The condition that finds a row by some of its fields. It names no type, which a role may have no right to, and makes no value that
 * calls what it may not execute: beside a field, PostgreSQL reads a text as a value of the base type of the field's domain.
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

/** True of PostgreSQL's own types with a =, enumerations, and domains of such: what else there is may be made of domains. */
function isPlain(field: FieldFact, types: ReadonlyMap<number, TypeFact>): boolean {
  const { type, fact } = baseOf(field, types);
  return fact ? fact.kind === 'e' : !incomparable.test(type) && !/["[\].]/.test(type);
}

/** The type of a field, or what its domain is of. */
export function baseOf(
  { type_oid, type }: FieldFact,
  types: ReadonlyMap<number, TypeFact>,
): { type: string; oid: number; fact: TypeFact | undefined } {
  let base = { type, oid: type_oid, fact: types.get(type_oid) };
  while (base.fact?.kind === 'd') {
    const { base: oid, base_name } = base.fact;
    base = { type: base_name ?? base.type, oid, fact: types.get(oid) };
  }
  return base;
}

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
