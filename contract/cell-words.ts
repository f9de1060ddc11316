import { cellFailure } from './cell-condition.ts';
import type { RoleCell } from './specification-roles.ts';

/** The words of a cell of chapter 6: the condition on rows, the number of fields, and the errors that code may raise. */
export interface CellParts {
  condition: string;
  fields: string;
  errors: string;
}

/** Splits the words of a cell into its parts. A part that the cell does not have is empty. */
export function partsOfCell(words: string): CellParts {
  const [, beforeErrors = '', errors = ''] = /^(.*?)(?:(?:^|, )(unless .*))?$/s.exec(words) ?? [];
  const [, condition = '', fields = '', rest = ''] =
    /^(.*?)(?:(?:^|, )(\d+ of \d+ fields))?((?:, (?:as|only|with|without) .*)?)$/s.exec(beforeErrors) ?? [];
  return { condition: `${condition}${rest}`.replace(/^, /, ''), fields, errors };
}

/** Max number of characters of a condition in a cell of the matrix. A longer one is counted instead of cut. */
const SHORT = 36;
/** Max number of characters of a condition inside another condition. */
const SHORT_INSIDE = 20;

/**
 * Returns a cell in a few words that fit into the matrix: "all", "own", "own ticket, or by role", "role lead, not own",
 * "7 of 12 fields". Returns null for a cell that no call can use, which is drawn as a dash. The words never state more
 * than the cell allows: a condition without short words is counted.
 * @param roles Names of the roles of members, by which the words of a condition are read.
 */
export function shortCell(
  cell: Pick<RoleCell, 'verdict' | 'words' | 'code'> & { operation?: string },
  roles: readonly string[] = [],
): string | null {
  if (cell.verdict === 'always') return cell.operation === 'execute' ? 'yes' : 'all';
  if (cell.verdict === 'never') {
    const code = cellFailure(cell);
    return code === null || code === NO_SUCH_OPERATION ? null : `error ${code}`;
  }
  const { condition, fields, errors } = partsOfCell(cell.words);
  const limits = [condition === '' ? '' : shortCondition(condition, roles), fields].filter((part) => part !== '');
  if (limits.length > 0) return limits.join(', ');
  const codes = [...new Set([...errors.matchAll(/\((\w{5})\)/g)].map(([, code]) => code))];
  return codes.length === 0 ? 'by its code' : `unless ${codes.join(' or ')}`;
}

/** The SQLSTATE of an operation that the entity does not have, such as an INSERT into a view of two tables. */
const NO_SUCH_OPERATION = '55000';

/** A condition in words, split at its `and` and `or`. */
export type ConditionTree =
  | { readonly kind: 'and' | 'or'; readonly items: readonly ConditionTree[] }
  | { readonly kind: 'single'; readonly words: string };

/**
 * Reads the words of a condition as a tree.
 * @param roles Names of the roles of members; without them, every name after "the member has role" counts as one.
 */
export function readCondition(words: string, roles: readonly string[] = []): ConditionTree {
  const whole = bare(words);
  for (const kind of ['or', 'and'] as const) {
    const parts = split(whole, ` ${kind} `, roles);
    if (parts.length > 1) return { kind, items: parts.map((part) => readCondition(part, roles)) };
  }
  return { kind: 'single', words: whole };
}

/** Separates the condition on the existing row from the condition on the new version of the row. */
export const NEW_ROW = '; new row: ';

function shortCondition(condition: string, roles: readonly string[]): string {
  const items = condition.split(NEW_ROW).map((part) => readCondition(part, roles));
  const [only] = items;
  const tree: ConditionTree = items.length === 1 && only ? only : { kind: 'and', items };
  return short(tree, roles, SHORT) ?? counted(leavesOf(tree));
}

const counted = (conditions: number): string => (conditions < 2 ? 'by condition' : `by ${conditions} conditions`);

const leavesOf = (tree: ConditionTree): number =>
  tree.kind === 'single' ? 1 : tree.items.reduce((sum, item) => sum + leavesOf(item), 0);

