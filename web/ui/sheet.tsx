import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './sheet.module.css';
import { Gauge, pushClass, TableFooter, Toolbar, wideOnlyClass } from './workbench.tsx';

/** A page that is one long list: a bar with title and tools, the list, a foot that says how much of it is in sight. */
export function Sheet({
  title,
  filters,
  tools,
  notice,
  foot,
  children,
}: {
  title: string;
  /** After the title. */
  filters?: ReactNode;
  /** At the right of the bar. */
  tools?: ReactNode;
  /** Above the list: what failed. */
  notice?: ReactNode;
  /** A SheetFoot. */
  foot: ReactNode;
  /** What scrolls by itself: a RowTable, or SheetWords. */
  children: ReactNode;
}) {
  return (
    <div className={styles.sheet}>
      <Toolbar title={title}>
        {filters}
        {tools !== undefined && <span className={pushClass}>{tools}</span>}
      </Toolbar>
      <div className={styles.middle}>
        <div>{notice}</div>
        <div className={styles.content}>{children}</div>
      </div>
      {foot}
    </div>
  );
}

/** In place of rows: words, such as an Empty. */
export function SheetWords({ children }: { children: ReactNode }) {
  return <div className={styles.words}>{children}</div>;
}

/** The foot of a sheet: "200 of 1,946 users shown", the part as a gauge, the way on, a remark at the right. */
export function SheetFoot({
  shown,
  part,
  more,
  remark,
}: {
  shown: ReactNode;
  /** 0 to 1; no gauge where all is in sight. */
  part?: number;
  /** The way on. */
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
