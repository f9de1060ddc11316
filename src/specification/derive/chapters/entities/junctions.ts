import type { Entity, Junction, Relation } from '../../../../../contract/specification-entities.ts';
import { groupBy } from '../../../../catalog/group.ts';
import { compareText, entityId } from '../../../../catalog/names.ts';
import type { ShownKeys } from './shown-keys.ts';

/**
 * Returns the pairs of entities that junction tables, or views of them, connect (PostgREST docs, "Many-to-Many
 * relationships"). The fields of both foreign keys belong to the primary key of the table. Includes only entities that
 * calls reach. Pure.
 */
export function junctionsOf(entities: readonly Entity[], relations: readonly Relation[], shown: ShownKeys): Junction[] {
  const exposed = new Map(entities.filter((entity) => entity.exposed).map((entity) => [entity.id, entity]));
  const keyOf = (from: Relation['from'], name: string) => `${entityId(from.schema, from.entity)}\0${name}`;
  const joining = new Map(
    relations
      .filter(({ kind, period }) => kind === 'many-to-one' && !period)
      .map((relation) => [keyOf(relation.from, relation.name), relation]),
  );
  // The keys whose referenced fields a view shows. Calls can reach the referenced rows of such a key through the view
  // instead of the table.
  const shownEnds = new Set(shown.keys.filter(({ side }) => side === 'to').map(({ from, name }) => keyOf(from, name)));
  const own = [...joining.values()].map(({ name, from, to }) => {
    const through = entityId(from.schema, from.entity);
    return { name, from, to, through, fields: from.fields, inKey: exposed.get(through)?.primary_key ?? [] };
  });
  const ofViews = shown.keys
    .filter(({ side, from, name }) => side === 'from' && joining.has(keyOf(from, name)))
    .map(({ name, from, to, view, fields }) => {
      const inKey = shown.primary.get(view) ?? [];
      const named = fields.map((names) => names.find((one) => inKey.includes(one)) ?? '');
      return { name, from, to, through: view, fields: named, inKey };
    });
  const keys = [...own, ...ofViews].flatMap(({ name, from, to, through, fields, inKey }): Key[] => {
    const end = entityId(to.schema, to.entity);
    const isReached = exposed.has(end) || shownEnds.has(keyOf(from, name));
    return isReached && fields.every((field) => inKey.includes(field)) ? [{ name, through, end }] : [];
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
