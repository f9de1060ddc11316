import {
  type KeyRelationship,
  nameKey,
  type Relationship,
  type SchemaCache,
  type SqlName,
} from '../../catalog/schema-cache.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { closestName } from './closest-name.ts';

/** Minimum likeness of a name that a hint suggests. */
const LEAST_LIKENESS = 0.33;

/**
 * Returns the relationship for an embedded relation in `select` (PostgREST docs, "Resource Embedding", "Foreign Key
 * Joins on Multiple Foreign Key Relationships").
 * @param origin Name of the embedding relation.
 * @param target Name in `select`: a table or view, a computed relationship, a constraint or a foreign key column.
 * @param hint Text after `!`: a constraint, a column of either side, or a junction.
 * @throws NinefoldError PGRST200 if there is none, PGRST201 if there are several.
 */
export function findRelationship(
  schemaCache: SchemaCache,
  schema: string,
  origin: string,
  target: string,
  hint: string | null,
): Relationship {
  const all = relationshipsFrom(schemaCache, schema, origin);
  const found = all.filter((relationship) => matches(relationship, target, hint));
  if (found.length === 1) return found[0] as Relationship;
  if (found.length === 0) throw notFound(schemaCache, schema, origin, target, hint);
  throw ambiguous(origin, target, found);
}

const relationshipsFrom = (schemaCache: SchemaCache, schema: string, origin: string): readonly Relationship[] =>
  (schemaCache.relationships.get(nameKey({ schema, name: origin })) ?? []).filter(
    (relationship) => relationship.foreignTable.schema === schema,
  );

const hasSingleColumn = (relationship: Relationship, column: string, side: 0 | 1): boolean =>
  relationship.kind !== 'computed' &&
  relationship.kind !== 'many-to-many' &&
  relationship.columns.length === 1 &&
  (relationship as KeyRelationship).columns[0]?.[side] === column;

const hasConstraint = (relationship: Relationship, name: string): boolean =>
  relationship.kind !== 'computed' && relationship.kind !== 'many-to-many' && relationship.constraint === name;

function matches(relationship: Relationship, target: string, hint: string | null): boolean {
  if (relationship.kind === 'computed') return relationship.function.name === target;
  const isTarget = relationship.foreignTable.name === target;
  if (relationship.isSelf) {
    // If a table references itself, the name of the table in `select` means the children, and the name of the foreign
    // key column means the parent.
    if (hint !== null) return isTarget && relationship.kind === 'one-to-many' && hasSingleColumn(relationship, hint, 1);
    if (relationship.kind === 'one-to-many') return isTarget;
    return relationship.kind === 'many-to-one' && hasSingleColumn(relationship, target, 0);
  }
  if (hint === null) {
    if (isTarget) return true;
    if (relationship.foreignTableIsView) return false;
    return hasConstraint(relationship, target) || hasSingleColumn(relationship, target, 0);
  }
  return (
    isTarget &&
    (hasConstraint(relationship, hint) ||
      hasSingleColumn(relationship, hint, 0) ||
      hasSingleColumn(relationship, hint, 1) ||
      (relationship.kind === 'many-to-many' && relationship.junction.name === hint))
  );
}

function notFound(
  schemaCache: SchemaCache,
  schema: string,
  origin: string,
  target: string,
  hint: string | null,
): NinefoldError {
  const withHint = hint === null ? '' : `' using the hint '${hint}`;
  return new NinefoldError('PGRST200', {
    message: `Could not find a relationship between '${origin}' and '${target}' in the schema cache`,
    details:
      `Searched for a foreign key relationship between '${origin}' and '${target}${withHint}' ` +
      `in the schema '${schema}', but no matches were found.`,
    hint: spellingHint(schemaCache, schema, origin, target),
  });
}

function spellingHint(schemaCache: SchemaCache, schema: string, origin: string, target: string): string | null {
  if (schemaCache.relations.has(nameKey({ schema, name: origin }))) {
    const from = relationshipsFrom(schemaCache, schema, origin);
    const names = new Set(from.map((relationship) => relationship.foreignTable.name));
    const close = closestName(target, names, LEAST_LIKENESS);
    return close && close.likeness < 1 ? `Perhaps you meant '${close.name}' instead of '${target}'.` : null;
  }
  const parents: string[] = [];
  for (const list of schemaCache.relationships.values()) {
    const table = list[0]?.table;
    if (table?.schema === schema) parents.push(table.name);
  }
  const close = closestName(origin, parents, LEAST_LIKENESS);
  return close ? `Perhaps you meant '${close.name}' instead of '${origin}'.` : null;
}

function ambiguous(origin: string, target: string, found: readonly Relationship[]): NinefoldError {
  const choices = found.map((relationship) => `'${relationship.foreignTable.name}!${choiceOf(relationship)}'`);
  return new NinefoldError('PGRST201', {
    message: `Could not embed because more than one relationship was found for '${origin}' and '${target}'`,
    details: found.map(describe),
    hint:
      `Try changing '${target}' to one of the following: ${choices.join(', ')}. ` +
      "Find the desired relationship in the 'details' key.",
  });
}

const choiceOf = (relationship: Relationship): string => {
  switch (relationship.kind) {
    case 'computed':
      return relationship.function.name;
    case 'many-to-many':
      return relationship.junction.name;
    default:
      return relationship.constraint;
  }
};

const columnList = (table: SqlName | string, columns: readonly string[]): string =>
  `${typeof table === 'string' ? table : table.name}(${columns.join(', ')})`;

function describe(relationship: Relationship): Record<string, string> {
  const embedding = `${relationship.table.name} with ${relationship.foreignTable.name}`;
  switch (relationship.kind) {
    case 'computed':
      return { embedding, cardinality: 'computed', relationship: relationship.function.name };
    case 'many-to-many': {
      const source = columnList(relationship.constraints[0], relationship.sourceColumns.map(second));
      const target = columnList(relationship.constraints[1], relationship.targetColumns.map(second));
      return {
        embedding,
        cardinality: 'many-to-many',
        relationship: `${relationship.junction.name} using ${source} and ${target}`,
      };
    }
    default: {
      const here = columnList(relationship.table, relationship.columns.map(first));
      const there = columnList(relationship.foreignTable, relationship.columns.map(second));
      return {
        embedding,
        cardinality: relationship.kind,
        relationship: `${relationship.constraint} using ${here} and ${there}`,
      };
    }
  }
}

const first = (pair: readonly [string, string]): string => pair[0];
const second = (pair: readonly [string, string]): string => pair[1];
