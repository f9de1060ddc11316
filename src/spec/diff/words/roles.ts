import { groupBy } from '../../group.ts';
import { type Difference, isObject, type JsonObject } from '../differences.ts';
import { matches, type Sides, type Teller, type Told } from '../teller.ts';
import { hasEntity } from './entity-there.ts';
import { restWords } from './generic.ts';
import { fewWords, flag, fromTo, items, listWords, sentence, text, texts, thing } from './values.ts';

/** Chapter 6: who may do what. Operations that change alike for a role and an entity share a sentence. */
export const rolesTeller: Teller = {
  whole: ['cells/*', 'roles/*', 'policies/*', 'advice/*'],
  tell: (differences, sides) => [
    ...differences.filter(({ path }) => matches(path, 'roles/*')).map(tellRole),
    ...tellCells(
      differences.filter(({ path }) => matches(path, 'cells/*')),
      sides,
    ),
    ...differences.filter(({ path }) => matches(path, 'policies/*')).map(tellPolicy),
    ...differences.filter(({ path }) => matches(path, 'advice/*')).map(tellAdvice),
  ],
};

/** Who calls with a role, as the subject of a sentence. */
function subject(role: string): string {
  if (role === 'anon') return 'anyone without a session';
  if (role === 'authenticated') return 'signed-in members';
  if (role === 'service_role') return 'the secret key';
  return `members with role ${role}`;
}

function tellRole(difference: Difference): Told {
  const { before, after } = difference;
  const name = text(after ?? before, 'name');
  const free = flag(after, 'bypasses_row_level_security') ? '; row-level security does not bind it' : '';
  const meaning = text(after, 'meaning');
  if (before === undefined)
    return { words: `There is a new role ${name}${meaning === '' ? '' : `: ${meaning}`}${free}.`, of: [difference] };
  if (after === undefined) return { words: `The role ${name} is gone.`, of: [difference] };
  const parts = isObject(before) && isObject(after) ? restWords(before, after, []) : [fromTo(before, after)];
  return { words: `The role ${name} has changed: ${parts.join('; ')}.`, of: [difference] };
}

