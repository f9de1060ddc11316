import { describe, expect, it } from 'vitest';
import type { Relation } from '../../../../contract/specification.ts';
import { graphOf, roundedPath } from './diagram-graph.ts';

const relation = (from: string, to: string, schema = 'public'): Relation => ({
  name: `${from}_fkey`,
  from: { schema: 'public', entity: from, fields: ['a', 'b'] },
  to: { schema, entity: to, fields: ['a', 'b'] },
  kind: 'many-to-one',
  on_delete: 'no action',
});

describe('graphOf', () => {
  const graph = graphOf({
    entities: [],
    relations: [relation('notes', 'users', 'auth'), relation('notes', 'notes')],
    sources: [],
  });

  it('has one box for each thing that a relation joins, exposed or not', () => {
    expect(graph.boxes.map(({ id, name }) => [id, name])).toEqual([
      ['public.notes', 'notes'],
      ['auth.users', 'auth.users'],
    ]);
  });

  it('has no edge without its boxes, an edge to itself included', () => {
    const ids = new Set(graph.boxes.map(({ id }) => id));
    expect(graph.edges).toHaveLength(2);
    expect(graph.edges.every(({ from, to }) => ids.has(from) && ids.has(to))).toBe(true);
    expect(graph.edges[0]?.label).toBe('a, b');
  });
});

describe('roundedPath', () => {
  it('goes straight between two points', () =>
    expect(
      roundedPath(
        [
          [0, 0],
          [9, 0],
        ],
        6,
      ),
    ).toBe('M0 0L9 0'));

  it('rounds a corner, and ends where it should', () => {
    expect(
      roundedPath(
        [
          [0, 0],
          [20, 0],
          [20, 20],
        ],
        6,
      ),
    ).toBe('M0 0L14 0Q20 0 20 6L20 20');
  });

  it('rounds less where a leg is short', () => {
    expect(
      roundedPath(
        [
          [0, 0],
          [4, 0],
          [4, 20],
        ],
        6,
      ),
    ).toBe('M0 0L2 0Q4 0 4 2L4 20');
  });

  it('survives points that fall together', () => {
    expect(
      roundedPath(
        [
          [1, 1],
          [1, 1],
          [1, 1],
        ],
        6,
      ),
    ).not.toContain('NaN');
    expect(roundedPath([], 6)).toBe('');
  });
});
