import type { ErrorLine, Specification } from '../../../contract/specification.ts';
import { isObject, type JsonObject } from '../derive/words/sentence-parts.ts';

/**
 * Returns chapters of an earlier format in the current format, so that an upgrade of Ninefold is not reported as a
 * change of the app. Earlier formats repeated the fields of an entity in each call on rows, which `rows` now contains
 * once. They also lacked default privileges, the describing call, junctions, keys of views, objects that only functions
 * use, new advice, codes of errors, policies beyond the exposed schemas, jobs, the states of accounts, what functions reach,
 * write and raise, comments beside words, and all statuses of an error. Missing parts are taken from `other`. Pure.
 */
export function upgradeChapters(chapters: JsonObject, other: JsonObject): JsonObject {
  const described = withDescribing(
    withFromNowOn(withRows(withCodes(withOwnRows(chapters), other), other), other),
    other,
  );
  const defined = withDefinitions(withJunctions(described, other), other);
  const coded = withCode(withAccounts(withJobs(defined, other), other), other);
  return withWords(withTransitions(coded, other), other);
}

/**
 * In earlier formats, a comment replaced the words of a rule or a policy, and an error had one status. Words that were
 * derived from the same SQL are taken from `other`.
 */
function withWords(chapters: JsonObject, other: JsonObject): JsonObject {
  const { rules, roles, errors } = chapters;
  const isOld =
    listIn(rules, 'rules').some(({ commented }) => commented !== undefined) ||
    listIn(errors, 'errors').some(({ statuses }) => statuses === undefined);
  if (!isOld) return chapters;
  const partnerIn = (chapter: unknown, list: string, keyOf: (one: JsonObject) => string) => {
    const byKey = new Map(listIn(chapter, list).map((one) => [keyOf(one), one]));
    return (one: JsonObject) => byKey.get(keyOf(one));
  };
  const idOf = ({ id }: JsonObject) => String(id);
  const nameOf = ({ entity, name }: JsonObject) => `${entity} ${name}`;
  const ruleNow = partnerIn(other.rules, 'rules', idOf);
  const policyNow = partnerIn(other.roles, 'policies', nameOf);
  const cellNow = partnerIn(other.roles, 'cells', ({ role, entity, operation }) => `${role} ${operation} ${entity}`);
  const errorNow = partnerIn(other.errors, 'errors', idOf);
  const told = listIn(rules, 'rules').map(({ commented, ...rule }) => {
    const now = ruleNow(rule);
    return { ...rule, words: now?.sql === rule.sql ? now?.words : rule.words, comment: commented ? rule.words : null };
  });
  const policies = listIn(roles, 'policies').map((policy) => {
    const now = policyNow(policy);
    if (now?.sql !== policy.sql) return policy;
    return { ...policy, words: now?.words, ...(now?.comment === undefined ? {} : { comment: policy.words }) };
  });
  const isSame = (one: JsonObject, now: JsonObject, names: readonly string[]) =>
    names.every((name) => JSON.stringify(one[name]) === JSON.stringify(now[name]));
  const changed = new Set(policies.filter((policy) => policyNow(policy)?.words !== policy.words).map(nameOf));
  const cells = listIn(roles, 'cells').map((cell) => {
    const now = cellNow(cell);
    const names = Array.isArray(cell.policies) ? cell.policies : [];
    const isChanged = names.some((name) => changed.has(`${cell.entity} ${name}`));
    const isAlike = now && !isChanged && isSame(cell, now, ['verdict', 'reason', 'policies', 'columns', 'code']);
    return isAlike ? now : cell;
  });
  const lines = listIn(errors, 'errors').map((line) => {
    const now = errorNow(line);
    const isAlike = now && isSame(line, now, ['code', 'status', 'message', 'sql']);
    if (!isAlike) return { statuses: line.status === null ? [] : [line.status], ...line };
    return line.group === 'function' ? { ...line, statuses: now.statuses } : now;
  });
  return {
    ...chapters,
    ...(isObject(rules)
      ? { rules: { ...rules, rules: told, sources: isObject(other.rules) ? other.rules.sources : rules.sources } }
      : {}),
    ...(isObject(roles) ? { roles: { ...roles, policies, cells } } : {}),
    ...(isObject(errors) ? { errors: { ...errors, errors: lines } } : {}),
  };
}

