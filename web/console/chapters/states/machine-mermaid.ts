import type { Machine } from '../../../../contract/states.ts';
import { transitionEdges } from './machine-words.ts';

/**
 * Writes a machine as a Mermaid `stateDiagram-v2` (mermaid.js.org/syntax/stateDiagram.html). States have generated ids,
 * because their names may contain any character. Pure.
 */
export function machineMermaid(machine: Machine): string {
  const id = (name: string) => `s${machine.states.findIndex((state) => state.name === name)}`;
  const label = (text: string) => text.replaceAll('"', "'").replaceAll(/[\s;]+/g, ' ');
  return [
    'stateDiagram-v2',
    '  direction LR',
    ...machine.states.map(({ name }) => `  state "${label(name)}" as ${id(name)}`),
    `  [*] --> ${id(machine.initial)}`,
    ...transitionEdges(machine).map(
      ({ from, to, transition }) => `  ${id(from)} --> ${id(to)} : ${label(transition.name)}`,
    ),
    ...machine.states.filter(({ final }) => final).map(({ name }) => `  ${id(name)} --> [*]`),
    '',
  ].join('\n');
}
