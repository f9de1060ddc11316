import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './workbench.module.css';

/**
 * Layout with a list at the left, and a sheet or an editor at its right. With `listFirst`, a phone shows the list
 * instead of the sheet. With `wideList`, the list has room for figures.
 */
export function Workbench({
  list,
  listFirst = false,
  wideList = false,
  children,
}: {
  list: ReactNode;
  listFirst?: boolean;
  wideList?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={classNames(styles.work, listFirst && styles.listFirst, wideList && styles.wideList)}>
      {list}
      <div className={styles.sheet}>{children}</div>
    </div>
  );
}

/** List whose groups have small headings. */
export function SideList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className={styles.list} aria-label={label}>
      <h1 className={classNames('sr', styles.phoneOnly)}>{label}</h1>
      {children}
    </nav>
  );
}

/** Group of a SideList with a heading. An optional link or button is at the right of the heading. */
export function SideGroup({ title, tool, children }: { title: string; tool?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.group}>
      <div className={styles.title}>
        <h2>{title}</h2>
        {tool}
      </div>
      {children}
    </section>
  );
}

/** CSS class of an entry of the list, which is a link or a button. A figure in it has the class `sideFigureClass`. */
export const sideItemClass = styles.item ?? '';
export const sideFigureClass = styles.count ?? '';

/** Bar that contains the title and tools. */
export function Toolbar({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.bar}>
      <h1 className={styles.name}>{title}</h1>
      {children}
    </div>
  );
}

/** Line below a table, with the number of rows and a button that loads more. */
export function TableFooter({ children }: { children: ReactNode }) {
  return <div className={styles.cutLine}>{children}</div>;
}

/** Gauge that shows a ratio from 0 to 1. */
export function Gauge({ part }: { part: number }) {
  return (
    <span className={styles.gauge} aria-hidden="true">
      <i style={{ width: `${Math.max(2, Math.min(100, part * 100))}%` }} />
    </span>
  );
}

/** CSS class that moves the elements after it to the right. */
export const pushClass = styles.push ?? '';
/** Class of an element that is hidden on a phone. */
export const wideOnlyClass = styles.wideOnly ?? '';
/** Class of an element that is shown only on a phone. */
export const phoneOnlyClass = styles.phoneOnly ?? '';
