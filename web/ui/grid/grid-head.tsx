import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { classNames } from '../class-names.ts';
import { Icon } from '../icon.tsx';
import styles from './grid.module.css';
import type { GridColumn, Picking } from './grid-column.ts';
import { cellId, nothing } from './grid-row.tsx';

/** Head of a grid: name and type of each column. A click sorts the rows. */
export function GridHead({
  id,
  columns,
  active,
  picking,
  onHead,
}: {
  id: string;
  columns: readonly GridColumn[];
  active: number | null;
  picking: Picking | undefined;
  onHead: ((column: number) => void) | undefined;
}) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {picking && (
          <th className={styles.pick}>
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label="Select all rows shown"
              checked={picking.all === 'all'}
              ref={(box) => {
                if (box) box.indeterminate = picking.all === 'some';
              }}
              onChange={picking.toggleAll}
            />
          </th>
        )}
        {columns.map((column, index) => (
          <th
            key={column.id}
            id={cellId(id, { row: -1, column: index })}
            scope="col"
            aria-sort={column.sort}
            className={classNames(
              column.numeric && 'num',
              index === 0 && styles.stick,
              active === index && styles.active,
            )}
          >
            {column.sort && onHead ? (
              <button type="button" tabIndex={-1} className={styles.order} onClick={() => onHead(index)}>
                <HeadWords column={column} />
              </button>
            ) : (
              <span className={styles.order}>
                <HeadWords column={column} />
              </span>
            )}
          </th>
        ))}
        <td {...nothing} className={styles.rest} />
      </tr>
    </thead>
  );
}

function HeadWords({ column }: { column: GridColumn }) {
  return (
    <>
      <span className="cut">{column.name}</span>
      {column.type && <span className={styles.type}>{column.type}</span>}
      {column.sort === 'ascending' && <Icon of={IconArrowUp} small />}
      {column.sort === 'descending' && <Icon of={IconArrowDown} small />}
    </>
  );
}
