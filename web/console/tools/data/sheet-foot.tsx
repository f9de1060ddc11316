import { IconRefresh } from '@tabler/icons-react';
import { Button } from '../../../ui/button.tsx';
import { Gauge, pushClass, TableFooter, wideOnlyClass } from '../../../ui/workbench.tsx';
import { ApiFailure } from '../../data/api-failure.ts';
import type { Sort } from '../../data/rows/row.ts';
import { rowsPerPage } from '../../data/rows/row-pages.ts';
import { count, milliseconds as inMilliseconds, listed } from '../../format/format.ts';
import styles from './data-page.module.css';

/** The line below the sheet: how many rows of how many, the way to more, and in what order they are. */
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
}: {
  shown: number;
  /** Of all that match; null while it is not known. */
  total: number | null;
  exact: boolean;
  /** Milliseconds of the first page; null while it is not there. */
  took: number | null;
  sort: Sort | null;
  keyed: readonly string[];
  readOnly: string | null;
  failed: Error | null;
  hasMore: boolean;
  loading: boolean;
  onMore: () => void;
  onRefresh: () => void;
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
