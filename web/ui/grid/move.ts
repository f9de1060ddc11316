/** Position of a cell in a grid. Row −1 is the head. */
export interface Position {
  row: number;
  column: number;
}

export interface Bounds {
  rows: number;
  columns: number;
  /** Number of rows by which PageUp and PageDown move. */
  page: number;
}

/**
 * Returns the cell to which a key leads. The cell is always inside the grid. Null for a key that does not move between
 * cells (WAI-ARIA, "Grid").
 */
export function move(from: Position, key: string, withMod: boolean, { rows, columns, page }: Bounds): Position | null {
  const row = (to: number) => ({ row: Math.max(-1, Math.min(rows - 1, to)), column: from.column });
  const column = (to: number) => ({ row: from.row, column: Math.max(0, Math.min(columns - 1, to)) });
  switch (key) {
    case 'ArrowUp':
      return withMod ? row(Math.min(0, from.row)) : row(from.row - 1);
    case 'ArrowDown':
      return withMod ? row(rows - 1) : row(from.row + 1);
    case 'ArrowLeft':
      return withMod ? column(0) : column(from.column - 1);
    case 'ArrowRight':
      return withMod ? column(columns - 1) : column(from.column + 1);
    case 'Home':
      return withMod ? { row: Math.min(0, rows - 1), column: 0 } : column(0);
    case 'End':
      return withMod ? { row: rows - 1, column: columns - 1 } : column(columns - 1);
    case 'PageUp':
      return row(Math.max(Math.min(0, from.row), from.row - page));
    case 'PageDown':
      return row(from.row + page);
    default:
      return null;
  }
}
