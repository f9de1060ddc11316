import type { Entity } from '../../../../contract/specification-entities.ts';
import type { Facts } from '../../../catalog/facts.ts';

/**
 * The configuration of full-text search for each searchable field; null for the default configuration of the database.
 */
export type FullText = ReadonlyMap<string, string | null>;

/** Matches an indexed expression over a single field: `to_tsvector('english'::regconfig, body)`. */
const overField = /^to_tsvector\('(?:pg_catalog\.)?(\w+)'::regconfig, \(?("(?:[^"]|"")+"|\w+)\)?(?:::\w+)?\)$/;

/** Matches the configuration in the expression of a generated field of type tsvector. */
const inExpression = /to_tsvector\('(?:pg_catalog\.)?(\w+)'::regconfig/;

/**
 * Returns the fields of a table that a data call can search by an index for full-text search. A data call converts a
 * text with `to_tsvector(configuration, field)`, so that an index over this expression is used. An index over several
 * fields is not used, so such a table needs a generated field. Pure.
 */
export function fullTextFields(facts: Pick<Facts, 'relations' | 'text_indexes'>, entity: Entity): FullText {
  const relation = facts.relations.find(({ schema, name }) => schema === entity.schema && name === entity.name);
  const parts = facts.text_indexes.filter((index) => index.relation === relation?.oid).map(({ part }) => part);
  return new Map(
    parts.flatMap((part): [string, string | null][] => {
      const field = entity.fields.find(({ name }) => name === part);
      if (field) return [[field.name, inExpression.exec(field.default ?? '')?.[1] ?? null]];
      const [, configuration = '', name = ''] = overField.exec(part) ?? [];
      const plain = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
      return entity.fields.some((one) => one.name === plain) ? [[plain, configuration]] : [];
    }),
  );
}
