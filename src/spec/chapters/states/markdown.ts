import type { AccountMove, AccountStates, Machine, StatesChapter } from '../../../../contract/states.ts';
import { code, count, inline, table } from '../../markdown/escape.ts';
import { defaultMoves } from './account-states.ts';

/** Returns chapter 4 in Markdown: the state machines and the states of accounts. */
export function statesMarkdown({ machines, accounts }: StatesChapter): string {
  const of =
    machines.length === 0 ? ['There is no state machine yet.'] : [`${count(machines.length, 'state machine')}.`];
  return [...of, ...machines.map(section), ...(accounts ? [accountsSection(accounts)] : [])].join('\n\n');
}

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
    `An account is ${names.slice(0, -1).join(', ')} or ${names.at(-1)}. The calls that change it are those of every app, in ${code('docs/members.md')}${own.length + missing.length === 0 ? '' : ', with these differences'}.`,
  ];
  if (own.length > 0) parts.push(table(['From', 'Call', 'To', 'If'], own.map(moveRow)));
  if (missing.length > 0) {
    parts.push(
      missing
        .map(({ call, from, to }) => `- Not here: ${code(call)}, ${stateName(from)} to ${stateName(to)}`)
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

function section(machine: Machine): string {
  const { entity, field, initial, states, transitions, problems, enforced } = machine;
  const ends = states.filter((state) => state.final && state.reached).map((state) => inline(state.name));
  const parts = [
    `### ${inline(entity)}: ${inline(field)}`,
    `${enforced ? 'Enforced on every write' : '**Not enforced on every write**'}. Initial state: ${inline(initial)}.${
      ends.length > 0 ? ` Final states: ${ends.join(', ')}.` : ''
    }`,
  ];
  if (transitions.length > 0) {
    parts.push(
      transitions.map(({ words }) => `- ${inline(words)}`).join('\n'),
      table(
        ['State', ...transitions.map((one) => inline(one.name))],
        states.map(({ name }) => [
          inline(name),
          ...transitions.map((one) => {
            const to = machine.table[name]?.[one.name] ?? null;
            return to === null ? '–' : `→ ${inline(to)}`;
          }),
        ]),
      ),
    );
    const conditions = transitions.flatMap(({ name, when }) =>
      when === null ? [] : [`- ${inline(name)}, when: ${code(when.sql)}`],
    );
    if (conditions.length > 0) parts.push(conditions.join('\n'));
  }
  if (problems.length > 0) parts.push(problems.map((problem) => `- Warning: ${inline(problem)}.`).join('\n'));
  return parts.join('\n\n');
}
