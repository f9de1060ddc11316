import { nameKey, type Routine, type SchemaCache, type SqlName } from '../../catalog/schema-cache.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { MediaType } from '../request/api-request.ts';
import { closestName } from './closest-name.ts';

/** Resolves functions by name and argument names (PostgREST docs, "Functions as RPC", "Overloaded functions"). */

/** The name and the arguments of a function call. */
export interface Call {
  readonly target: SqlName;
  /** Names of the arguments, sorted, without duplicates. */
  readonly argumentNames: readonly string[];
  readonly contentType: MediaType;
  readonly isPost: boolean;
}

/**
 * Returns the function for a call.
 * @throws NinefoldError PGRST202 if no function accepts the arguments, PGRST203 if several do.
 */
export function findFunction(schemaCache: SchemaCache, call: Call): Routine {
  const overloads = schemaCache.functions.get(nameKey(call.target)) ?? [];
  const named = overloads.filter((routine) => takesArguments(routine, call));
  // A function with one unnamed parameter is used only if no function with named parameters matches.
  const candidates = named.length > 0 ? named : overloads.filter((routine) => takesBody(routine, call));
  if (candidates.length === 1) return candidates[0] as Routine;
  if (candidates.length === 0) throw notFound(schemaCache, call, overloads);
  throw new NinefoldError('PGRST203', {
    message: `Could not choose the best candidate function between: ${candidates.map(signature).join(', ')}`,
    hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
  });
}

const signature = (routine: Routine): string => {
  const parameters = routine.parameters.map((parameter) => `${parameter.name} => ${parameter.type}`);
  return `${routine.schema}.${routine.name}(${parameters.join(', ')})`;
};

const isRawType = (type: MediaType): boolean =>
  type.kind === 'text' || type.kind === 'xml' || type.kind === 'octet-stream';

function takesArguments(routine: Routine, { argumentNames, contentType, isPost }: Call): boolean {
  if (routine.parameters.length === 0) return argumentNames.length === 0 && !(isPost && isRawType(contentType));
  const known = new Set(routine.parameters.map((parameter) => parameter.name));
  return (
    argumentNames.every((name) => known.has(name)) &&
    routine.parameters.every((parameter) => !parameter.required || argumentNames.includes(parameter.name))
  );
}

const unnamedTypes: Readonly<Record<string, readonly string[]>> = {
  json: ['json', 'jsonb'],
  text: ['text'],
  xml: ['xml'],
  'octet-stream': ['bytea'],
};

function takesBody(routine: Routine, { contentType, isPost }: Call): boolean {
  const [parameter] = routine.parameters;
  return (
    isPost &&
    routine.parameters.length === 1 &&
    parameter?.name === '' &&
    (unnamedTypes[contentType.kind] ?? []).includes(parameter.type)
  );
}

function notFound(schemaCache: SchemaCache, call: Call, overloads: readonly Routine[]): NinefoldError {
  const { target, argumentNames, contentType, isPost } = call;
  const name = `${target.schema}.${target.name}`;
  const names = argumentNames.join(', ');
  const onlyBody = isPost && isRawType(contentType);
  const without = argumentNames.length === 0 ? ' without parameters' : null;
  const searched = (): string => {
    if (onlyBody) return ` with a single unnamed ${(unnamedTypes[contentType.kind] ?? [])[0]} parameter`;
    const arguments_ = without ?? ` with parameter${argumentNames.length > 1 ? 's' : ''} ${names}`;
    return isPost && contentType.kind === 'json'
      ? `${arguments_} or with a single unnamed json/jsonb parameter`
      : arguments_;
  };
  return new NinefoldError('PGRST202', {
    message: `Could not find the function ${name}${onlyBody ? '' : (without ?? `(${names})`)} in the schema cache`,
    details: `Searched for the function ${name}${searched()}, but no matches were found in the schema cache.`,
    hint: onlyBody ? null : spellingHint(schemaCache, call, overloads),
  });
}

function spellingHint(
  schemaCache: SchemaCache,
  { target, argumentNames }: Call,
  overloads: readonly Routine[],
): string | null {
  const call = `Perhaps you meant to call the function ${target.schema}.`;
  if (overloads.length === 0) {
    const names = new Set<string>();
    for (const [first] of schemaCache.functions.values()) if (first?.schema === target.schema) names.add(first.name);
    const close = closestName(target.name, names, 0.75);
    return close && call + close.name;
  }
  const listOf = (names: readonly string[]): string => `(${[...names].sort().join(', ')})`;
  const lists = overloads.map((routine) => listOf(routine.parameters.map((parameter) => parameter.name)));
  const close = closestName(listOf(argumentNames), lists, 0.33);
  return close && call + target.name + close.name;
}
