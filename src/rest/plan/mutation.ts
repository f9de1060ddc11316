import type { Relation, SchemaCache } from '../../catalog/schema-cache.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { ApiRequest, Mutation } from '../request/api-request.ts';
import { columnField, filledField, plannedCondition } from './fields.ts';
import type { MutatePlan, PlannedField, PlannedRead } from './plan.ts';
import { columnsNeeded } from './returning.ts';

/**
 * Plans a write (PostgREST docs, "Insert", "Update", "Upsert", "Delete").
 * @throws NinefoldError PGRST204 for an unknown column, PGRST105 for a PUT that does not identify one row.
 */
export function planMutation(
  request: ApiRequest,
  mutation: Mutation,
  target: Relation,
  planned: PlannedRead,
  schemaCache: SchemaCache,
): Omit<MutatePlan, 'format' | 'mediaType' | 'contentType'> {
  const { parameters, preferences } = request;
  if (mutation === 'upsert-one' && !namesOneRow(request, target)) throw new NinefoldError('PGRST105');
  const showsRows = preferences.representation !== null && preferences.representation !== 'minimal';
  const rootConditions = [...parameters.filters, ...parameters.logic].filter((at) => at.path.length === 0);
  return {
    kind: 'mutate',
    mutation,
    target,
    columns: mutation === 'delete' ? [] : request.columns.map((name) => columnToFill(schemaCache, target, name)),
    payload: request.payload,
    where: mutation === 'insert' ? [] : rootConditions.map((at) => plannedCondition(schemaCache, target, at.value)),
    onConflict: conflictOf(request, mutation, target),
    returning: showsRows ? columnsNeeded(planned.read, target.primaryKey) : [],
    applyDefaults: mutation !== 'upsert-one' && preferences.missing === 'default',
    ...planned,
  };
}

function columnToFill(schemaCache: SchemaCache, target: Relation, name: string): PlannedField {
  const column = target.columns.get(name);
  if (column) return filledField(schemaCache, columnField(column));
  throw new NinefoldError('PGRST204', {
    message: `Could not find the '${name}' column of '${target.name}' in the schema cache`,
  });
}

/** Returns true if a PUT compares every primary key column with eq and has no other condition. */
function namesOneRow({ parameters }: ApiRequest, target: Relation): boolean {
  const names = new Set(parameters.filterNames);
  return (
    parameters.logic.length === 0 &&
    target.primaryKey.length > 0 &&
    names.size === target.primaryKey.length &&
    target.primaryKey.every((column) => names.has(column)) &&
    parameters.filters.every(
      ({ value: { operation, negated } }) =>
        !negated && operation.kind === 'quantified' && operation.operator === 'eq' && operation.quantifier === null,
    )
  );
}

function conflictOf(request: ApiRequest, mutation: Mutation, target: Relation): MutatePlan['onConflict'] {
  if (mutation === 'upsert-one') return { resolution: 'merge-duplicates', columns: target.primaryKey };
  const { resolution } = request.preferences;
  if (mutation !== 'insert' || resolution === null) return null;
  return { resolution, columns: request.parameters.onConflict ?? target.primaryKey };
}
