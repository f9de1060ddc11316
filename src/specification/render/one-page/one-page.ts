import { shortCell } from '../../../../contract/cell-words.ts';
import type { OnePage, OnePageLine, OnePageSection } from '../../../../contract/one-page.ts';
import type { Chapters, Specification } from '../../../../contract/specification.ts';
import type { Operation, RoleCell, RoleEntry } from '../../../../contract/specification-roles.ts';
import type { Machine } from '../../../../contract/states.ts';
import { groupBy } from '../../../catalog/group.ts';
import { machineFunctions } from '../../derive/chapters/calls/machine-functions.ts';
import { listWords, sentence } from '../../derive/words/sentence-parts.ts';
import { shownSql } from '../../derive/words/shown-sql.ts';
import { count } from '../markdown/escape.ts';
import { callersOf } from '../markdown/role-names.ts';

/** Max number of lines of a section. */
const LINES = 12;
/** Number of digits of the hash that a reader compares. */
const VERSION_DIGITS = 12;

/** Returns the specification of an app as one page. It names what belongs to this app, and leaves out what every app has. */
export function onePage({ app, hash, chapters }: Specification): OnePage {
  const { purpose } = chapters;
  const sections = [
    section('What it keeps', entityLines(chapters)),
    section('How things move on', (chapters.states?.machines ?? []).map(machineLine)),
    section('Who may do what', roleLines(chapters)),
    section('What is valid', ruleLines(chapters)),
    section('What it refuses', errorLines(chapters)),
    section('What it offers', offerLines(chapters)),
    section('What runs by itself', jobLines(chapters)),
    section('Which numbers differ from the default', limitLines(chapters)),
  ];
  return {
    ref: app.ref,
    name: purpose?.name ?? app.name,
    version: hash.slice(0, VERSION_DIGITS),
    purpose: purpose?.purpose ?? null,
    audience: purpose?.audience ?? null,
    owner: purpose?.owner ?? null,
    sections: sections.filter(({ lines }) => lines.length > 0),
  };
}

const section = (title: string, lines: readonly OnePageLine[]): OnePageSection => ({
  title,
  lines: lines.slice(0, LINES),
  more: Math.max(0, lines.length - LINES),
});

const firstSentence = (text: string): string => /^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;

/** Returns a line for each table and view that clients reach: its comment, or the number of its fields. */
const entityLines = ({ entities }: Chapters): OnePageLine[] =>
  (entities?.entities ?? [])
    .filter(({ exposed }) => exposed)
    .map(({ id, comment, fields }) => ({
      term: shownSql(id),
      words: comment ? firstSentence(comment) : count(fields.length, 'field'),
    }));

/** Describes a machine: "Starts as new. take: new to open, by agent or lead; …". */
function machineLine({ entity, field, initial, transitions }: Machine): OnePageLine {
  const moves = transitions.map(({ name, from, to, roles }) => {
    const who = roles === null ? '' : ` (${listOr(roles)})`;
    return `${name}: ${from === null ? 'any state' : listOr(from)} → ${to}${who}`;
  });
  return { term: `${shownSql(entity)}, ${field}`, words: `Starts as ${initial}. ${moves.join('; ')}.` };
}

const listOr = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

const verbs: Readonly<Record<Operation, string>> = {
  select: 'read',
  insert: 'add',
  update: 'change',
  delete: 'delete',
  execute: 'call',
};

/**
 * Returns a line for each role that policies bind. The line of a role of members has only what it may do in addition to
 * every signed-in member.
 */
function roleLines({ roles: chapter, calls }: Chapters): OnePageLine[] {
  if (!chapter) return [];
  const names = chapter.roles.flatMap(({ member_role }) => member_role ?? []);
  const machines = machineFunctions(calls);
  const cells = chapter.cells.filter(({ entity }) => !machines.has(entity));
  const ofRole = groupBy(cells, ({ role }) => role);
  const common = new Set((ofRole.get('authenticated') ?? []).map((cell) => rightOf(cell, names)));
  return chapter.roles
    .filter(({ bypasses_row_level_security }) => !bypasses_row_level_security)
    .map((role) => {
      const isMember = role.member_role !== null;
      const own = (ofRole.get(role.name) ?? []).filter((cell) => !isMember || !common.has(rightOf(cell, names)));
      const words = rightsWords(own, names);
      return { term: sentence(callersOf(role)), words: isMember ? inAddition(words, role) : words || 'Nothing.' };
    });
}

const inAddition = (words: string, { meaning }: RoleEntry): string => {
  const about = meaning === '' ? '' : `${meaning.replace(/\.$/, '')}. `;
  return words === '' ? `${about}The same as every signed-in member.` : `${about}In addition: ${words}`;
};

/** Identifies what a cell allows, to find the cells in which roles differ. */
const rightOf = (cell: RoleCell, roles: readonly string[]): string =>
  JSON.stringify([cell.entity, cell.operation, shortCell(cell, roles)]);

