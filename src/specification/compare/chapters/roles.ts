import { cellCondition } from '../../../../contract/cell-condition.ts';
import type { AdviceEntry, PolicyEntry, RoleCell, RoleEntry } from '../../../../contract/specification-roles.ts';
import { groupBy } from '../../../catalog/group.ts';
import {
  fewWords,
  flag,
  fromTo,
  isObject,
  items,
  type JsonObject,
  listWords,
  oneLine,
  quoted,
  sentence,
  text,
  texts,
  thing,
  within,
} from '../../derive/words/sentence-parts.ts';
import { type ChangeDescriber, type ChapterPair, type DescribedChange, matches } from '../describer.ts';
import { canonical, type Difference } from '../differences.ts';
import { entityIds } from '../entity-ids.ts';
import { either, type Members, restWords } from '../generic.ts';
import { describeFileCells } from './files.ts';
import { describeOtherCells } from './other-cells.ts';

/** The lists of chapter 6 whose items are the rights of one role. */
const listsOfCells = ['cells/*', 'files/*', 'changes/*', 'topics/*', 'edge_functions/*'];

/** Describes chapter 6. Operations that change alike for a role and an entity share a sentence. */
export const rolesDescriber: ChangeDescriber = {
  whole: [...listsOfCells, 'roles/*', 'policies/*', 'default_privileges/*', 'advice/*'],
  describeChanges: (differences, sides) => {
    const of = (pattern: string) => differences.filter(({ path }) => matches(path, pattern));
    // The cells of a removed role. The sentence about the role reports them, so they get no sentence of their own.
    const cellsOf = (role: Difference) =>
      role.kind === 'removed'
        ? listsOfCells
            .flatMap(of)
            .filter(({ kind, before }) => kind === 'removed' && text(before, 'role') === text(role.before, 'name'))
        : [];
    const ofGoneRoles = new Set(of('roles/*').flatMap(cellsOf));
    return [
      ...of('roles/*').map((role) => describeRole(role, cellsOf(role))),
      ...describeCells(
        of('cells/*').filter((cell) => !ofGoneRoles.has(cell)),
        sides,
      ),
      ...describeFileCells(
        differences.filter((one) => !ofGoneRoles.has(one)),
        sides,
      ),
      ...describeOtherCells(differences.filter((one) => !ofGoneRoles.has(one))),
      ...describePolicies(of('policies/*'), sides),
      ...of('default_privileges/*').map(describeDefaultPrivilege),
      ...[...groupBy(of('advice/*'), adviceOf).values()].map(describeAdvice),
    ];
  },
};

/** Returns the callers of a role as the subject of a sentence. */
function subject(role: string, { before, after }: ChapterPair): string {
  if (role === 'anon') return 'anyone without a session';
  if (role === 'authenticated') return 'signed-in members';
  if (role === 'service_role') return 'the secret key';
  const entry = [after, before]
    .flatMap((chapters) => items(chapters.roles, 'roles'))
    .find((one) => text(one, 'name') === role);
  if (entry?.member_role === null) return `callers with the database role ${role}`;
  return entry?.member_role === undefined ? `callers with role ${role}` : `members with role ${role}`;
}

function describeRole(difference: Difference, cells: readonly Difference[]): DescribedChange {
  const { before, after } = difference;
  const name = text(after ?? before, 'name');
  const free = flag(after, 'bypasses_row_level_security') ? '; row-level security does not bind it' : '';
  const meaning = within(text(after, 'meaning'));
  if (before === undefined)
    return { words: `There is a new role ${name}${meaning === '' ? '' : `: ${meaning}`}${free}.`, of: [difference] };
  if (after === undefined) {
    const end = cells.length === 0 ? '' : ', with all its privileges';
    return { words: `The role ${name} is gone${end}.`, of: [difference, ...cells] };
  }
  if (!isObject(before) || !isObject(after))
    return { words: `The role ${name} ${fromTo(before, after)}.`, of: [difference] };
  const parts = [
    ...(before.meaning === after.meaning
      ? []
      : [`now stands for: ${meaning} (before: ${within(text(before, 'meaning'))})`]),
    ...(before.bypasses_row_level_security === after.bypasses_row_level_security
      ? []
      : [free === '' ? 'is now bound by row-level security' : 'is no longer bound by row-level security']),
    ...restWords(before, after, ['meaning', 'bypasses_row_level_security'], roleMembers),
  ];
  return { words: `The role ${name} ${parts.join('; ')}.`, of: [difference] };
}

