import type { Entity, Junction, Relation } from '../../contract/specification.ts';
import { compareText, entityId } from './names.ts';

/**
 * What tables between two others join (PostgREST docs, "Many-to-Many relationships"): two foreign keys whose fields all belong to the
 * primary key of their table, each pair once. Only what calls reach. Pure.
 */
export function junctionsOf(entities: readonly Entity[], relations: readonly Relation[]): Junction[] {
  const exposed = new Map(entities.filter((entity) => entity.exposed).map((entity) => [entity.id, entity]));
  const keys = relations.flatMap(({ name, from, to, kind, period }) => {
    const through = entityId(from.schema, from.entity);
    const end = entityId(to.schema, to.entity);
    const inKey = exposed.get(through)?.primary_key ?? [];
    const joins = kind === 'many-to-one' && !period && exposed.has(end);
    return joins && from.fields.every((field) => inKey.includes(field)) ? [{ name, through, end }] : [];
  });
  return keys
    .flatMap((one, i) =>
      keys
        .slice(i + 1)
        .filter(({ through }) => through === one.through)
        .map((other): Junction => {
          const [from, to] = [one, other].sort((a, b) => compareText(a.end, b.end) || compareText(a.name, b.name));
          const [first, second] = [from ?? one, to ?? other];
          return { name: `${first.name}, ${second.name}`, from: first.end, to: second.end, through: one.through };
        }),
    )
    .sort((a, b) => compareText(a.from, b.from) || compareText(a.to, b.to) || compareText(a.name, b.name));
}