interface Cell {
  difference: Difference;
  role: string;
  entity: string;
  verb: string;
  /** How it stood and stands: `never`, `always`, `when own row (…)`; null where there was or is no such cell. */
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

function tellCells(differences: readonly Difference[], sides: Sides): Told[] {
  const cells = differences.map(readCell);
  const roleIsIn = (chapters: JsonObject, role: string) =>
    items(chapters.roles, 'roles').some((one) => text(one, 'name') === role);
  const newRoles = cells.filter((cell) => cell.was === null && !roleIsIn(sides.before, cell.role));
  const goneRoles = cells.filter((cell) => cell.is === null && !roleIsIn(sides.after, cell.role));
  const rest = cells.filter((cell) => !newRoles.includes(cell) && !goneRoles.includes(cell));
  const gone = rest.filter((cell) => cell.is === null && !hasEntity(sides.after, cell.entity));
  const fresh = rest.filter((cell) => cell.was === null);
  const changed = rest.filter((cell) => !gone.includes(cell) && !fresh.includes(cell));
  return [
    ...[...groupBy(newRoles, (cell) => cell.role)].flatMap(([role, group]) => tellNewRole(role, group)),
    ...[...groupBy(goneRoles, (cell) => cell.role)].map(([role, group]) => ({
      words: `Nobody has role ${role} any more, and what it let them do.`,
      of: group.map((cell) => cell.difference),
    })),
    ...[...groupBy(gone, (cell) => cell.entity)].map(([entity, group]) => ({
      words: `What anybody might do with ${thing(entity)} is gone with it.`,
      of: group.map((cell) => cell.difference),
    })),
    ...[...groupBy(fresh, (cell) => `${cell.entity}\0${cell.role}`).values()].map(tellFresh),
    ...[...groupBy(changed, (cell) => `${cell.entity}\0${cell.role}\0${cell.was}\0${cell.is}`).values()].map(
      tellChanged,
    ),
  ];
}

function readCell(difference: Difference): Cell {
  const { before, after } = difference;
  const cell = after ?? before;
  const operation = text(cell, 'operation');
  return {
    difference,
    role: text(cell, 'role'),
    entity: text(cell, 'entity'),
    verb: verbs[operation] ?? operation,
    was: before === undefined ? null : state(before),
    is: after === undefined ? null : state(after),
  };
}

function state(cell: unknown): string {
  const verdict = text(cell, 'verdict');
  return verdict === 'when' ? `when ${text(cell, 'words')}` : verdict;
}

/** What a role may do with an entity, as the tail of a sentence: "read and add it always; change it when …". */
function extent(cells: readonly Cell[], what: string): string {
  const open = [...groupBy(cells, (cell) => cell.is ?? '')].filter(([is]) => is !== 'never');
  if (open.length === 0) return `do nothing with ${what}`;
  return open
    .map(([is, group], i) => `${listWords(group.map(({ verb }) => verb))} ${i === 0 ? what : 'it'} ${is}`)
    .join('; ');
}

function tellFresh(group: readonly Cell[]): Told {
  const [first] = group;
  const words = `${subject(first?.role ?? '')} may ${extent(group, thing(first?.entity ?? ''))}.`;
  return { words: sentence(words), of: group.map((cell) => cell.difference) };
}

/** All that a new role may do; entities with which it may do the same are told together. */
function tellNewRole(role: string, cells: readonly Cell[]): Told[] {
  const byEntity = [...groupBy(cells, (cell) => cell.entity)];
  return [...groupBy(byEntity, ([, group]) => extent(group, 'it')).values()].map((alike) => {
    const group = alike.flatMap(([, each]) => each);
    const names = fewWords(alike.map(([entity]) => thing(entity)));
    const words = `${subject(role)} may ${extent(alike[0]?.[1] ?? [], names)}.`;
    return { words: sentence(words), of: group.map((cell) => cell.difference) };
  });
}

function tellChanged(group: readonly Cell[]): Told {
  const [first] = group;
  const of = group.map((cell) => cell.difference);
  if (!first) return { words: '', of };
  const { was, is } = first;
  const who = subject(first.role);
  const what = `${listWords(group.map(({ verb }) => verb))} ${thing(first.entity)}`;
  if (was === is) {
    const why = reasonWords(first.difference);
    return { words: `Why ${who} may ${is === 'never' ? 'not ' : ''}${what} has changed: ${why}.`, of };
  }
  if (is === null) return { words: `It is no longer told whether ${who} may ${what}.`, of };
  return { words: sentence(`${who} ${verdictWords(was ?? 'never', is, what)}.`), of };
}

function verdictWords(was: string, is: string, what: string): string {
  if (is === 'never') return `may no longer ${what}${was === 'always' ? '' : ` (before: ${was})`}`;
  if (is === 'always') return `may now ${what}${was === 'never' ? '' : ` always (before: ${was})`}`;
  if (was === 'never') return `may now ${what} ${is}`;
  return was === 'always' ? `may now ${what} only ${is}` : `may now ${what} ${is} (before: ${was})`;
}

/** What of a cell changed while its verdict stayed. */
function reasonWords({ before, after }: Difference): string {
  if (!isObject(before) || !isObject(after)) return fromTo(before, after);
  if (before.reason === after.reason) return restWords(before, after, []).join('; ');
  // The reason names the policies.
  const rest = restWords(before, after, ['reason', 'policies']);
  return [`${text(after, 'reason')} (before: ${text(before, 'reason')})`, ...rest].join('; ');
}

function tellPolicy(difference: Difference): Told {
  const { before, after } = difference;
  const policy = after ?? before;
  const name = `policy ${text(policy, 'name')} of ${thing(text(policy, 'entity'))}`;
  const who = listWords(texts(policy, 'roles').map((role) => (role === 'public' ? 'everybody' : role)));
  const scope = `for ${text(policy, 'command')}, for ${who}`;
  if (before === undefined) return { words: `New ${name}, ${scope}: ${text(after, 'words')}.`, of: [difference] };
  if (after === undefined)
    return { words: `The ${name}, ${scope}, is gone: ${text(before, 'words')}.`, of: [difference] };
  if (!isObject(before) || !isObject(after))
    return { words: `The ${name} ${fromTo(before, after)}.`, of: [difference] };
  const told = ['sql'];
  const parts: string[] = [];
  if (before.words !== after.words) {
    parts.push(`it lets through ${text(after, 'words')} (before: ${text(before, 'words')})`);
    told.push('words', 'using', 'check');
  }
  parts.push(...restWords(before, after, told));
  // Every member stands in its SQL, so that comes last, and alone only.
  if (parts.length === 0) parts.push(`its SQL ${fromTo(before.sql, after.sql)}`);
  return { words: `The ${name} has changed: ${parts.join('; ')}.`, of: [difference] };
}

function tellAdvice(difference: Difference): Told {
  const { before, after } = difference;
  const about = `${text(after ?? before, 'about')} (${thing(text(after ?? before, 'on'))})`;
  if (after === undefined) return { words: `Advice that no longer holds: ${about}.`, of: [difference] };
  const is = before === undefined ? 'New advice' : 'The advice has changed';
  return { words: `${is}: ${about}. ${text(after, 'words')}`, of: [difference] };
}
