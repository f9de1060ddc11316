import { describe, expect, it } from 'vitest';
import type { Machine, MachineFigures, Transition } from '../../../../contract/states.ts';
import { boxOfState, hotEdges, machineGraph, stateOfBox } from './machine-graph.ts';
import { machineMermaid } from './machine-mermaid.ts';
import {
  pairsOf,
  rowsOf,
  sentenceOf,
  span,
  stateChangesOf,
  sumOf,
  transitionEdges,
  unexplainedChanges,
} from './machine-words.ts';
import { colourOf } from './state-name.tsx';

const transition = (name: string, to: string): Transition => ({
  name,
  from: null,
  to,
  roles: null,
  when: null,
  requires: [],
  sets: [],
  words: `${name}: agent may take a row to ${to}`,
});
const machine = (figures?: MachineFigures): Machine => ({
  id: 'public.tickets.status',
  entity: 'public.tickets',
  field: 'status',
  initial: 'new',
  states: [
    { name: 'new', final: false, reached: true },
    { name: 'open "now"', final: false, reached: true },
    { name: 'closed', final: true, reached: true },
    { name: 'lost', final: true, reached: false },
  ],
  transitions: [transition('take', 'open "now"'), transition('close', 'closed')],
  table: {
    new: { take: 'open "now"', close: 'closed' },
    'open "now"': { take: null, close: 'closed' },
    closed: { take: null, close: null },
    lost: { take: null, close: null },
  },
  enforced: true,
  problems: [],
  ...(figures && { figures }),
});
const live = machine({
  rows: { new: 3, closed: 1240 },
  median_stay_seconds: { new: 1320 },
  state_changes: [
    { from: null, to: 'new', transition: null, count: 50 },
    { from: 'new', to: 'open "now"', transition: 'take', count: 40 },
    { from: 'new', to: 'closed', transition: 'close', count: 10 },
    { from: 'closed', to: 'new', transition: 'reopen', count: 2 },
    { from: 'gone', to: 'new', transition: 'x', count: 1 },
  ],
});

describe('span', () => {
  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [22 * 60, '22 min'],
    [22 * 60 + 31, '22 min'],
    [3 * 3600 + 40 * 60, '3 h 40 min'],
    [19 * 3600, '19 h'],
    [98 * 3600, '4 d 2 h'],
    [12 * 86_400 + 5 * 3600, '12 d'],
  ])('formats %d seconds as %s', (seconds, words) => expect(span(seconds)).toBe(words));
});

describe('transitionEdges, unexplainedChanges, pairsOf, rowsOf and sumOf', () => {
  it('return one edge for each source state of a transition, with its state changes', () => {
    expect(transitionEdges(live).map(({ id, to, stateChanges }) => [id, to, stateChanges])).toEqual([
      ['take from new', 'open "now"', 40],
      ['close from new', 'closed', 10],
      ['close from open "now"', 'closed', 0],
    ]);
    expect(transitionEdges(machine()).map(({ stateChanges }) => stateChanges)).toEqual([null, null, null]);
  });

  it('return the state changes that no transition explains, without inserted rows', () => {
    expect(unexplainedChanges(live)).toEqual([
      { from: 'closed', to: 'new', count: 2 },
      { from: 'gone', to: 'new', count: 1 },
    ]);
  });

  it('count all pairs of different states and the allowed pairs', () =>
    expect(pairsOf(live)).toEqual({ all: 12, allowed: 3 }));

  it('add the known counts, and return null if none is known', () => {
    expect([rowsOf(live), stateChangesOf(live)]).toEqual([1243, 53]);
    expect([rowsOf(machine()), stateChangesOf(machine())]).toEqual([null, null]);
    expect(sumOf({ machines: [live, machine()], sources: [] }, rowsOf)).toBe(1243);
    expect(sumOf({ machines: [machine()], sources: [] }, rowsOf)).toBeNull();
  });
});

it('sentenceOf describes a transition in a sentence', () =>
  expect(sentenceOf(transition('close: now', 'closed'))).toBe('Agent may take a row to closed.'));

describe('machineGraph', () => {
  const graph = machineGraph(live);
  it('has a box for each state with its rows and stay, and a dot before the initial state', () => {
    expect(graph.boxes.map(({ name, figure, remark, look }) => [name, figure, remark, look])).toEqual([
      ['', null, '', 'start'],
      ['new', '3', '22 min', 'usual'],
      ['open "now"', '0', '', 'usual'],
      ['closed', '1,240', 'final', 'final'],
      ['lost', '0', 'final', 'unreached'],
    ]);
    expect(graph.edges[0]).toMatchObject({ from: 'start', to: boxOfState('new') });
    expect(stateOfBox(boxOfState('start'))).toBe('start');
    expect(stateOfBox('start')).toBeNull();
  });

  it('weights edges by the square root of their state changes, and marks unexplained edges as bad', () => {
    const weights = graph.edges.map(({ id, weight }) => [id, Number(weight.toFixed(2))]);
    expect(weights).toContainEqual(['take from new', 3.7]);
    expect(weights).toContainEqual(['close from new', 2.35]);
    expect(graph.edges.filter(({ bad }) => bad).map(({ id }) => id)).toEqual(['stray closed new']);
  });

  it('highlights only the selected edge, or else all edges of the selected state', () => {
    expect(hotEdges(graph, null, 'take from new')).toEqual(new Set(['take from new']));
    expect(hotEdges(graph, 'open "now"', null)).toEqual(new Set(['take from new', 'close from open "now"']));
  });

  it('colours final states grey, and other states differently', () => {
    expect(colourOf(live, 'closed')).toBe('d-6');
    expect(colourOf(live, 'new')).not.toBe(colourOf(live, 'open "now"'));
    expect(colourOf(live, 'gone')).toBe('d-6');
  });
});

it('machineMermaid writes a Mermaid state diagram for any names of states', () => {
  expect(machineMermaid(live)).toBe(`stateDiagram-v2
  direction LR
  state "new" as s0
  state "open 'now'" as s1
  state "closed" as s2
  state "lost" as s3
  [*] --> s0
  s0 --> s1 : take
  s0 --> s2 : close
  s1 --> s2 : close
  s2 --> [*]
  s3 --> [*]
`);
});
