import type { Specification } from '../../../contract/specification.ts';
import { isObject, type JsonObject } from './differences.ts';

/**
 * Chapters of an earlier version in the form that they have now, so that a new Ninefold is no change of what the app does. Calls on rows told all
 * fields of their entity again, where now the chapter's `rows` tells once what they have in common, as it does in `other`; what is granted
 * on what is made from now on was not told, nor the call that describes the others, nor
 * what a table between two others joins, nor what calls embed through views and which keys views show, nor the objects that only functions use
 * with what came with them: new advice, parts of aggregates, sequences yet to be made, policies beyond the exposed schemas. No job ran, and the states of accounts were
 * not told. Pure.
 */
export function upgradeChapters(chapters: JsonObject, other: JsonObject): JsonObject {
  const described = withDescribing(withFromNowOn(withRows(withOwnRows(chapters), other), other), other);
  return withAccounts(withJobs(withDefinitions(withJunctions(described, other), other), other), other);
}

function withAccounts(chapters: JsonObject, other: JsonObject): JsonObject {
  const { states } = chapters;
  if (!isObject(states) || states.accounts !== undefined || !isObject(other.states)) return chapters;
  return { ...chapters, states: { ...states, accounts: other.states.accounts, sources: other.states.sources } };
}

/** Cells and policies said "own row (owner is the member)" where they say "own row (by owner)". */
function withOwnRows(chapters: JsonObject): JsonObject {
  const { roles } = chapters;
  if (!isObject(roles)) return chapters;
  const text = JSON.stringify(roles);
  const changed = text.replaceAll(/own row \(([^()]*) is the member\)/g, 'own row (by $1)');
  return changed === text ? chapters : { ...chapters, roles: JSON.parse(changed) };
}

function withJobs(chapters: JsonObject, other: JsonObject): JsonObject {
  const { calls } = chapters;
  if (!isObject(calls) || calls.jobs !== undefined || !isObject(other.calls)) return chapters;
  return { ...chapters, calls: { ...calls, jobs: [], sources: other.calls.sources } };
}

function withFromNowOn(chapters: JsonObject, other: JsonObject): JsonObject {
  const { roles } = chapters;
  if (!isObject(roles) || roles.from_now_on !== undefined || !isObject(other.roles)) return chapters;
  return { ...chapters, roles: { ...roles, from_now_on: other.roles.from_now_on, sources: other.roles.sources } };
}

function withJunctions(chapters: JsonObject, other: JsonObject): JsonObject {
  const { entities } = chapters;
  if (!isObject(entities) || !isObject(other.entities)) return chapters;
  if (entities.junctions !== undefined && entities.shown_keys !== undefined) return chapters;
  const { junctions, shown_keys, sources } = other.entities;
  const keys = new Map(listIn(other.entities, 'entities').map(({ id, primary_key }) => [id, primary_key]));
  const told = listIn(entities, 'entities').map((entity) =>
    entity.kind === 'view' && keys.has(entity.id) ? { ...entity, primary_key: keys.get(entity.id) } : entity,
  );
  return { ...chapters, entities: { ...entities, entities: told, junctions, shown_keys, sources } };
}

/** Advice that came with `definitions`. */
const newAdvice: readonly unknown[] = ['setting that changes the rights', 'status without machine'];

function withDefinitions(chapters: JsonObject, other: JsonObject): JsonObject {
  const { calls, roles } = chapters;
  if (!isObject(calls) || calls.definitions !== undefined || !isObject(other.calls)) return chapters;
  const functions = new Map(listIn(other.calls, 'functions').map((one) => [one.id, one]));
  const told = listIn(calls, 'functions').map((one) => {
    const now = functions.get(one.id);
    if (now === undefined) return one;
    const { effects, parallel, leakproof } = now;
    const more = { ...(effects !== undefined && { effects }), ...(parallel !== undefined && { parallel }) };
    const parts = one.kind === 'aggregate' ? { body: now.body } : {};
    return { ...one, ...more, ...(leakproof !== undefined && { leakproof }), ...parts };
  });
  const earlier = { ...chapters, calls: { ...calls, functions: told, definitions: other.calls.definitions } };
  if (!isObject(roles)) return earlier;
  const served = new Set(listIn(other.roles, 'cells').map(({ entity }) => entity));
  const added = (name: string, isNew: (one: JsonObject) => boolean) => [
    ...listIn(roles, name),
    ...listIn(other.roles, name).filter(isNew),
  ];
  return {
    ...earlier,
    roles: {
      ...roles,
      policies: added('policies', ({ entity }) => !served.has(entity)),
      from_now_on: added('from_now_on', ({ id }) => String(id).startsWith('sequences in ')),
      advice: added('advice', ({ about }) => newAdvice.includes(about)),
    },
  };
}

function withRows(chapters: JsonObject, other: JsonObject): JsonObject {
  const { calls } = chapters;
  if (!isObject(calls) || calls.rows !== undefined || !isObject(other.calls)) return chapters;
  return {
    ...chapters,
    calls: {
      ...calls,
      calls: listIn(calls, 'calls').map((call) =>
        call.area === 'rest' ? { ...call, parameters: null, returns: null } : call,
      ),
      rows: other.calls.rows,
    },
  };
}

/** What tells it from a version in which the call has gone: `shown_keys` came later. */
function withDescribing(chapters: JsonObject, other: JsonObject): JsonObject {
  const { calls, entities } = chapters;
  if (!isObject(entities) || entities.shown_keys !== undefined) return chapters;
  const describing = listIn(other.calls, 'calls').find(({ id }) => id === 'rest.describe');
  const isNow = listIn(calls, 'calls').some(({ id }) => id === 'rest.describe');
  const isOff = listIn(calls, 'settings').some(({ key, value }) => key === 'openapi_mode' && value === 'disabled');
  if (!isObject(calls) || !describing || isNow || isOff) return chapters;
  return { ...chapters, calls: { ...calls, calls: [...listIn(calls, 'calls'), describing] } };
}

const listIn = (of: unknown, name: string): JsonObject[] => {
  const list = isObject(of) ? of[name] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
};

const emptyEntities = { junctions: [], shown_keys: [] };
const emptyRoles = { from_now_on: [] };
const emptyCalls = { rows: [], extension_functions: [], functions: [], jobs: [], definitions: [], settings: [] };

/**
 * A specification of an earlier Ninefold with the lists that it lacks left empty, for whoever prints it; who compares it must know that they
 * are missing. Pure.
 */
export function withEmptyLists(specification: Specification): Specification {
  const { entities, roles, calls } = specification.chapters;
  return {
    ...specification,
    chapters: {
      ...specification.chapters,
      ...(entities && { entities: { ...emptyEntities, ...entities } }),
      ...(roles && { roles: { ...emptyRoles, ...roles } }),
      ...(calls && { calls: { ...emptyCalls, ...calls } }),
    },
  };
}
