import type { RestSettings } from '../../../contract/settings.ts';
import type { Parameter, Routine, SchemaCache } from '../../catalog/schema-cache.ts';
import type { Action, ApiRequest } from '../request/api-request.ts';
import { findFunction } from './find-function.ts';
import { negotiate } from './negotiate.ts';
import type { CallArguments, CallPlan, Condition } from './plan.ts';
import { planRead } from './read.ts';
import { columnsNeeded } from './returning.ts';

/**
 * Plans a call of a function (PostgREST docs, "Functions as RPC").
 * @throws NinefoldError PGRST202, PGRST203, and the errors of `planRead`
 */
export function planFunctionCall(
  request: ApiRequest,
  action: Extract<Action, { kind: 'call' }>,
  schemaCache: SchemaCache,
  settings: RestSettings,
): CallPlan {
  const isPost = action.method === 'POST';
  const argumentNames = isPost
    ? request.columns
    : [...new Set(request.parameters.arguments.map(([name]) => name))].sort();
  const { contentType } = request;
  const routine = findFunction(schemaCache, { target: action.target, argumentNames, contentType, isPost });
  // A function may return rows of a table. Requests can then select columns from its result and embed relations in it,
  // as in that table.
  const rows = { schema: routine.schema, name: routine.returns.composite ? routine.returns.type.name : routine.name };
  const planned = planRead(request, rows, schemaCache, settings);
  const { read } = planned;
  const negotiated = negotiate(request, rows, read, schemaCache, settings);
  return {
    kind: 'call',
    routine,
    arguments: argumentsOf(request, routine, argumentNames, isPost),
    readOnly: !isPost || routine.volatility !== 'volatile',
    isHeld: false,
    headOnly: action.method === 'HEAD',
    returning: columnsNeeded(read, []),
    filterColumns: [...new Set(filterColumns(read.where))].sort(),
    ...planned,
    ...negotiated,
  };
}

function argumentsOf(request: ApiRequest, routine: Routine, names: readonly string[], isPost: boolean): CallArguments {
  const { payload } = request;
  const [first] = routine.parameters;
  if (routine.parameters.length === 1 && first?.name === '') {
    const form = payload?.kind === 'form' ? JSON.stringify(Object.fromEntries(payload.pairs)) : null;
    const body = payload && payload.kind !== 'form' ? payload.body : (form ?? '{}');
    return { kind: 'unnamed', parameter: first, body };
  }
  const parameters = routine.parameters.filter((parameter) => names.includes(parameter.name));
  if (parameters.length === 0) return { kind: 'none' };
  if (!isPost) return valuesOf(parameters, request.parameters.arguments);
  if (payload?.kind === 'form') return valuesOf(parameters, payload.pairs);
  if (payload?.kind === 'json' || payload?.kind === 'json-unread') {
    return { kind: 'json', parameters, body: payload.body, isObject: payload.isObject };
  }
  return { kind: 'none' };
}

/**
 * Returns the values of the parameters. If an argument is given several times, a variadic parameter gets all of its
 * values, and any other parameter gets the last one.
 */
function valuesOf(parameters: readonly Parameter[], pairs: readonly (readonly [string, string])[]): CallArguments {
  return {
    kind: 'values',
    values: parameters.map((parameter) => {
      const values = pairs.filter(([name]) => name === parameter.name).map(([, value]) => value);
      return { parameter, value: parameter.variadic ? values : (values[values.length - 1] ?? '') };
    }),
  };
}

/** Returns the columns that conditions compare. */
export function filterColumns(conditions: readonly Condition[]): string[] {
  const of = (condition: Condition): string[] => {
    switch (condition.kind) {
      case 'filter':
        return [condition.field.name];
      case 'no-related':
        return [];
      default:
        return condition.children.flatMap(of);
    }
  };
  return conditions.flatMap(of);
}
