import { memo, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import styles from './grid.module.css';
import type { GridColumn } from './grid-column.ts';
import type { Position } from './move.ts';

/** Returns the id of a cell within its grid, for aria-activedescendant. */
export const cellId = (grid: string, { row, column }: Position): string => `${grid}-${row}-${column}`;

/** Properties of an element that has no meaning for screen readers. */
export const nothing = { role: 'presentation' } as const;

/** Empty space in place of the rows that are not drawn. */
export function Gap({ height }: { height: number }) {
  return (
    <tr {...nothing}>
      <td {...nothing} className={styles.gap} style={{ height }} />
    </tr>
  );
}

interface GridRowProps {
  id: string;
  /** Height in px of the rows before this row that are not drawn. */
  gap: number;
  row: number;
  height: number;
  columns: readonly GridColumn[];
  cell: (row: number, column: number) => ReactNode;
  /** Column of the focused cell if it is in this row; otherwise null. */
  active: number | null;
  /** Column of the cell below which an element floats, if it is in this row; otherwise null. */
  ringed: number | null;
  failed: boolean;
  selected: boolean;
  /** True if the row is selected. Null if this row cannot be selected; undefined if no row of the grid can be. */
  picked: boolean | null | undefined;
  pickName: string;
  onPick: ((row: number) => void) | undefined;
}

/** Row of a grid. It is drawn again only if one of its own properties changes, so that scrolling is fast. */
export const GridRow = memo(function GridRow({
  id,
  gap,
  row,
  height,
  columns,
  cell,
  active,
  ringed,
  failed,
  selected,
  picked,
  pickName,
  onPick,
}: GridRowProps) {
  return (
    <>
      {gap > 0 && <Gap height={gap} />}
      <tr
        className={styles.row}
        aria-rowindex={row + 2}
        aria-selected={selected || picked || undefined}
        style={{ height }}
      >
        {picked !== undefined && (
          <td className={styles.pick}>
            {picked !== null && (
              <input
                type="checkbox"
                tabIndex={-1}
                aria-label={`Select ${pickName}`}
                checked={picked}
                onChange={() => onPick?.(row)}
              />
            )}
          </td>
        )}
        {columns.map((column, index) => (
          <td
            key={column.id}
            id={cellId(id, { row, column: index })}
            role={index === 0 ? 'rowheader' : 'gridcell'}
            data-row={row}
            data-column={index}
            className={classNames(
              column.numeric && 'num',
              index === 0 && styles.stick,
              active === index && styles.active,
              ringed === index && (failed ? styles.failed : styles.ringed),
            )}
          >
            {cell(row, index)}
          </td>
        ))}
        <td {...nothing} className={styles.rest} />
      </tr>
    </>
  );
});
