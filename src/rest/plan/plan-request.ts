import { limits } from '../../../contract/limits.ts';
import type { RestSettings } from '../../../contract/settings.ts';
import { storageFull } from '../../apps/exceeded-bounds.ts';
import { nameKey, type Relation, type Routine, type SchemaCache, type SqlName } from '../../catalog/schema-cache.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { closestName } from './closest-name.ts';
import { findFunction } from './find-function.ts';
import { planFunctionCall } from './function-call.ts';
import { planMutation } from './mutation.ts';
import { negotiate, notAvailable } from './negotiate.ts';
import { type OptionsPlan, type Plan, returnsSingle } from './plan.ts';
import { planRead } from './read.ts';

/**
 * Resolves all names of a request against the schema cache. Pure.
 * @throws NinefoldError with PostgREST's codes: PGRST105, 107, 108, 118, 122, 123, 127, 128, 200 to 205.
 */
export function planRequest(request: ApiRequest, schemaCache: SchemaCache, settings: RestSettings): Plan {
  const { action } = request;
  switch (action.kind) {
    case 'read': {
      const target = findRelation(schemaCache, action.target);
      const planned = planRead(request, target, schemaCache, settings);
      const negotiated = negotiate(request, target, planned.read, schemaCache, settings);
      refuseUnknownPreferences(request);
      return { kind: 'read', target, headOnly: action.headOnly, ...planned, ...negotiated };
    }
    case 'mutate': {
      const target = findRelation(schemaCache, action.target);
      const planned = planRead(request, target, schemaCache, settings);
      const mutation = planMutation(request, action.mutation, target, planned, schemaCache);
      refuseUnknownPreferences(request);
      return { ...mutation, ...negotiate(request, target, planned.read, schemaCache, settings) };
    }
    case 'call': {
      const call = planFunctionCall(request, action, schemaCache, settings);
      refuseUnknownPreferences(request);
      const { maxAffected, handling } = request.preferences;
      // A function that returns a single value has no number of rows, so max-affected is refused for it.
      if (maxAffected !== null && handling === 'strict' && returnsSingle(call.routine)) {
        throw new NinefoldError('PGRST128');
      }
      return call;
    }
    case 'describe-schema': {
      const offered = request.accept.some(({ kind }) => kind === 'openapi' || kind === 'json' || kind === 'any');
      if (!offered) throw notAvailable(request.accept);
      return { kind: 'describe', schema: action.schema, headOnly: action.headOnly };
    }
    case 'options-relation':
      return { kind: 'options', allow: allowedOn(findRelation(schemaCache, action.target)) };
    case 'options-function': {
      const { volatility } = functionInQuestion(request, action.target, schemaCache);
      return {
        kind: 'options',
        allow: volatility === 'volatile' ? ['OPTIONS', 'POST'] : ['OPTIONS', 'GET', 'HEAD', 'POST'],
      };
    }
    case 'options-root':
      return { kind: 'options', allow: ['OPTIONS', 'GET', 'HEAD'] };
  }
}

/**
 * Returns the plan that a request may run while the app's database is full. Reads and deletions stay as they are. A
 * function runs in a read-only transaction, because PostgreSQL cannot know whether it writes before it runs.
 * @throws NinefoldError app_storage_full for inserts and updates
 */
export function planForFullDatabase(plan: Plan): Plan {
  if (plan.kind === 'mutate' && plan.mutation !== 'delete') throw storageFull();
  return plan.kind === 'call' && !plan.readOnly ? { ...plan, readOnly: true, isHeld: true } : plan;
}

/** Finds a function by name and arguments, or only by name if the request has no arguments. */
function functionInQuestion(request: ApiRequest, target: SqlName, schemaCache: SchemaCache): Routine {
  const argumentNames = [...new Set(request.parameters.arguments.map(([name]) => name))].sort();
  const [first] = schemaCache.functions.get(nameKey(target)) ?? [];
  if (first && argumentNames.length === 0) return first;
  return findFunction(schemaCache, { target, argumentNames, contentType: request.contentType, isPost: false });
}

function allowedOn(relation: Relation): OptionsPlan['allow'] {
  const { insertable, updatable, deletable } = relation;
  const methods = ['OPTIONS', 'GET', 'HEAD'];
  if (insertable) methods.push('POST');
  if (insertable && updatable && relation.primaryKey.length > 0) methods.push('PUT');
  if (updatable) methods.push('PATCH');
  if (deletable) methods.push('DELETE');
  return methods;
}

function findRelation(schemaCache: SchemaCache, target: SqlName): Relation {
  const relation = schemaCache.relations.get(nameKey(target));
  if (relation) return relation;
  const names: string[] = [];
  for (const other of schemaCache.relations.values()) if (other.schema === target.schema) names.push(other.name);
  const close = names.length < limits.closestNames.default ? closestName(target.name, names, 0.75) : null;
  throw new NinefoldError('PGRST205', {
    message: `Could not find the table '${target.schema}.${target.name}' in the schema cache`,
    hint: close && `Perhaps you meant the table '${target.schema}.${close.name}'`,
  });
}

function refuseUnknownPreferences({ preferences }: ApiRequest): void {
  if (preferences.handling !== 'strict' || preferences.unknown.length === 0) return;
  throw new NinefoldError('PGRST122', { details: `Invalid preferences: ${preferences.unknown.join(', ')}` });
}
