import type { AccountStates, Machine, StatesChapter } from '../../../../contract/states.ts';
import { code, count, inline, table } from '../../markdown/escape.ts';

/** Returns chapter 4 in Markdown: the state machines and the states of accounts. */
export function statesMarkdown({ machines, accounts }: StatesChapter): string {
  const of =
    machines.length === 0 ? ['There is no state machine yet.'] : [`${count(machines.length, 'state machine')}.`];
  return [...of, ...machines.map(section), ...(accounts ? [accountsSection(accounts)] : [])].join('\n\n');
}

const accountsSection = ({ states, moves }: AccountStates): string =>
  [
    '### Accounts of members',
    states.map(({ name, words }) => `- ${name}: ${inline(words)}`).join('\n'),
    table(
      ['From', 'Call', 'To', 'If'],
      moves.map(({ call, from, to, when }) => [
        from ?? 'no account',
        inline(call),
        to ?? 'no account',
        inline(when ?? ''),
      ]),
    ),
  ].join('\n\n');

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