interface Cell {
  difference: Difference;
  role: string;
  /** The callers of the role, as the subject of a sentence. */
  caller: string;
  entity: string;
  verb: string;
  /**
   * The state of the cell before the change, and after the change: `never`, `always`, `when own row (…)`; null if the
   * cell did not exist.
   */
  was: string | null;
  is: string | null;
}

const verbs: Readonly<Record<string, string>> = {
  select: 'read',
  insert: 'add',
  update: 'change',
  delete: 'delete',
  execute: 'call',
};

function describeCells(differences: readonly Difference[], sides: ChapterPair): DescribedChange[] {
  const cells = differences.map((difference) => readCell(difference, sides));
  const roleIsIn = (chapters: JsonObject, role: string) =>
    items(chapters.roles, 'roles').some((one) => text(one, 'name') === role);
  const newRoles = cells.filter((cell) => cell.was === null && !roleIsIn(sides.before, cell.role));
  const ofRoles = new Set(newRoles);
  const ids = entityIds(sides);
  const rest = cells.filter((cell) => !ofRoles.has(cell));
  const removed = rest.filter((cell) => cell.is === null && !ids.after.has(cell.entity));
  const fresh = rest.filter((cell) => cell.was === null);
  const changed = rest.filter((cell) => cell.was !== null && (cell.is !== null || ids.after.has(cell.entity)));
  const hidden = changed.filter((cell) => cell.is === null);
  return [
    ...[...groupBy(newRoles, (cell) => cell.role).values()].flatMap(describeNewRole),
    ...describeTogether(removed, (things) => `The privileges on ${things} are gone with it.`),
    ...describeTogether(hidden, (things) => `Nobody reaches ${things} any longer.`),
    ...alikeOf(fresh, (group) => extent(group, 'it')).map(describeFresh),
    ...alikeOf(
      changed.filter((cell) => cell.is !== null),
      (group) => [...new Set(group.map(changeOf))].join('\0'),
      (cell) => changeOf(cell),
    ).map(describeChanged),
  ];
}

const describeTogether = (cells: readonly Cell[], words: (things: string) => string): DescribedChange[] =>
  cells.length === 0
    ? []
    : [
        {
          words: words(fewWords([...new Set(cells.map(({ entity }) => thing(entity)))])),
          of: cells.map((cell) => cell.difference),
        },
      ];

/** Describes the change of a cell. If the operation was possible before and still is, the words include the reason. */
const changeOf = ({ difference, was, is }: Cell): string =>
  `${was}\0${is}${was === is && is !== 'never' ? `\0${reasonWords(difference)}` : ''}`;

/**
 * Cells that share a sentence, because the same operations changed in the same way for several roles or several
 * entities.
 */
interface Alike {
  callers: string[];
  entities: string[];
  /** The cells of the first role and the first entity. The other roles and entities have equal cells. */
  cells: readonly Cell[];
  of: Difference[];
}

/**
 * Combines roles that have the same changes for an entity. Then combines entities that have the same changes for the
 * same roles.
 */
function alikeOf(
  cells: readonly Cell[],
  likeness: (group: readonly Cell[]) => string,
  part: (cell: Cell) => string = () => '',
): Alike[] {
  const pairs = [...groupBy(cells, (cell) => `${cell.entity}\0${cell.role}\0${part(cell)}`).values()];
  const verbsOf = (group: readonly Cell[]) => group.map(({ verb }) => verb).join();
  const ofEntities = [
    ...groupBy(pairs, (group) => `${group[0]?.entity}\0${verbsOf(group)}\0${likeness(group)}`).values(),
  ].map((groups) => ({ groups, roles: groups.map(([first]) => first?.role ?? '') }));
  const likeAll = ({ groups: [first], roles }: (typeof ofEntities)[number]) =>
    `${roles.join()}\0${verbsOf(first ?? [])}\0${likeness(first ?? [])}`;
  return [...groupBy(ofEntities, likeAll).values()].map((alike) => ({
    callers: alike[0]?.groups.map(([first]) => first?.caller ?? '') ?? [],
    entities: alike.map(({ groups }) => groups[0]?.[0]?.entity ?? ''),
    cells: alike[0]?.groups[0] ?? [],
    of: alike.flatMap(({ groups }) => groups.flat().map(({ difference }) => difference)),
  }));
}

const who = ({ callers }: Alike): string => listWords(callers);
const what = ({ entities }: Alike): string => fewWords(entities.map(thing));

