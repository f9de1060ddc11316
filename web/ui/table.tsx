import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './table.module.css';

/** The shell of a table: hairlines, sticky heads, no stripes. Heads and rows are plain `thead`, `tbody`, `tr`, `td`. */
export function Table({
  label,
  stale = false,
  children,
}: {
  label: string;
  /** The last known figures, shown while they cannot be renewed. */
  stale?: boolean;
  children: ReactNode;
}) {
  return (
    <table className={classNames(styles.table, stale && styles.stale)} aria-label={label}>
      {children}
    </table>
  );
}

/** The class of a row that opens something when it is pressed. */
export const rowClass = styles.go;
/** The class of a heading row that parts groups of rows. */
export const groupClass = styles.group;

/** Rows that hold the place of those to come: bars of 8 px, no jump. `widths` has one width in px a column. */
export function LoadingRows({ rows, widths }: { rows: number; widths: readonly number[] }) {
  const places = Array.from({ length: rows }, (_, place) => place);
  return places.map((place) => (
    <tr key={place}>
      {widths
        .map((width, column) => ({ width, column }))
        .map(({ width, column }) => (
          <td key={column}>
            <Skeleton width={width} />
          </td>
        ))}
    </tr>
  ));
}

/** A bar of 8 px that holds the place of a text to come. */
export function Skeleton({ width }: { width: number }) {
  return <span className={styles.bar} style={{ width }} />;
}
