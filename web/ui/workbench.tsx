import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './workbench.module.css';

/** A list at the left, the sheet or editor at its right. `listFirst`: on a phone the list is what one sees. */
export function Workbench({
  list,
  listFirst = false,
  children,
}: {
  list: ReactNode;
  listFirst?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={classNames(styles.work, listFirst && styles.listFirst)}>
      {list}
      <div className={styles.sheet}>{children}</div>
    </div>
  );
}

/** The list: groups under small headings. */
export function SideList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className={styles.list} aria-label={label}>
      <h1 className={classNames('sr', styles.phoneOnly)}>{label}</h1>
      {children}
    </nav>
  );
}

export function SideGroup({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.group}>
      <h2 className={styles.title}>{title}</h2>
      {children}
    </section>
  );
}

/** The class of an entry of the list, a link or a button; its figure has `sideFigureClass`. */
export const sideItemClass = styles.item ?? '';
export const sideFigureClass = styles.count ?? '';

/** The bar above: what it is, and what can be done with it. */
export function Toolbar({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.bar}>
      <h1 className={styles.name}>{title}</h1>
      {children}
    </div>
  );
}

/** The line below: of how many, and the way on. */
export function TableFooter({ children }: { children: ReactNode }) {
  return <div className={styles.cutLine}>{children}</div>;
}

/** How much of all is shown: 0 to 1. */
export function Gauge({ part }: { part: number }) {
  return (
    <span className={styles.gauge} aria-hidden="true">
      <i style={{ width: `${Math.max(2, Math.min(100, part * 100))}%` }} />
    </span>
  );
}

/** Pushes what follows to the right. */
export const pushClass = styles.push ?? '';
/** Not on a phone. */
export const wideOnlyClass = styles.wideOnly ?? '';
/** Only on a phone. */
export const phoneOnlyClass = styles.phoneOnly ?? '';
