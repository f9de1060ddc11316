import { describe, expect, it } from 'vitest';
import { move } from './move.ts';

const bounds = { rows: 100, columns: 5, page: 20 };

describe('move', () => {
  it('moves one cell at a time, and stops at the edges of the grid', () => {
    expect(move({ row: 3, column: 2 }, 'ArrowUp', false, bounds)).toEqual({ row: 2, column: 2 });
    expect(move({ row: 99, column: 2 }, 'ArrowDown', false, bounds)).toEqual({ row: 99, column: 2 });
    expect(move({ row: 3, column: 0 }, 'ArrowLeft', false, bounds)).toEqual({ row: 3, column: 0 });
    expect(move({ row: 3, column: 4 }, 'ArrowRight', false, bounds)).toEqual({ row: 3, column: 4 });
  });

  it('moves from the first row to the head, so that the keyboard can sort', () => {
    expect(move({ row: 0, column: 1 }, 'ArrowUp', false, bounds)).toEqual({ row: -1, column: 1 });
    expect(move({ row: -1, column: 1 }, 'ArrowDown', false, bounds)).toEqual({ row: 0, column: 1 });
    expect(move({ row: 10, column: 1 }, 'ArrowUp', true, bounds)).toEqual({ row: 0, column: 1 });
    expect(move({ row: 10, column: 1 }, 'PageUp', false, bounds)).toEqual({ row: 0, column: 1 });
  });

  it('moves to the ends of the row and of the grid, and by pages', () => {
    expect(move({ row: 7, column: 2 }, 'Home', false, bounds)).toEqual({ row: 7, column: 0 });
    expect(move({ row: 7, column: 2 }, 'End', true, bounds)).toEqual({ row: 99, column: 4 });
    expect(move({ row: 7, column: 2 }, 'Home', true, bounds)).toEqual({ row: 0, column: 0 });
    expect(move({ row: 7, column: 2 }, 'PageDown', false, bounds)).toEqual({ row: 27, column: 2 });
  });

  it('stays on the head of a grid without rows', () => {
    const empty = { ...bounds, rows: 0 };
    expect(move({ row: -1, column: 0 }, 'ArrowDown', false, empty)).toEqual({ row: -1, column: 0 });
    expect(move({ row: -1, column: 0 }, 'End', true, empty)).toEqual({ row: -1, column: 4 });
  });

  it('returns null for every other key', () => {
    expect(move({ row: 0, column: 0 }, 'Enter', false, bounds)).toBeNull();
    expect(move({ row: 0, column: 0 }, 'a', false, bounds)).toBeNull();
  });
});