/** Who may take a transition, advice on policies, and handlers that catch errors were added together. */
function withTransitions(chapters: JsonObject, other: JsonObject): JsonObject {
  const { states, roles, errors } = chapters;
  const transitions = listIn(states, 'machines').flatMap((one) => listIn(one, 'transitions'));
  const isCurrent = transitions.length === 0 || transitions.some(({ access }) => access !== undefined);
  const lines = listIn(errors, 'errors');
  const caught = lines.filter(({ caveat }) => String(caveat).includes(caughtWords));
  if (isCurrent) return chapters;
  const machines = new Map(listIn(other.states, 'machines').map((one) => [one.id, one]));
  const told = listIn(states, 'machines').map((machine) => {
    const now = new Map(listIn(machines.get(machine.id), 'transitions').map((one) => [one.name, one]));
    const transitions = listIn(machine, 'transitions').map((one) => {
      const { access, words } = now.get(one.name) ?? {};
      const is = { ...one, access, words };
      return access === undefined ? one : is;
    });
    return { ...machine, transitions };
  });
  const known = new Map(listIn(other.errors, 'errors').map((line) => [line.id, line]));
  const added = listIn(other.roles, 'advice').filter(({ about }) => adviceOnPolicies.includes(about));
  return {
    ...chapters,
    ...(isObject(states) && { states: { ...states, machines: told } }),
    ...(isObject(roles) && added.length > 0 && { roles: { ...roles, advice: [...listIn(roles, 'advice'), ...added] } }),
    ...(isObject(errors) &&
      caught.length > 0 && {
        errors: {
          ...errors,
          errors: lines.flatMap((line) => (caught.includes(line) ? (known.get(line.id) ?? []) : [line])),
        },
      }),
  };
}

/** A caveat of an earlier format. */
const caughtWords = 'may be caught within the function';

/** What functions reach, write and raise, and the cells that depend on errors, were added together. */
function withCode(chapters: JsonObject, other: JsonObject): JsonObject {
  const { calls, roles } = chapters;
  const functions = new Map(listIn(other.calls, 'functions').map((one) => [one.id, one]));
  if (!isObject(calls) || listIn(calls, 'functions').every(({ raises }) => raises !== undefined)) return chapters;
  const told = listIn(calls, 'functions').map((one) => {
    const { reaches, writes, raises } = functions.get(one.id) ?? {};
    return { ...one, ...(reaches ? { reaches } : {}), ...(writes ? { writes } : {}), ...(raises ? { raises } : {}) };
  });
  const withFunctions = { ...chapters, calls: { ...calls, functions: told } };
  if (!isObject(roles)) return withFunctions;
  const idOf = ({ role, entity, operation }: JsonObject) => `${role} ${operation} ${entity}`;
  const now = new Map(listIn(other.roles, 'cells').map((cell) => [idOf(cell), cell]));
  const cells = listIn(roles, 'cells').map((cell) => {
    const is = now.get(idOf(cell));
    const words = String(is?.words).replace(errorWords, '');
    return is && words !== is.words && words === cell.words && cell.verdict !== 'never' ? is : cell;
  });
  return { ...withFunctions, roles: { ...roles, cells } };
}

const errorWords = /(?:^|, )unless (?:its code|the trigger .+?) raises .*$/s;

function withAccounts(chapters: JsonObject, other: JsonObject): JsonObject {
  const { states } = chapters;
  if (!isObject(states) || states.accounts !== undefined || !isObject(other.states)) return chapters;
  return { ...chapters, states: { ...states, accounts: other.states.accounts, sources: other.states.sources } };
}

/** Replaces "own row (owner is the member)" in cells and policies by "own row (by owner)". */
function withOwnRows(chapters: JsonObject): JsonObject {
  const { roles } = chapters;
  if (!isObject(roles)) return chapters;
  const text = JSON.stringify(roles);
  const changed = text.replaceAll(/own row \(([^()]*) is the member\)/g, 'own row (by $1)');
  return changed === text ? chapters : { ...chapters, roles: JSON.parse(changed) };
}

/**
 * For cells that are `never` in both versions, takes the cell of `other` if `chapters` does not contain the codes of
 * their errors.
 */
