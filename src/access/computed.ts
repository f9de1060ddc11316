import type { RelationFact } from '../catalog/entities.ts';
import type { DecisionFacts } from '../catalog/facts.ts';
import { groupBy } from '../catalog/group.ts';
import { entityId } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';

/** A function of a row that calls read with the row (PostgREST docs, "Computed Fields", "Computed Relationships"). */
export interface Computed {
  routine: RoutineFact;
  /** The relation whose rows the function is read with. */
  relation: RelationFact;
  /**
   * `field`: a computed field, read by its name. `relationship`: rows of another entity, embedded by the function's
   * name.
   */
  as: 'field' | 'relationship';
}

/**
 * Returns the functions that calls can read with rows. PostgreSQL finds a computed field along the search path of
 * calls, and only if the relation has no field of the same name. Functions of a parent table also apply to the rows of
 * tables that inherit from it.
 */
export function computedOf(facts: DecisionFacts): Computed[] {
  const exposed = facts.relations.filter(
    ({ schema, is_partition }) => facts.exposedSchemas.includes(schema) && !is_partition,
  );
  const byId = new Map(exposed.map((relation) => [entityId(relation.schema, relation.name), relation]));
  const byRow = groupBy(
    exposed.flatMap((relation) => rowsOf(facts, relation).map((row) => ({ row, relation }))),
    ({ row }) => row,
  );
  const fields = new Set(facts.fields.map(({ relation, name }) => `${relation} ${name}`));
  return facts.routines.flatMap((routine) => {
    const [row, ...others] = routine.inputs;
    if (routine.kind !== 'f' || row === undefined) return [];
    const target = byId.get(routine.result.replace(/^SETOF /, ''));
    return (byRow.get(row.type) ?? []).flatMap(({ relation }): Computed[] => {
      const isEmbedded = others.length === 0 && byId.get(row.type) === relation && target?.schema === relation.schema;
      if (isEmbedded) return [{ routine, relation, as: 'relationship' }];
      const isFound = routine.schema === relation.schema || facts.extraSearchPath.includes(routine.schema);
      const isWhole = others.every((input) => input.has_default);
      return isFound && isWhole && !fields.has(`${relation.oid} ${routine.name}`)
        ? [{ routine, relation, as: 'field' }]
        : [];
    });
  });
}

/** Returns the row types of a relation: its own type and those of its parents. */
function rowsOf({ relations, inheritance }: DecisionFacts, relation: RelationFact): string[] {
  const found = [relation];
  for (const { oid } of found) {
    for (const { child, parent } of inheritance) {
      const above = child === oid ? relations.find((one) => one.oid === parent) : undefined;
      if (above && !found.includes(above)) found.push(above);
    }
  }
  return found.map(({ schema, name }) => entityId(schema, name));
}
