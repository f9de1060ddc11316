import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { RowTable, type RowTableProps } from './row-table.tsx';
import styles from './sheet.module.css';
import { Gauge, pushClass, TableFooter, Toolbar, wideOnlyClass } from './workbench.tsx';

/** Page with one long list: a bar with title and tools, the list, and a foot with the number of shown rows. */
export function Sheet({
  title,
  filters,
  tools,
  notice,
  foot,
  children,
}: {
  title: string;
  /** Filters, which are shown after the title. */
  filters?: ReactNode;
  /** Tools at the right of the bar. */
  tools?: ReactNode;
  /** Error, which is shown above the list. */
  notice?: ReactNode;
  /** The foot of the page: a SheetFoot. */
  foot: ReactNode;
  /** The scrolling content: SheetRows, a RowTable, or SheetWords. */
  children: ReactNode;
}) {
  return (
    <div className={styles.sheet}>
      <Toolbar title={title}>
        {filters}
        {tools !== undefined && <span className={styles.tools}>{tools}</span>}
      </Toolbar>
      <div className={styles.middle}>
        <div>{notice}</div>
        <div className={styles.content}>{children}</div>
      </div>
      {foot}
    </div>
  );
}

/**
 * The rows of a sheet. Shows `empty` if there are no rows. Shows nothing if the rows could not be loaded, because the
 * notice of the sheet says why.
 */
export function SheetRows<R extends { readonly id: string }>({
  isError,
  empty,
  ...table
}: Omit<RowTableProps<R>, 'stale'> & {
  /** True if the last request for the rows failed. */
  isError: boolean;
  empty: ReactNode;
}) {
  if (table.rows?.length === 0) return <SheetWords>{empty}</SheetWords>;
  if (table.rows === undefined && isError) return null;
  return <RowTable {...table} stale={isError} />;
}

/** Text that is shown instead of rows, such as an Empty. */
export function SheetWords({ children }: { children: ReactNode }) {
  return <div className={styles.words}>{children}</div>;
}

/**
 * Foot of a sheet: a text such as "200 of 1,946 users shown", the ratio as a gauge, a button that loads more rows, and
 * a remark at the right.
 */
export function SheetFoot({
  shown,
  part,
  more,
  remark,
}: {
  shown: ReactNode;
  /** Shown rows divided by all rows, from 0 to 1; undefined if all rows are shown. */
  part?: number;
  /** The button that loads more rows; null if there are none. */
  more?: { word: string; busy: boolean; onMore: () => void } | null;
  remark?: ReactNode;
}) {
  return (
    <TableFooter>
      <b>{shown}</b>
      {part !== undefined && part < 1 && <Gauge part={part} />}
      {more && (
        <button type="button" className={styles.more} aria-busy={more.busy || undefined} onClick={more.onMore}>
          {more.busy ? 'Loading …' : more.word}
        </button>
      )}
      <span className={classNames(pushClass, wideOnlyClass, 'soft cut')}>{remark}</span>
    </TableFooter>
  );
}
