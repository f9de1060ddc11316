import type { Machine, MachineState } from '../../../../contract/states.ts';
import type { Box, Edge, Graph } from '../../diagram/graph.ts';
import { count, counted } from '../../format/format.ts';
import { span, type TransitionEdge, transitionEdges, unexplainedChanges } from './machine-words.ts';
import { colourOf } from './state-name.tsx';

/**
 * Converts a machine to boxes and edges. Boxes show the rows and the median stay, edges show the state changes. The
 * weight of an edge grows with the square root of its state changes. State changes that no transition explains are
 * marked as bad. Pure.
 */
export function machineGraph(machine: Machine): Graph {
  const ways = transitionEdges(machine);
  const passed = unexplainedChanges(machine).filter(({ from, to }) => [from, to].every((name) => has(machine, name)));
  const max = Math.max(1, ...ways.map(({ stateChanges }) => stateChanges ?? 0), ...passed.map((stray) => stray.count));
  const weight = (stateChanges: number) => 1 + 2.7 * Math.sqrt(stateChanges / max);
  return {
    boxes: [start, ...machine.states.map((state) => boxOf(machine, state))],
    edges: [
      {
        id: 'start',
        from: start.id,
        to: boxOfState(machine.initial),
        label: '',
        figure: null,
        weight: 1,
        bad: false,
        says: `Every new row starts as ${machine.initial}`,
      },
      ...ways.map((way) => edgeOf(way, weight)),
      ...passed.map(
        ({ from, to, count: times }): Edge => ({
          id: `stray ${from} ${to}`,
          from: boxOfState(from),
          to: boxOfState(to),
          label: 'without transition',
          figure: count(times),
          weight: weight(times),
          bad: true,
          says: `From ${from} to ${to} without a transition, ${counted(times, 'time')}`,
        }),
      ),
    ],
    alone: 'Without a transition',
    ordered: true,
  };
}

/** Returns the id of a state's box. */
export const boxOfState = (name: string): string => `state ${name}`;
export const stateOfBox = (id: string): string | null => (id.startsWith('state ') ? id.slice('state '.length) : null);

const has = ({ states }: Machine, name: string) => states.some((state) => state.name === name);

const start: Box = {
  id: 'start',
  name: '',
  figure: null,
  remark: '',
  colour: 'd-6',
  look: 'start',
  group: null,
  says: '',
};

function boxOf(machine: Machine, { name, final, reached }: MachineState): Box {
  const rows = machine.figures?.rows?.[name] ?? (machine.figures?.rows ? 0 : null);
  const stay = machine.figures?.median_stay_seconds[name];
  const remark = final ? 'final' : stay === undefined ? '' : span(stay);
  return {
    id: boxOfState(name),
    name,
    figure: rows === null ? null : count(rows),
    remark,
    colour: colourOf(machine, name),
    look: reached ? (final ? 'final' : 'usual') : 'unreached',
    group: null,
    says: [
      name,
      rows !== null && counted(rows, 'row'),
      stay !== undefined && !final && `stays ${remark}`,
      final && 'final',
    ]
      .filter(Boolean)
      .join(', '),
  };
}

const edgeOf = (
  { id, from, to, transition, stateChanges }: TransitionEdge,
  weight: (stateChanges: number) => number,
): Edge => ({
  id,
  from: boxOfState(from),
  to: boxOfState(to),
  label: transition.name,
  figure: stateChanges === null ? null : count(stateChanges),
  weight: weight(stateChanges ?? 0),
  bad: false,
  says: `${transition.name}, from ${from} to ${to}${stateChanges === null ? '' : `, ${counted(stateChanges, 'state change')} in 30 days`}`,
});

/** Returns the highlighted edges: the edge of the selected transition, or else all edges of the selected state. */
export function hotEdges({ edges }: Graph, state: string | null, way: string | null): ReadonlySet<string> {
  if (way !== null) return new Set([way]);
  const box = state === null ? null : boxOfState(state);
  return new Set(edges.filter(({ from, to }) => from === box || to === box).map(({ id }) => id));
}
