import { IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Gauge, pushClass, TableFooter, wideOnlyClass } from '../../../ui/workbench.tsx';
import { count, milliseconds as inMilliseconds, listed } from '../../format/format.ts';
import { ApiFailure } from '../../queries/api-failure.ts';
import type { Sort } from '../../queries/rows/row.ts';
import { rowsPerPage } from '../../queries/rows/row-pages.ts';
import styles from './data.module.css';

/** Line below the sheet: the number of loaded rows and of all rows, a button that loads more, and the order. */
export function SheetFoot({
  shown,
  total,
  exact,
  took,
  sort,
  keyed,
  readOnly,
  failed,
  hasMore,
  loading,
  onMore,
  onRefresh,
  children,
}: {
  shown: number;
  /** Number of all matching rows; null while it is unknown. */
  total: number | null;
  exact: boolean;
  /** Duration of the first page in milliseconds; null until it is loaded. */
  took: number | null;
  sort: Sort | null;
  keyed: readonly string[];
  readOnly: string | null;
  failed: Error | null;
  hasMore: boolean;
  loading: boolean;
  onMore: () => void;
  onRefresh: () => void;
  /** Shows the last change of the session. */
  children: ReactNode;
}) {
  const next = total === null || !exact ? rowsPerPage : Math.min(rowsPerPage, total - shown);
  const order = sort
    ? `by ${sort.field}, ${sort.descending ? 'descending' : 'ascending'}`
    : keyed.length > 0
      ? `by ${listed(keyed)}`
      : 'in no order';
  return (
    <TableFooter>
      {took !== null && (
        <b>
          {count(shown)} of {exact ? '' : 'about '}
          {count(Math.max(shown, total ?? shown))} rows shown
        </b>
      )}
      {hasMore && total !== null && total > 0 && <Gauge part={shown / total} />}
      {hasMore && (
        <button type="button" className={styles.more} aria-busy={loading || undefined} onClick={onMore}>
          {loading ? 'Loading …' : `Load ${count(next)} more`}
        </button>
      )}
      {failed && (
        <span className={styles.failed} role="alert">
          {failed instanceof ApiFailure && <code>{failed.code}</code>} {failed.message}
        </span>
      )}
      {!failed && readOnly && <span className={styles.readOnly}>Read-only: {readOnly}</span>}
      {children}
      <span className={`${pushClass} ${wideOnlyClass} soft`}>
        {order}
        {took !== null && `, ${inMilliseconds(took)}`}
      </span>
      <span className={wideOnlyClass}>
        <Button small square kind="quiet" icon={IconRefresh} label="Refresh" onClick={onRefresh} />
      </span>
    </TableFooter>
  );
}
