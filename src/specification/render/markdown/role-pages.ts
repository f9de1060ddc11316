import { partsOfCell } from '../../../../contract/cell-words.ts';
import type { Chapters } from '../../../../contract/specification.ts';
import type { FileCell, RoleCell, RoleEntry, RolesChapter } from '../../../../contract/specification-roles.ts';
import { groupBy } from '../../../catalog/group.ts';
import { machineFunctions } from '../../derive/chapters/calls/machine-functions.ts';
import { listWords, sentence } from '../../derive/words/sentence-parts.ts';
import { shownSql } from '../../derive/words/shown-sql.ts';
import { limitsText } from './cell-text.ts';
import { type Conditions, placesOf } from './conditions.ts';
import { code, inline } from './escape.ts';
import { realtimeLines } from './realtime.ts';
import { callersOf } from './role-names.ts';

/** A page of the document about one role. */
export interface RolePage {
  title: string;
  text: string;
}

/**
 * Returns one page for each role that callers can have: what the role may do with each entity, and which functions and
 * state changes it may use. The page of a role of members has only the differences from the page of every signed-in
 * member.
 */
export function rolePages(chapters: Chapters, conditions: Conditions): RolePage[] {
  const { roles: chapter } = chapters;
  if (!chapter) return [];
  const { roles, cells } = chapter;
  const ofRole = groupBy(cells, ({ role }) => role);
  const common = ofRole.get('authenticated') ?? [];
  const standard = machineFunctions(chapters.calls);
  return roles.map((role) => {
    const own = ofRole.get(role.name) ?? [];
    const title = `What ${callersOf(role)} may do`;
    const isMember = role.member_role !== null;
    const shown = isMember ? differing(own, common) : own.filter((cell) => !isOfMemberRoles(cell));
    const lines = [
      ...entityLines(
        shown.filter(({ entity }) => !standard.has(entity)),
        chapter,
        isMember,
        conditions,
      ),
      ...fileLines(role, chapter, conditions),
      ...(isMember ? [] : [...realtimeLines(role.name, chapter), ...edgeFunctionLines(role.name, chapter)]),
      ...moves(role, chapters),
    ];
    const start = isMember
      ? lines.length === 0
        ? 'The same as every signed-in member.'
        : 'The same as every signed-in member, and in addition or in place of it:'
      : lines.length === 0
        ? 'Nothing.'
        : '';
    const about = aboutRole(role, lines.length > 0);
    const text = [[about, start].filter((part) => part !== '').join(' '), lines.join('\n')];
    return { title, text: text.filter((part) => part !== '').join('\n\n') };
  });
}

/** Describes a role, unless the title of its page already does. */
function aboutRole(
  { meaning, member_role, name, bypasses_row_level_security }: RoleEntry,
  hasPrivileges: boolean,
): string {
  const isKnown = member_role === null && /^(anon|authenticated|service_role)$/.test(name);
  const free = bypasses_row_level_security && hasPrivileges ? ['Row-level security does not bind it.'] : [];
  return [...(isKnown ? [] : [`${inline(sentence(meaning.replace(/\.$/, '')))}.`]), ...free].join(' ');
}

/** Returns the cells of a role of members that differ from the cells of every signed-in member. */
function differing(own: readonly RoleCell[], common: readonly RoleCell[]): RoleCell[] {
  const keyOf = ({ entity, operation }: RoleCell) => `${entity}\0${operation}`;
  const usual = new Map(common.map((cell) => [keyOf(cell), cell]));
  return own.filter((cell) => {
    const other = usual.get(keyOf(cell));
    return other?.verdict !== cell.verdict || other.words !== cell.words || other.code !== cell.code;
  });
}

/** Returns true for a cell whose condition only roles of members meet. The pages of these roles describe such a cell. */
function isOfMemberRoles({ verdict, words }: RoleCell): boolean {
  const { condition } = partsOfCell(words);
  const start = /^the member has role [\w-]+(?:(?:, [\w-]+)* or [\w-]+)?(?=$| and )/.exec(condition)?.[0];
  return verdict === 'when' && start !== undefined && placesOf(condition.slice(start.length), ' or ').length === 0;
}

const verbs = { select: 'read', insert: 'add', update: 'change', delete: 'delete', execute: 'call' } as const;

