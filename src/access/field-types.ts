import type { FieldFact, TypeFact } from '../catalog/entities.ts';
import { type FieldTypes, fieldTypesOf, withAlias } from '../sql-reader/field-types.ts';
import { named, type Reads } from './fact-indexes.ts';

/**
 * Returns the types of a relation's fields and of the relations that its conditions read. The types determine the
 * meaning of a condition.
 */
export function fieldTypes(look: Reads<'fields' | 'types' | 'byName' | 'relations'>, relation: number): FieldTypes {
  const other = (schema: string, name: string) => {
    const read = named(look, schema, name);
    return read && fieldsOf(look, read.oid);
  };
  const own = fieldsOf(look, relation);
  const name = look.relations.get(relation)?.name;
  return { ...(name === undefined ? own : withAlias(own, name, own)), relation: other };
}

function fieldsOf(look: Reads<'fields' | 'types'>, relation: number): FieldTypes {
  const fields = look.fields.get(relation) ?? [];
  const composites = fields.flatMap(({ name, type_oid: oid }) => {
    const type = look.types.get(oid);
    const inner = (type?.parts ?? []).filter((part) => look.types.get(part.type_oid)?.kind === 'c');
    return type?.kind === 'c' ? [name, ...inner.map((part) => `${name}.${part.name}`)] : [];
  });
  return fieldTypesOf(
    fields.map((field) => [field.name, baseOf(field, look.types).type]),
    composites,
  );
}

/** Returns the type of a field, or the base type of its domain. */
export function baseOf(
  { type_oid, type }: Pick<FieldFact, 'type' | 'type_oid'>,
  types: Pick<ReadonlyMap<number, TypeFact>, 'get'>,
): { type: string; oid: number; fact: TypeFact | undefined } {
  let base = { type, oid: type_oid, fact: types.get(type_oid) };
  while (base.fact?.kind === 'd') {
    const { base: oid, base_name } = base.fact;
    base = { type: base_name ?? base.type, oid, fact: types.get(oid) };
  }
  return base;
}
