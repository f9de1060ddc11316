import type { FieldFact } from '../catalog/entities.ts';
import type { Lookup } from './lookup.ts';
import { type Holding, holdingOf } from './words/holding.ts';

/** What the fields of a relation hold, where that decides what a condition on them means. */
export function holding(look: Pick<Lookup, 'fields' | 'types'>, relation: number): Holding {
  const fields = look.fields.get(relation) ?? [];
  const composites = fields.flatMap(({ name, type_oid: oid }) => {
    const type = look.types.get(oid);
    const inner = (type?.parts ?? []).filter((part) => look.types.get(part.type_oid)?.kind === 'c');
    return type?.kind === 'c' ? [name, ...inner.map((part) => `${name}.${part.name}`)] : [];
  });
  return holdingOf(
    fields.map((field) => [field.name, beneath(look, field)]),
    composites,
  );
}

/** The type of a field, of a domain the one beneath. */
export function beneath(
  { types }: Pick<Lookup, 'types'>,
  { type, type_oid: oid }: Pick<FieldFact, 'type' | 'type_oid'>,
): string {
  let name = type;
  for (let of = types.get(oid); of?.kind === 'd'; of = types.get(of.base)) name = of.base_name ?? name;
  return name;
}