function withCodes(chapters: JsonObject, other: JsonObject): JsonObject {
  const { roles } = chapters;
  const cells = listIn(roles, 'cells');
  if (!isObject(roles) || cells.some(({ code }) => code !== undefined)) return chapters;
  const idOf = ({ role, entity, operation }: JsonObject) => `${role} ${operation} ${entity}`;
  const never = new Map(
    listIn(other.roles, 'cells')
      .filter(({ verdict }) => verdict === 'never')
      .map((cell) => [idOf(cell), cell]),
  );
  const coded = cells.map((cell) => (cell.verdict === 'never' ? (never.get(idOf(cell)) ?? cell) : cell));
  return { ...chapters, roles: { ...roles, cells: coded } };
}

function withJobs(chapters: JsonObject, other: JsonObject): JsonObject {
  const { calls } = chapters;
  if (!isObject(calls) || calls.jobs !== undefined || !isObject(other.calls)) return chapters;
  return { ...chapters, calls: { ...calls, jobs: [], sources: other.calls.sources } };
}

function withFromNowOn(chapters: JsonObject, other: JsonObject): JsonObject {
  const { roles } = chapters;
  if (!isObject(roles) || roles.default_privileges !== undefined || !isObject(other.roles)) return chapters;
  return {
    ...chapters,
    roles: { ...roles, default_privileges: other.roles.default_privileges, sources: other.roles.sources },
  };
}

function withJunctions(chapters: JsonObject, other: JsonObject): JsonObject {
  const { entities } = chapters;
  if (!isObject(entities) || !isObject(other.entities)) return chapters;
  if (entities.junctions !== undefined && entities.view_foreign_keys !== undefined) return chapters;
  const { junctions, view_foreign_keys, sources } = other.entities;
  const keys = new Map(listIn(other.entities, 'entities').map(({ id, primary_key }) => [id, primary_key]));
  const told = listIn(entities, 'entities').map((entity) =>
    entity.kind === 'view' && keys.has(entity.id) ? { ...entity, primary_key: keys.get(entity.id) } : entity,
  );
  return { ...chapters, entities: { ...entities, entities: told, junctions, view_foreign_keys, sources } };
}

/** Kinds of advice that were added together with `definitions`. */
const newAdvice: readonly unknown[] = ['setting that changes the rights', 'status without machine'];

/** Kinds of advice that were added together with `access` of transitions. */
const adviceOnPolicies: readonly unknown[] = [
  'transition that no member can take',
  'update that a SELECT policy refuses',
];

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
      default_privileges: added('default_privileges', ({ id }) => String(id).startsWith('sequences in ')),
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

/**
 * If the chapters lack `view_foreign_keys`, which is newer than the describing call, their format is too old for the
 * call. Then the app did not lose the call.
 */
function withDescribing(chapters: JsonObject, other: JsonObject): JsonObject {
  const { calls, entities } = chapters;
  if (!isObject(entities) || entities.view_foreign_keys !== undefined) return chapters;
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

const emptyEntities = { junctions: [], view_foreign_keys: [] };
const emptyRoles = { default_privileges: [] };
const emptyRule = { comment: null };
const withStatuses = (line: ErrorLine): ErrorLine => ({
  ...line,
  statuses: line.statuses ?? [line.status ?? []].flat(),
});
const emptyCalls = { rows: [], extension_functions: [], functions: [], jobs: [], definitions: [], settings: [] };

/**
 * Fills in empty lists for the lists that a specification of an earlier Ninefold lacks, so that it can be printed. For
 * comparisons, use `upgradeChapters`. Pure.
 */
export function withEmptyLists(specification: Specification): Specification {
  const { entities, roles, calls, rules, errors } = specification.chapters;
  return {
    ...specification,
    chapters: {
      ...specification.chapters,
      ...(entities && { entities: { ...emptyEntities, ...entities } }),
      ...(roles && { roles: { ...emptyRoles, ...roles } }),
      ...(calls && { calls: { ...emptyCalls, ...calls } }),
      ...(rules && { rules: { ...rules, rules: rules.rules.map((rule) => ({ ...emptyRule, ...rule })) } }),
      ...(errors && { errors: { ...errors, errors: errors.errors.map(withStatuses) } }),
    },
  };
}
