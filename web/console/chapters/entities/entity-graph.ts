import { entityId } from '../../../../contract/entity-names.ts';
import type { EntitiesChapter, Entity, Relation } from '../../../../contract/specification-entities.ts';
import type { Box, Edge, Graph } from '../../diagram/graph.ts';
import { count, counted, entityName } from '../../format/format.ts';

/**
 * Returns the entities as boxes and the relations as edges. Referenced entities outside of the chapter have a box too.
 * If the app has several schemas, each schema has a frame. Only states have colours. Pure.
 */
export function entityGraph({ entities, relations }: EntitiesChapter): Graph {
  const ids = new Set(entities.map(({ id }) => id));
  const schemas = [...new Set(entities.map(({ schema }) => schema))];
  const several = schemas.length > 1;
  const outside = new Map(
    relations
      .flatMap(({ from, to }) => [from, to])
      .filter((end) => !ids.has(idOf(end)))
      .map((end) => [idOf(end), outsideBox(end)]),
  );
  return {
    boxes: [...entities.map((entity) => entityBox(entity, several ? entity.schema : null)), ...outside.values()],
    edges: relations.map((relation) => edgeOf(relation, idOf(relation.from), idOf(relation.to))),
    alone: 'Without a relation',
    ordered: false,
  };
}

function entityBox(entity: Entity, group: string | null): Box {
  const { id, schema, name, kind, fields, figures } = entity;
  const rows = kind === 'view' ? null : (figures?.rows_estimate ?? null);
  const called = entityName(schema, name);
  return {
    id,
    name: group === null ? called : name,
    figure: rows === null ? null : count(rows),
    isEstimate: rows !== null && rows > 0,
    remark:
      kind === 'view' || kind === 'materialized view'
        ? `${kind}, ${counted(fields.length, 'field')}`
        : counted(fields.length, 'field'),
    colour: 'd-6',
    look: kind === 'table' || kind === 'partitioned table' ? 'usual' : 'derived',
    group,
    says: `${called}, ${kind}${rows === null ? '' : `, about ${counted(rows, 'row')}`}`,
  };
}

const idOf = ({ schema, entity }: Relation['from']): string => entityId(schema, entity);

const outsideBox = (end: Relation['from']): Box => ({
  id: idOf(end),
  name: idOf(end),
  figure: null,
  remark: 'not exposed',
  colour: 'd-6',
  look: 'outside',
  group: null,
  says: `${idOf(end)}, not exposed`,
});

const edgeOf = ({ name, from, to }: Relation, fromId: string, toId: string): Edge => ({
  id: `${fromId} ${name}`,
  from: fromId,
  to: toId,
  label: from.fields.join(', '),
  figure: null,
  weight: 1,
  bad: false,
  says: `${from.entity} points to ${to.entity} by ${from.fields.join(', ')}`,
});

/** Returns for each box the texts that the search finds in addition to its name: the names of the fields. */
export const fieldWords = ({ entities }: EntitiesChapter): ReadonlyMap<string, string> =>
  new Map(entities.map(({ id, fields }) => [id, fields.map(({ name }) => name).join('\n')]));

/** Returns the edges from and to an entity. */
export const edgesAt = ({ edges }: Graph, id: string | null): ReadonlySet<string> =>
  new Set(edges.filter(({ from, to }) => from === id || to === id).map((edge) => edge.id));
