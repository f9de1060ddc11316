import type { Machine, StatesChapter } from '../../../contract/states.ts';
import { code, count, inline, table } from './escape.ts';

/** Chapter 4 in Markdown. */
export function statesMarkdown({ machines }: StatesChapter): string {
  if (machines.length === 0) return 'There is no state machine yet.';
  return [`${count(machines.length, 'state machine')}.`, ...machines.map(section)].join('\n\n');
}

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
