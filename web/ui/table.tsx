import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { distinctKeys } from './distinct-keys.ts';
import styles from './table.module.css';

/** Table with lines, sticky heads and no stripes. Heads and rows are plain `thead`, `tbody`, `tr`, `td`. */
export function Table({
  label,
  stale = false,
  children,
}: {
  label: string;
  /** True if the figures are outdated because the last refresh failed. */
  stale?: boolean;
  children: ReactNode;
}) {
  return (
    <table className={classNames(styles.table, stale && styles.stale)} aria-label={label}>
      {children}
    </table>
  );
}

/** Head of a table whose columns have plain names. */
export function TableHead({
  names,
  figures = [],
  bare,
}: {
  names: readonly string[];
  /** The names of the columns that are right-aligned. */
  figures?: readonly string[];
  /** Name of a further column, for screen readers only. */
  bare?: string;
}) {
  const keys = distinctKeys(names);
  return (
    <thead>
      <tr>
        {names.map((name, place) => (
          <th key={keys[place]} scope="col" className={figures.includes(name) ? 'num' : undefined}>
            {name}
          </th>
        ))}
        {bare !== undefined && (
          <th scope="col">
            <span className="sr">{bare}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

/** Class of a row that opens details on a click. */
export const rowClass = styles.go;
/** Class of a heading row of a group. */
export const groupClass = styles.group;

/** Placeholders for rows: bars of 8 px, without a jump of the layout. `widths` has one width in px for each column. */
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

/** Bar of 8 px, a placeholder for a text. */
export function Skeleton({ width }: { width: number }) {
  return <span className={styles.bar} style={{ width }} />;
}
