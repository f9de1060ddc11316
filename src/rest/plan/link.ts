import { isToOne, nameKey, type Relationship, type SchemaCache, type SqlName } from '../../catalog/schema-cache.ts';
import { findRelationship } from './find-relationship.ts';
import type { JoinCondition, TableRef } from './plan.ts';
import type { Draft } from './read-draft.ts';

/**
 * Resolves each relation in the schema cache, and the relationship of each embedded relation to its parent.
 * @throws NinefoldError PGRST200, PGRST201
 */
export function linkRelationships(schemaCache: SchemaCache, schema: string, parent: Draft): void {
  parent.table = schemaCache.relations.get(nameKey(parent.relation));
  for (const child of parent.children) {
    const origin = parent.depth === 0 ? (parent.alias ?? parent.relation.name) : parent.relation.name;
    const relationship = findRelationship(schemaCache, schema, origin, child.name, child.hint);
    child.relationship = relationship;
    child.relation = relationship.foreignTable;
    child.joinAlias = `${relationship.table.name}_${child.requestAlias ?? child.name}_${child.depth}`;
    // A child that is joined through a junction gets no alias. The junction is joined in the same FROM clause, where
    // the names of the two tables do not conflict.
    child.alias = relationship.kind === 'many-to-many' ? null : `${relationship.foreignTable.name}_${child.depth}`;
    child.conditions = joinConditions(relationship, tableRef(child), tableRef(parent));
    if (child.spread && !isToOne(relationship)) child.spread = 'many';
    linkRelationships(schemaCache, schema, child);
  }
}

/** Returns the name by which columns of the relation are qualified. */
const tableRef = (draft: { alias: string | null; relation: SqlName }): TableRef =>
  draft.alias === null ? draft.relation : { alias: draft.alias };

function joinConditions(relationship: Relationship, child: TableRef, parent: TableRef): JoinCondition[] {
  switch (relationship.kind) {
    case 'computed':
      return [];
    case 'many-to-many': {
      const { junction, sourceColumns, targetColumns } = relationship;
      return [
        ...targetColumns.map(([column, junctionColumn]) => ({
          left: { table: child, column },
          right: { table: junction, column: junctionColumn },
        })),
        ...sourceColumns.map(([column, junctionColumn]) => ({
          left: { table: junction, column: junctionColumn },
          right: { table: parent, column },
        })),
      ];
    }
    default:
      return relationship.columns.map(([parentColumn, column]) => ({
        left: { table: child, column },
        right: { table: parent, column: parentColumn },
      }));
  }
}