/** Describes cells: "read agents, topics, tickets (own); add tickets (own)." Cells that only member roles meet are left out. */
function rightsWords(cells: readonly RoleCell[], roles: readonly string[]): string {
  const open = cells.flatMap((cell) => {
    const limit = limitWords(cell, roles);
    return limit === null ? [] : [{ cell, limit }];
  });
  const parts = [...groupBy(open, ({ cell }) => cell.operation)].map(([operation, group]) => {
    const things = group.map(({ cell, limit }) => `${thingOf(cell)}${limit === '' ? '' : ` (${limit})`}`);
    return `${verbs[operation]} ${things.join(', ')}`;
  });
  return parts.length === 0 ? '' : `${parts.join('; ')}.`;
}

const thingOf = ({ entity, operation }: RoleCell): string =>
  shownSql(operation === 'execute' ? entity.slice(0, entity.indexOf('(')) : entity);

/**
 * Returns the limit of a cell without the number of its fields; an empty string for a cell without a condition on rows.
 * Returns null for a cell that allows nothing, and for one that only roles of members meet: their lines name it.
 */
function limitWords(cell: RoleCell, roles: readonly string[]): string | null {
  if (cell.verdict === 'never') return null;
  const words = (shortCell(cell, roles) ?? '')
    .replace(/(?:^|, )\d+ of \d+ fields$/, '')
    .replace(/, or by role$/, '')
    .replace(/^(?:all|yes|unless .*|by its code)$/, '');
  return /^(?:role |by role)/.test(words) ? null : words;
}

/**
 * Returns the rules that the app states itself, by entity. The comment on a check states the rule; other comments are
 * messages about a violation.
 */
function ruleLines({ rules }: Chapters): OnePageLine[] {
  const own = (rules?.rules ?? []).filter(({ kind }) => kind === 'check' || kind === 'unique' || kind === 'exclusion');
  return [...groupBy(own, ({ entity }) => entity)].map(([entity, group]) => ({
    term: shownSql(entity),
    words: [
      ...new Set(group.map(({ kind, comment, words }) => (kind === 'check' ? comment : null) ?? `${sentence(words)}.`)),
    ].join(' '),
  }));
}

/** Returns the errors that the app's own functions raise. */
const errorLines = ({ errors }: Chapters): OnePageLine[] =>
  (errors?.errors ?? [])
    .filter(({ group }) => group === 'function')
    .map(({ code, meaning }) => ({ term: code, words: meaning }));

/** Returns what members and programs get: screens, calls, functions and files. */
function offerLines({ screens, calls, entities }: Chapters): OnePageLine[] {
  const lines: OnePageLine[] = [];
  const shown = (screens?.screens ?? []).filter(({ broken }) => broken.length === 0);
  if (shown.length > 0) {
    const titles = [
      ...new Set(shown.filter(({ kind }) => kind !== 'detail' && kind !== 'form').map(({ title }) => title)),
    ];
    lines.push({ term: 'Members', words: `${count(shown.length, 'screen')}: ${few(titles)}.` });
  }
  const rows = (calls?.calls ?? []).filter(({ area }) => area === 'rest').length;
  const machines = machineFunctions(calls);
  const functions = (calls?.calls ?? []).filter(({ area, entity }) => area === 'rpc' && !machines.has(entity ?? ''));
  if (rows + functions.length > 0) {
    // A function may answer GET and POST, and several functions may have one name.
    const names = [...new Set(functions.map(({ entity }) => shownSql((entity ?? '').replace(/\(.*$/s, ''))))];
    const called = names.length === 0 ? '' : ` and ${count(names.length, 'function')}: ${few(names)}`;
    lines.push({ term: 'Programs', words: `${count(rows, 'call')} on rows${called}.` });
  }
  const buckets = (entities?.buckets ?? []).map(({ id }) => id);
  if (buckets.length > 0) lines.push({ term: 'Files', words: `${count(buckets.length, 'bucket')}: ${few(buckets)}.` });
  return lines;
}

/** Lists the first names, with the number of the remaining ones. */
const few = (names: readonly string[]): string =>
  names.length <= LINES ? listWords(names) : `${names.slice(0, LINES).join(', ')} and ${names.length - LINES} more`;

const jobLines = ({ calls }: Chapters): OnePageLine[] =>
  (calls?.jobs ?? []).filter(({ active }) => active).map(({ id, when }) => ({ term: id, words: `${sentence(when)}.` }));

/** Returns the limits that the app changes. */
const limitLines = ({ limits }: Chapters): OnePageLine[] =>
  (limits?.limits ?? [])
    .filter(({ set_in, value, default: usual }) => set_in === 'setting' && value !== usual)
    .map(({ meaning, value, unit, default: usual }) => ({
      term: value === null ? 'no limit' : `${value}${unit === 'count' ? '' : ` ${unit}`}`,
      words: `${meaning} The default is ${usual ?? 'no limit'}.`,
    }));
