import type {
  AccountMove,
  AccountStates,
  Machine,
  NotificationRule,
  StatesChapter,
} from '../../../../contract/states.ts';
import { defaultMoves } from '../../derive/chapters/states/account-states.ts';
import { shownSql } from '../../derive/words/shown-sql.ts';
import type { Conditions } from './conditions.ts';
import { code, count, inline, table } from './escape.ts';

/** Returns chapter 4 in Markdown: the state machines and the states of accounts. */
export function statesMarkdown(
  { machines, accounts, notifications = [] }: StatesChapter,
  conditions: Conditions,
): string {
  const of =
    machines.length === 0 ? ['There is no state machine yet.'] : [`${count(machines.length, 'state machine')}.`];
  return [
    ...of,
    ...machines.map((machine) => section(machine, conditions)),
    ...(notifications.length > 0 ? [notificationsSection(notifications)] : []),
    ...(accounts ? [accountsSection(accounts)] : []),
  ].join('\n\n');
}

/** Returns the rules of notifications, each as a sentence. */
const notificationsSection = (rules: readonly NotificationRule[]): string =>
  [
    '### Notifications of members',
    'Nobody is told of an own change, or of a row that the member may not read.',
    rules
      .map(
        ({ words, problems }) =>
          `- ${inline(words)}.${problems.length > 0 ? ` **Warning:** ${inline(problems.join('; '))}.` : ''}`,
      )
      .join('\n'),
  ].join('\n\n');

/**
 * Returns the states of accounts. The state changes under the default settings are the same in every app, so the
 * section contains only the differences from them.
 */
function accountsSection({ states, moves }: AccountStates): string {
  const usual = new Map(defaultMoves().map((move) => [move.id, move]));
  const open = new Set(moves.map(({ id }) => id));
  const own = moves.filter(({ id, when }) => usual.get(id)?.when !== when);
  const missing = [...usual.values()].filter(({ id }) => !open.has(id));
  const names = states.map(({ name }) => name);
  const parts = [
    '### Accounts of members',
    `An account is ${names.slice(0, -1).join(', ')} or ${names.at(-1)}. The calls that change it are the same in every app${own.length + missing.length === 0 ? '' : ', with these exceptions'}: ${code('docs/members.md')}.`,
  ];
  if (own.length > 0) parts.push(table(['From', 'Call', 'To', 'If'], own.map(moveRow)));
  if (missing.length > 0) {
    parts.push(
      missing
        .map(({ call, from, to }) => `- Not possible in this app: ${code(call)} ${accountChange(from, to)}.`)
        .join('\n'),
    );
  }
  return parts.join('\n\n');
}

/** Returns a state change as a row of a table. */
export const moveRow = ({ call, from, to, when }: AccountMove): string[] => [
  stateName(from),
  code(call),
  stateName(to),
  inline(when ?? ''),
];

const stateName = (state: string | null): string => state ?? 'no account';

/** Says what a call does to an account: "creates an active account", "makes an unconfirmed account active". */
function accountChange(from: string | null, to: string | null): string {
  if (from === null) return `creates ${withArticle(to ?? '')} account`;
  return to === null ? `deletes ${withArticle(from)} account` : `makes ${withArticle(from)} account ${to}`;
}

const withArticle = (word: string): string => `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;

function section(machine: Machine, conditions: Conditions): string {
  const { entity, field, initial, states, transitions, problems, enforced } = machine;
  const ends = states.filter((state) => state.final && state.reached).map((state) => inline(state.name));
  const parts = [
    `### ${inline(shownSql(entity))}: ${inline(field)}`,
    `${enforced ? 'Enforced on every write' : '**Not enforced on every write**'}. Initial state: ${inline(initial)}.${
      ends.length > 0 ? ` Final states: ${ends.join(', ')}.` : ''
    }`,
  ];
  if (transitions.length > 0) {
    const rows = transitions.map(({ name, from, to, roles, when, requires, sets }) => [
      inline(name),
      from === null ? 'any state' : from.map(inline).join(', '),
      inline(to),
      roles === null ? 'who may change the row' : roles.map(inline).join(', '),
      when === null ? '' : `if ${conditions.mention(when.words)}`,
      changesText(requires, sets),
    ]);
    const columns = ['Transition', 'From', 'To', 'By', 'Condition', 'Fields'];
    const used = columns.map((_, i) => i < 4 || rows.some((row) => row[i] !== ''));
    const cut = (row: readonly string[]) => row.filter((_, i) => used[i]);
    parts.push(table(cut(columns), rows.map(cut)));
  }
  if (problems.length > 0) parts.push(problems.map((problem) => `- Warning: ${inline(problem)}.`).join('\n'));
  return parts.join('\n\n');
}

/** Returns the fields that a transition requires, sets and empties. */
function changesText(
  requires: Machine['transitions'][number]['requires'],
  sets: Machine['transitions'][number]['sets'],
): string {
  const isEmptied = ({ sql }: { sql: string }) => /^NULL$/i.test(shownSql(sql));
  const emptied = sets.filter(isEmptied).map(({ field }) => code(field));
  const given = sets.filter((one) => !isEmptied(one)).map(({ field, sql }) => code(`${field} = ${shownSql(sql)}`));
  return [
    ...(requires.length > 0 ? [`requires ${requires.map(code).join(', ')}`] : []),
    ...(given.length > 0 ? [`sets ${given.join(', ')}`] : []),
    ...(emptied.length > 0 ? [`empties ${emptied.join(', ')}`] : []),
  ].join('; ');
}
