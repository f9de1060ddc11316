import type { Entity } from '../../../../contract/specification-entities.ts';
import { entityName } from '../../format/format.ts';
import type { Filter } from '../../queries/rows/filter.ts';
import type { Row } from '../../queries/rows/row.ts';

/** An entity that references a row, and the filter that finds the referencing rows. */
export interface Reference {
  entity: Entity;
  /** The referencing fields. */
  fields: readonly string[];
  where: readonly Filter[];
}

/**
 * Finds the entities that reference this row. Fields that reference different fields of the row form one composite
 * reference. Fields that reference the same field are separate references.
 */
export function referencesTo(entity: Entity, row: Row, entities: readonly Entity[]): Reference[] {
  return entities.flatMap((other) => {
    const references: Map<string, string>[] = [];
    for (const { name, references: to } of other.fields) {
      if (to?.schema !== entity.schema || to.entity !== entity.name) continue;
      const open = references.find((reference) => !reference.has(to.field));
      if (open) open.set(to.field, name);
      else references.push(new Map([[to.field, name]]));
    }
    return references.flatMap((reference) => {
      const where = [...reference].map(([here, there]) => ({
        field: there,
        operator: 'eq' as const,
        value: row[here] ?? null,
      }));
      const filters = where.flatMap((filter): Filter[] =>
        filter.value === null ? [] : [{ ...filter, value: filter.value }],
      );
      return filters.length === where.length
        ? [{ entity: other, fields: [...reference.values()], where: filters }]
        : [];
    });
  });
}

/** Returns the names of the other entities that reference this entity. */
export const pointingNames = (entity: Entity, entities: readonly Entity[]): string[] =>
  entities
    .filter(({ fields }) =>
      fields.some(({ references: to }) => to?.schema === entity.schema && to.entity === entity.name),
    )
    .map(({ schema, name }) => entityName(schema, name));
