import type { Rule } from '../../../contract/specification.ts';
import type { Entity } from '../../../contract/specification-entities.ts';

/** A list of texts as PostgreSQL prints it: 'open'::text, 'it''s'::text. */
const texts = String.raw`'(?:[^']|'')*'::[\w ]+(?:, '(?:[^']|'')*'::[\w ]+)*`;
const listCheck = new RegExp(
  String.raw`^CHECK \(\(+(?:"(?:[^"]|"")+"|[\w$]+)(?:\)::text)? = ANY \(+ARRAY\[(${texts})\](?:\)::text\[\])?\)+(?: NOT VALID)?$`,
);

/**
 * Returns the values that a check constraint lists for a text, from its SQL as PostgreSQL prints it. Null for any other
 * condition. Pure.
 */
export function listedValues(sql: string): string[] | null {
  const list = listCheck.exec(sql)?.[1];
  return list === undefined
    ? null
    : [...list.matchAll(/'((?:[^']|'')*)'::/g)].map(([, value = '']) => value.replaceAll("''", "'"));
}

/** Returns the entities in which a field has the values that its check constraint lists, as if its type were an enum. Pure. */
export function withListedValues(entities: readonly Entity[], rules: readonly Rule[]): readonly Entity[] {
  const listed = new Map<string, string[]>();
  for (const { kind, entity, fields, sql } of rules) {
    const values = kind === 'check' && fields.length === 1 ? listedValues(sql) : null;
    if (values) listed.set(JSON.stringify([entity, fields[0]]), values);
  }
  if (listed.size === 0) return entities;
  return entities.map((entity) => ({
    ...entity,
    fields: entity.fields.map((field) => {
      const values = field.enum_values ? undefined : listed.get(JSON.stringify([entity.id, field.name]));
      return values ? { ...field, enum_values: values } : field;
    }),
  }));
}