function readCell(difference: Difference, sides: ChapterPair): Cell {
  const { before, after } = difference;
  const cell = after ?? before;
  const operation = text(cell, 'operation');
  return {
    difference,
    role: text(cell, 'role'),
    caller: subject(text(cell, 'role'), sides),
    entity: text(cell, 'entity'),
    verb: verbs[operation] ?? operation,
    was: before === undefined ? null : state(before),
    is: after === undefined ? null : state(after),
  };
}

function state(cell: unknown): string {
  const verdict = text(cell, 'verdict');
  return verdict === 'when' ? cellCondition(withFields(text(cell, 'words'), texts(cell, 'columns'))) : verdict;
}

/**
 * Adds the names of the fields to the words of a limited privilege. The words contain only their number, so two
 * privileges on different fields would look the same.
 */
const withFields = (words: string, fields: readonly string[]): string =>
  fields.length === 0
    ? words
    : words.replace(/(^|, )\d+ of \d+ fields/, (_, start) => `${start}as to ${fewWords(fields)}`);

/**
 * Returns the operations that a role may perform on an entity, as the end of a sentence: "read and add it always;
 * change it when …".
 */
function extent(cells: readonly Cell[], what: string): string {
  const open = [...groupBy(cells, (cell) => cell.is ?? '')].filter(([is]) => is !== 'never');
  if (open.length === 0) return `do nothing with ${what}`;
  return open
    .map(([is, group], i) => `${listWords(group.map(({ verb }) => verb))} ${i === 0 ? what : 'it'} ${is}`)
    .join('; ');
}

function describeFresh(alike: Alike): DescribedChange {
  return { words: sentence(`${who(alike)} may ${extent(alike.cells, what(alike))}.`), of: alike.of };
}

/** Describes all privileges of a new role. Entities with the same privileges share a sentence. */
function describeNewRole(cells: readonly Cell[]): DescribedChange[] {
  const byEntity = [...groupBy(cells, (cell) => cell.entity)];
  return [...groupBy(byEntity, ([, group]) => extent(group, 'it')).values()].map((alike) => {
    const group = alike.flatMap(([, each]) => each);
    const names = fewWords(alike.map(([entity]) => thing(entity)));
    const words = `${cells[0]?.caller} may ${extent(alike[0]?.[1] ?? [], names)}.`;
    return { words: sentence(words), of: group.map((cell) => cell.difference) };
  });
}

function describeChanged(alike: Alike): DescribedChange {
  const { cells, of } = alike;
  const [first] = cells;
  const { was, is } = first ?? { was: null, is: null };
  const done = `${listWords(cells.map(({ verb }) => verb))} ${what(alike)}`;
  if (first && was === is) {
    const why = reasonWords(first.difference);
    return { words: `Why ${who(alike)} may ${is === 'never' ? 'not ' : ''}${done} has changed: ${why}.`, of };
  }
  return { words: sentence(`${who(alike)} ${verdictWords(was ?? 'never', is ?? 'never', done)}.`), of };
}

function verdictWords(was: string, is: string, what: string): string {
  if (is === 'never') return `may no longer ${what}${was === 'always' ? '' : ` (before: ${was})`}`;
  if (is === 'always') return `may now ${what}${was === 'never' ? '' : ` always (before: ${was})`}`;
  if (was === 'never') return `may now ${what} ${is}`;
  return was === 'always'
    ? `may now ${what} ${is.startsWith('only ') ? is : `only ${is}`}`
    : `may now ${what} ${is} (before: ${was})`;
}

/** Describes the changes of a cell whose verdict stays the same. */
function reasonWords({ before, after }: Difference): string {
  if (!isObject(before) || !isObject(after)) return fromTo(before, after);
  if (before.reason === after.reason) {
    const [was, is] = [before, after].map((cell) => /(\d+) of (\d+) fields/.exec(text(cell, 'words')));
    const counted = was && is && was[0] !== is[0] ? [`${is[0]} (before: ${was[0]})`] : [];
    return [...counted, ...restWords(before, after, counted.length > 0 ? ['words'] : [], cellMembers)].join('; ');
  }
  const [was, is] = [texts(before, 'columns'), texts(after, 'columns')];
  const granted = is.length > 0 ? `granted on ${fewWords(is)} only` : `no longer granted on ${fewWords(was)} only`;
  // The sentence about the reason already names the policies and often the fields, so these members get no words of
  // their own.
  const rest = restWords(before, after, ['reason', 'policies', 'columns'], cellMembers);
  const fields = was.join() === is.join() || text(after, 'reason').includes('granted on ') ? [] : [granted];
  return [`${text(after, 'reason')} (before: ${text(before, 'reason')})`, ...fields, ...rest].join('; ');
}