/** Returns a condition in a few words; null if it needs more than `max` characters. */
function short(tree: ConditionTree, roles: readonly string[], max: number): string | null {
  if (tree.kind === 'single') return within(atom(tree.words, roles), max);
  const isRole = (item: ConditionTree) => item.kind === 'single' && roleWords(item.words, roles) !== null;
  const isEither = tree.kind === 'or';
  const said = tree.items
    .filter((item) => !isEither || !isRole(item))
    .map(
      (item) =>
        short(item, roles, isEither ? max : SHORT_INSIDE) ?? (isEither || item.kind !== 'or' ? null : 'by condition'),
    );
  if (said.includes(null)) return null;
  if (!isEither) return within([...new Set(said)].sort(ownFirst).join(', '), max);
  const all = [...new Set([...said, ...(tree.items.some(isRole) ? ['by role'] : [])])];
  return within(all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')}, or ${all.at(-1)}`, max);
}

/** Sorts the words about the caller's own rows before the others. */
const ownFirst = (a: string | null, b: string | null): number =>
  Number(b?.startsWith('own')) - Number(a?.startsWith('own'));

const within = (words: string | null, max: number): string | null =>
  words !== null && words.length <= max ? words : null;

/** Returns one condition in a few words; null if it has none. */
function atom(condition: string, roles: readonly string[]): string | null {
  const role = roleWords(condition, roles);
  if (role !== null) return role;
  for (const [form, words] of forms) {
    const found = form.exec(condition);
    if (found) return words(...found.slice(1).map((part = '') => plain(part)));
  }
  return null;
}

const plain = (name: string): string => name.replace(/_(id|uuid)$/, '').replaceAll('_', ' ');

/** The forms of conditions that have short words, each with its words. */
const forms: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^own row \(by .*\)$/, () => 'own'],
  [/^\w+ is the member$/, () => 'own'],
  [/^\w+ is not the member$/, () => 'not own'],
  [
    /^(\w+) is the \w+ of a row (?:that the member may read )?in \w+ (?:whose|where) (?:\w+ is the member|own row \(by [^()]*\))$/,
    (field = '') => `own ${field}`,
  ],
  [/^(\w+) is the \w+ of a row (?:that the member may read )?in \w+$/, (field = '') => `visible ${field}`],
  [/^the call has a key of the app$/, () => 'with a key'],
  [/^(signed in|not signed in)$/, (words = '') => words],
  [/^(not \w+|\w+)$/, (words = '') => words],
  [/^(\w+) is '([^']*)'$/, (field = '', value = '') => `${field} ${value}`],
  [/^(\w+) is (not )?empty$/, (field = '', not = '') => (not === '' ? `no ${field}` : `with ${field}`)],
  [/^there is a row that the member may read in (\w+) whose .*$/s, (table = '') => `of visible ${table}`],
  [/^the first folder of name is the member.s id$/, () => 'own folder'],
  [/^as far as rows of .* can be seen$/, () => 'as its tables allow'],
  [/^filters on .*$/s, () => 'with a filter'],
  [/^as a call, .*$/s, () => 'as a call'],
];

/** Returns the words for a condition on roles of members: "role agent or lead"; null for other conditions. */
function roleWords(condition: string, roles: readonly string[]): string | null {
  const [, named] = /^the member has role (.*)$/.exec(condition) ?? [];
  if (named === undefined) return null;
  const names = named.split(/, | or /);
  const isKnown =
    roles.length === 0 ? names.every((name) => /^[\w-]+$/.test(name)) : names.every((one) => roles.includes(one));
  if (!isKnown) return null;
  return names.length > MAX_ROLES ? 'by role' : `role ${named}`;
}

/** Max number of roles that a cell names. */
const MAX_ROLES = 3;

/** Splits a condition at a word outside of brackets and quotes. The names of several roles stay together. */
function split(condition: string, at: string, roles: readonly string[]): string[] {
  const parts: string[] = [];
  let [from, depth, quoted] = [0, 0, false];
  for (let place = 0; place < condition.length; place++) {
    const sign = condition[place];
    if (sign === "'") quoted = !quoted;
    if (quoted) continue;
    if (sign === '(') depth++;
    else if (sign === ')') depth--;
    if (depth > 0 || !condition.startsWith(at, place)) continue;
    if (at === ' or ' && isWithinRoles(condition.slice(from, place), condition.slice(place + at.length), roles))
      continue;
    parts.push(condition.slice(from, place));
    from = place + at.length;
  }
  return [...parts, condition.slice(from)];
}

/** Returns true if "or" joins two names of roles: "the member has role agent | lead and …". */
function isWithinRoles(before: string, after: string, roles: readonly string[]): boolean {
  if (!/(?:^| and )the member has role [\w-]+(?:, [\w-]+)*$/.test(before)) return false;
  const [, next = ''] = /^([\w-]+)(?= or | and |$)/.exec(after) ?? [];
  return next !== '' && (roles.length === 0 || roles.includes(next));
}

/** Removes brackets around a whole condition. */
function bare(condition: string): string {
  if (!condition.startsWith('(') || !condition.endsWith(')')) return condition;
  let depth = 0;
  for (let place = 0; place < condition.length - 1; place++) {
    if (condition[place] === '(') depth++;
    else if (condition[place] === ')') depth--;
    if (depth === 0) return condition;
  }
  return bare(condition.slice(1, -1));
}
