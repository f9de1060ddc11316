import { useRef } from 'react';
import type { PortalEntity, PortalField } from '../../../../contract/portal.ts';
import type { Row } from '../../queries/rest.ts';
import { LoadingLine, RowLine, rowKey, TableHead, useRowLayout } from './row-line.tsx';
import styles from './rows-table.module.css';
import { useFittingColumns } from './use-fitting-columns.ts';

/** Table of a few rows; on a phone, two lines for each row. The label field links to the row. */
export function RowsTable({
  label,
  entity,
  columns,
  rows,
  isLoading = false,
}: {
  label: string;
  entity: PortalEntity;
  columns: readonly PortalField[];
  rows: readonly Row[];
  isLoading?: boolean;
}) {
  const table = useRef<HTMLTableElement>(null);
  const layout = useFittingColumns(useRowLayout(entity, columns), table);
  return (
    <table ref={table} className={styles.rows} aria-label={label} aria-busy={isLoading}>
      <TableHead layout={layout} />
      <tbody>
        {isLoading && [1, 2, 3, 4].map((place) => <LoadingLine key={place} columns={layout.shown.length} />)}
        {rows.map((row, i) => (
          <RowLine key={entity.key.length > 0 ? rowKey(entity, row) : i} layout={layout} row={row} />
        ))}
      </tbody>
    </table>
  );
}
