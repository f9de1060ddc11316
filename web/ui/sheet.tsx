import type { ReactNode } from 'react';
import styles from './sheet.module.css';

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
      <div className={styles.bar}>
        <h1 className={styles.title}>{title}</h1>
        {filters}
        {tools !== undefined && <span className={styles.tools}>{tools}</span>}
      </div>
      <div className={styles.middle}>
        {notice && <div className={styles.notice}>{notice}</div>}
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
    <div className={styles.foot}>
      <b>{shown}</b>
      {part !== undefined && part < 1 && (
        <span className={styles.gauge} aria-hidden="true">
          <span style={{ width: `${part * 100}%` }} />
        </span>
      )}
      {more && (
        <button type="button" className={styles.more} onClick={more.busy ? undefined : more.onMore}>
          {more.busy ? 'Loading' : more.word}
        </button>
      )}
      <span className={styles.remark}>{remark}</span>
    </div>
  );
}
