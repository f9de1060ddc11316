import { describe, expect, it } from 'vitest';
import type { Operation, RoleCell, Verdict } from '../../../../contract/specification-roles.ts';
import { cellKey, matrixOf, step, tally } from './matrix.ts';

const cell = (entity: string, operation: Operation, role: string, verdict: Verdict = 'never'): RoleCell => ({
  entity,
  operation,
  role,
  verdict,
  words: '',
  reason: '',
  policies: [],
  columns: null,
});
const roles = ['anon', 'authenticated'].map((name) => ({
  name,
  meaning: '',
  member_role: null,
  bypasses_row_level_security: false,
}));

describe('matrixOf', () => {
  const cells = [
    cell('public.notes', 'select', 'authenticated', 'when'),
    cell('public.notes', 'select', 'anon'),
    cell('public.notes', 'insert', 'anon'),
    cell('public.notes', 'insert', 'authenticated'),
    cell('shop."Close (all)"(uuid, text)', 'execute', 'anon'),
  ];
  const groups = matrixOf({ roles, cells, policies: [], default_privileges: [], advice: [], sources: [] }, []);

  it('sorts the cells of a row by role, whatever the order of the given cells', () => {
    expect(groups[0]?.rows.map((row) => [row.operation, row.cells.map(({ role }) => role)])).toEqual([
      ['select', ['anon', 'authenticated']],
      ['insert', ['anon', 'authenticated']],
    ]);
  });

  it('omits the schema public from names, and separates functions from their arguments', () => {
    expect(groups.map(({ name, argumentTypes }) => [name, argumentTypes])).toEqual([
      ['notes', null],
      ['shop."Close (all)"', 'uuid, text'],
    ]);
  });

  it('gives each cell a unique key', () => {
    expect(new Set(cells.map(cellKey)).size).toBe(cells.length);
  });

  it('counts every cell once', () => {
    expect(tally(cells)).toEqual({ always: 0, when: 1, never: 4 });
  });
});

describe('step', () => {
  it('stops at the edges of the matrix', () => {
    expect(step('ArrowUp', [0, 1], 5, 3)).toEqual([0, 1]);
    expect(step('ArrowDown', [4, 1], 5, 3)).toEqual([4, 1]);
    expect(step('ArrowRight', [2, 2], 5, 3)).toEqual([2, 2]);
    expect(step('ArrowLeft', [2, 1], 5, 3)).toEqual([2, 0]);
    expect(step('End', [2, 0], 5, 3)).toEqual([2, 2]);
    expect(step('Home', [2, 2], 5, 3)).toEqual([2, 0]);
  });

  it('returns null for a key that does not move between cells', () => expect(step('a', [0, 0], 5, 3)).toBeNull());
});
