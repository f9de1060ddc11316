import type { Entity, Junction, Relation } from '../../contract/specification.ts';
import { groupBy } from './group.ts';
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
  const pairs = [...groupBy(keys, ({ through }) => through).values()].flatMap((ofTable) =>
    ofTable.flatMap((one, i) => ofTable.slice(i + 1).map((other) => junction(one, other))),
  );
  return pairs.sort((a, b) => compareText(a.from, b.from) || compareText(a.to, b.to) || compareText(a.name, b.name));
}

interface Key {
  name: string;
  through: string;
  end: string;
}

function junction(one: Key, other: Key): Junction {
  const isInOrder = (compareText(one.end, other.end) || compareText(one.name, other.name)) <= 0;
  const [first, second] = isInOrder ? [one, other] : [other, one];
  return { name: `${first.name}, ${second.name}`, from: first.end, to: second.end, through: one.through };
}