/** Returns the entities that exist although no call reaches them. The chapter does not contain their policies. */
function outOfReach(chapters: JsonObject, ids: ReadonlySet<string>): ReadonlySet<string> {
  const reached = new Set(items(chapters.roles, 'cells').map((cell) => text(cell, 'entity')));
  return new Set([...ids].filter((id) => !reached.has(id)));
}

function describePolicies(differences: readonly Difference[], sides: ChapterPair): DescribedChange[] {
  if (differences.length === 0) return [];
  const ids = entityIds(sides);
  const unreached = { before: outOfReach(sides.before, ids.before), after: outOfReach(sides.after, ids.after) };
  return differences.map((difference) => describePolicy(difference, unreached));
}

function describePolicy(
  difference: Difference,
  unreached: { readonly before: ReadonlySet<string>; readonly after: ReadonlySet<string> },
): DescribedChange {
  const { before, after } = difference;
  const policy = after ?? before;
  const name = `policy ${text(policy, 'name')} of ${thing(text(policy, 'entity'))}`;
  const who = listWords(texts(policy, 'roles').map((role) => (role === 'public' ? 'everybody' : role)));
  const scope = `for ${text(policy, 'command')}, for ${who}`;
  const entity = text(policy, 'entity');
  if (before === undefined) {
    const start = unreached.before.has(entity) ? `Calls now depend on the ${name}` : `New ${name}`;
    return { words: `${start}, ${scope}: ${text(after, 'words')}.`, of: [difference] };
  }
  if (after === undefined) {
    const end = unreached.after.has(entity) ? 'affects no call any longer' : 'is gone';
    return { words: `The ${name}, ${scope}, ${end}: ${text(before, 'words')}.`, of: [difference] };
  }
  if (!isObject(before) || !isObject(after))
    return { words: `The ${name} ${fromTo(before, after)}.`, of: [difference] };
  const described = ['sql'];
  const parts: string[] = [];
  if (before.words !== after.words) {
    parts.push(`it now lets rows through ${whenWords(after)} (before: ${whenWords(before)})`);
    described.push('words', 'using', 'check');
  }
  if (before.command !== after.command) {
    const [was, is] = [before, after].map((one) => (one.command === 'all' ? 'all operations' : text(one, 'command')));
    parts.push(`it is now for ${is} (before: for ${was})`);
    described.push('command');
  }
  if (canonical(before.roles) !== canonical(after.roles)) {
    parts.push(`it is now for ${who || 'nobody'}`);
    described.push('roles');
  }
  if (before.permissive !== after.permissive) {
    parts.push(
      after.permissive === true
        ? 'it now lets rows through by itself (permissive)'
        : 'it is now a further condition, and lets nothing through by itself (restrictive)',
    );
    described.push('permissive');
  }
  if (canonical(before.functions) !== canonical(after.functions)) {
    parts.push(...calledWords(before, after));
    described.push('functions');
  }
  parts.push(...restWords(before, after, described, policyMembers));
  // The SQL of a policy contains every other member. So the change of the SQL is reported only if no other member
  // changed.
  if (parts.length === 0) parts.push(`its SQL ${fromTo(before.sql, after.sql)}`);
  return { words: `The ${name} has changed: ${parts.join('; ')}.`, of: [difference] };
}

const roleMembers: Members<Omit<RoleEntry, 'figures'>> = {
  name: 'has another name',
  meaning: 'its meaning',
  member_role: 'the role of members that it describes',
  bypasses_row_level_security: 'whether row-level security binds it',
};

const cellMembers: Members<RoleCell> = {
  role: 'the role',
  entity: 'the entity',
  operation: 'the operation',
  verdict: 'the verdict',
  words: 'the condition',
  reason: 'the reason',
  code: 'the error code',
  policies: 'the policies',
  columns: 'the fields',
};

const policyMembers: Members<PolicyEntry> = {
  entity: 'its entity',
  name: 'its name',
  permissive: either('it is now permissive', 'it is now restrictive'),
  command: 'its operation',
  roles: 'its roles',
  using: 'its condition on existing rows',
  check: 'its condition on new rows',
  words: 'its condition in words',
  comment: (before, after) => {
    const [was, is] = [before, after].map((one) => (typeof one === 'string' && one !== '' ? quoted(one) : ''));
    if (is === '') return `it no longer has a comment (before: ${was})`;
    return `its comment is now ${is}${was === '' ? '' : ` (before: ${was})`}`;
  },
  sql: 'its SQL',
  functions: 'the functions that it calls',
};

