import { memo, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import styles from './grid.module.css';
import type { GridColumn } from './grid-column.ts';
import type { Position } from './move.ts';

/** The id of a cell within its grid, for aria-activedescendant. */
export const cellId = (grid: string, { row, column }: Position): string => `${grid}-${row}-${column}`;

/** An element that is there for the eye alone. */
export const nothing = { role: 'presentation' } as const;

/** Holds the place of rows that are not drawn. */
export function Gap({ height }: { height: number }) {
  return (
    <tr {...nothing}>
      <td {...nothing} className={styles.gap} style={{ height }} />
    </tr>
  );
}

interface GridRowProps {
  id: string;
  /** Height of the rows left out before this one, in px. */
  gap: number;
  row: number;
  height: number;
  columns: readonly GridColumn[];
  cell: (row: number, column: number) => ReactNode;
  /** The column of the cell that has the focus. */
  active: number | null;
  /** The column of the cell that something floats under. */
  ringed: number | null;
  failed: boolean;
  selected: boolean;
  /** Undefined where rows cannot be ticked, null where this one cannot. */
  picked: boolean | null | undefined;
  pickName: string;
  onPick: ((row: number) => void) | undefined;
}

/** One row of a grid. Drawn again only when something of it changed, so that scrolling costs little. */
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