function entityLines(
  cells: readonly RoleCell[],
  { cells: all }: RolesChapter,
  isMember: boolean,
  conditions: Conditions,
): string[] {
  const functions = cells.filter(({ operation }) => operation === 'execute');
  const ofEntities = groupBy(
    cells.filter(({ operation }) => operation !== 'execute'),
    ({ entity }) => entity,
  );
  const described = [...ofEntities].map(([entity, group]) => ({ entity, words: allowed(group, isMember, conditions) }));
  const lines = [...groupBy(described, ({ words }) => words)].flatMap(([words, alike]) =>
    words === '' ? [] : [`- ${alike.map(({ entity }) => `**${inline(shownSql(entity))}**`).join(', ')}: ${words}`],
  );
  const open = functions.filter(({ verdict }) => verdict !== 'never');
  const calls = [...groupBy(open, (cell) => whenText(cell, conditions))].map(
    ([when, group]) => `${listWords(group.map(({ entity }) => code(nameOf(entity, all))))}${when}`,
  );
  const closed = isMember ? functions.filter(({ verdict }) => verdict === 'never') : [];
  return [
    ...lines,
    ...(calls.length > 0 ? [`- Functions: call ${calls.join('; ')}`] : []),
    ...(closed.length > 0
      ? [`- Functions: not ${closed.map(({ entity }) => code(nameOf(entity, all))).join(', ')}`]
      : []),
  ];
}

/** Returns what a role may do with the files of each bucket; of a role of members only the differences from every member. */
/** Returns the edge functions that a role may call. */
function edgeFunctionLines(role: string, { edge_functions = [] }: RolesChapter): string[] {
  const open = edge_functions.filter((cell) => cell.role === role && cell.verdict !== 'never');
  const names = open.map((cell) => inline(cell.edge_function) + (cell.words === '' ? '' : ` (if ${cell.words})`));
  return names.length === 0 ? [] : [`- Edge functions: ${names.join(', ')}`];
}

function fileLines({ name, member_role }: RoleEntry, { files = [] }: RolesChapter, conditions: Conditions): string[] {
  const of = (role: string) => files.filter((cell) => cell.role === role);
  const keyOf = ({ bucket, operation, verdict, words }: FileCell) => [bucket, operation, verdict, words].join('\0');
  const usual = new Set(member_role === null ? [] : of('authenticated').map(keyOf));
  const shown = of(name).filter((cell) => cell.verdict !== 'never' && !usual.has(keyOf(cell)));
  const described = [...groupBy(shown, ({ bucket }) => bucket)].map(([bucket, group]) => {
    const parts = [...groupBy(group, ({ verdict, words }) => `${verdict}\0${words}`).values()].map((alike) => {
      const [first] = alike;
      return `${listWords(alike.map(({ operation }) => operation))}${first ? whenText(first, conditions) : ''}`;
    });
    return { bucket, words: parts.join('; ') };
  });
  return [...groupBy(described, ({ words }) => words)].map(
    ([words, alike]) => `- Files of ${alike.map(({ bucket }) => `**${inline(bucket)}**`).join(', ')}: ${words}`,
  );
}

/** Returns the name of a function without its arguments, unless another function has the same name. */
function nameOf(id: string, cells: readonly RoleCell[]): string {
  const name = (each: string) => each.slice(0, each.indexOf('('));
  const isSingle = !cells.some(
    ({ operation, entity }) => operation === 'execute' && entity !== id && name(entity) === name(id),
  );
  return shownSql(isSingle ? name(id) : id);
}

/** Returns the operations on an entity: "read; add and change if [2]". */
function allowed(cells: readonly RoleCell[], isMember: boolean, conditions: Conditions): string {
  const open = cells.filter(({ verdict }) => verdict !== 'never');
  const closed = isMember ? cells.filter(({ verdict }) => verdict === 'never') : [];
  const parts = [
    ...groupBy(
      open,
      ({ verdict, words, reason }) => `${verdict}\0${words}\0${words === '' && verdict === 'when' ? reason : ''}`,
    ).values(),
  ].map((group) => {
    const [first] = group;
    return `${listWords(group.map(({ operation }) => verbs[operation]))}${first ? whenText(first, conditions) : ''}`;
  });
  if (closed.length > 0) parts.push(`not ${closed.map(({ operation }) => verbs[operation]).join(', ')}`);
  return parts.join('; ');
}

const whenText = (cell: Pick<RoleCell, 'verdict' | 'words' | 'reason'>, conditions: Conditions): string =>
  cell.verdict === 'always' ? '' : ` ${limitsText(cell, conditions).join(', ')}`;

/** Returns the transitions that name the role. */
function moves({ name }: RoleEntry, { states }: Chapters): string[] {
  return (states?.machines ?? []).flatMap(({ entity, field, transitions }) => {
    const own = transitions.filter(({ roles }) => roles?.includes(name));
    if (own.length === 0) return [];
    const list = own.map((one) => `${inline(one.name)} (to ${inline(one.to)})`);
    return [`- **${inline(shownSql(entity))}**, ${inline(field)}: ${list.join(', ')}`];
  });
}
