import { expect, it } from 'vitest';
import { around, type Box, type Edge, hubOf, within } from './graph.ts';

const box = (id: string): Box => ({
  id,
  name: id,
  figure: null,
  remark: '',
  colour: 'd-6',
  look: 'usual',
  group: null,
  says: id,
});
const edge = (from: string, to: string): Edge => ({
  id: `${from} ${to}`,
  from,
  to,
  label: '',
  figure: null,
  weight: 1,
  bad: false,
  says: '',
});
const graph = {
  boxes: ['a', 'b', 'c', 'd'].map(box),
  edges: [edge('a', 'b'), edge('b', 'c'), edge('c', 'd'), edge('b', 'b')],
  alone: '',
  ordered: false,
};

it('around returns the chosen box and its neighbours, and only the edges between boxes that it returns', () => {
  const part = around(graph, new Set(['a']));
  expect(part.boxes.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(part.edges.map(({ id }) => id)).toEqual(['a b']);
  expect(within(graph, new Set(['a', 'b'])).edges.map(({ id }) => id)).toEqual(['a b', 'b b']);
  expect(around(graph, new Set()).boxes).toEqual([]);
});

it('hubOf finds the box with the most edges, and no box in an empty graph', () => {
  expect(hubOf(graph)).toBe('b');
  expect(hubOf({ boxes: [], edges: [], alone: '', ordered: false })).toBeUndefined();
});