const adviceMembers: Members<AdviceEntry> = {
  id: 'its id',
  about: 'its kind',
  severity: 'its severity',
  on: 'its object',
  policies: 'its policies',
  words: 'its words',
  sql: 'its SQL',
};

const whenWords = (policy: unknown): string => {
  const words = text(policy, 'words');
  return words === 'always' || words === 'never' ? words : `when ${words}`;
};

const noFunction = 'no function of chapter 7';

/** Describes the changes of the functions that a policy calls. */
function calledWords(before: unknown, after: unknown): string[] {
  const [old, fresh] = [items(before, 'functions'), items(after, 'functions')];
  const otherwise = fresh.filter((one) =>
    old.some((each) => text(each, 'id') === text(one, 'id') && text(each, 'body') !== text(one, 'body')),
  );
  const names = (list: readonly unknown[]) => listWords(list.map((one) => thing(text(one, 'id'))));
  const asked = (policy: unknown) => [text(policy, 'using'), text(policy, 'check')].join('\0');
  if (otherwise.length === 0 && asked(before) === asked(after)) return listedWords(old, fresh);
  if (otherwise.length === 0)
    return [`it now calls ${names(fresh) || noFunction} (before: ${names(old) || noFunction})`];
  const isLaidOut = otherwise.every((one) =>
    old.some(
      (each) => text(each, 'id') === text(one, 'id') && oneLine(text(each, 'body')) === oneLine(text(one, 'body')),
    ),
  );
  return [`${names(otherwise)}, which it calls, ${isLaidOut ? 'has code with other white space' : 'has other code'}`];
}

/**
 * Describes functions that a policy calls in both versions, but that chapter 7 contains in only one version, because
 * their schema was added or removed.
 */
function listedWords(before: readonly JsonObject[], after: readonly JsonObject[]): string[] {
  const without = (list: readonly JsonObject[], others: readonly JsonObject[]) =>
    list.map((one) => text(one, 'id')).filter((id) => !others.some((other) => text(other, 'id') === id));
  const words = (ids: readonly string[], change: string) =>
    ids.length === 0
      ? []
      : [`${listWords(ids.map(thing))}, which it calls, ${ids.length === 1 ? 'is' : 'are'} ${change} in chapter 7`];
  return [...words(without(after, before), 'now described'), ...words(without(before, after), 'no longer described')];
}

/**
 * Describes an added, removed or changed default privilege. Exposing a schema adds its default privileges, and hiding
 * it removes them.
 */
function describeDefaultPrivilege(difference: Difference): DescribedChange {
  const { before, after } = difference;
  if (after === undefined) return { words: `No longer listed: ${within(text(before, 'words'))}.`, of: [difference] };
  const rights = (one: unknown) => within(text(one, 'words').replace(/^.*?: /, ''));
  const was = before === undefined ? '' : ` (before: ${rights(before)})`;
  return { words: `${within(text(after, 'words'))}${was}.`, of: [difference] };
}

/**
 * Describes advice. Advice with the same words about several objects shares a sentence. If only its SQL changed, the
 * sentence reports the SQL.
 */
function describeAdvice(group: readonly Difference[]): DescribedChange {
  const [first] = group;
  const on = fewWords([...new Set(group.map(({ before, after }) => thing(text(after ?? before, 'on'))))]);
  const about = `${text(first?.after ?? first?.before, 'about')} (${on})`;
  if (first?.after === undefined) return { words: `Advice that no longer holds: ${about}.`, of: group };
  if (isSameAdvice(first)) {
    const sql = isObject(first.before) && isObject(first.after) ? fromTo(first.before.sql, first.after.sql) : '';
    const rest =
      isObject(first.before) && isObject(first.after)
        ? restWords(first.before, first.after, ['sql'], adviceMembers)
        : [];
    const parts = [...(text(first.before, 'sql') === text(first.after, 'sql') ? [] : [`its SQL ${sql}`]), ...rest];
    return { words: `How to follow the advice ${about} has changed: ${parts.join('; ')}.`, of: group };
  }
  const is = first.before === undefined ? 'New advice' : 'The advice has changed';
  return { words: `${is}: ${about}. ${within(text(first.after, 'words'))}.`, of: group };
}

const isSameAdvice = ({ kind, before, after }: Difference): boolean =>
  kind === 'changed' &&
  text(before, 'words') === text(after, 'words') &&
  text(before, 'about') === text(after, 'about');

const adviceOf = (one: Difference): string => {
  const { kind, before, after } = one;
  if (isSameAdvice(one)) return canonical([after, before]);
  return `${kind}\0${text(after ?? before, 'about')}\0${kind === 'removed' ? '' : text(after, 'words')}`;
};
