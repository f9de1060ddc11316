import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { distinctKeys } from './distinct-keys.ts';
import styles from './table.module.css';

/** Table with lines between rows, sticky heads and no stripes. Its content consists of plain `thead`, `tbody`, `tr` and `td` elements. */
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

/** Head of a table in which every column has only a name. */
export function TableHead({
  names,
  figures = [],
  bare,
}: {
  names: readonly string[];
  /** The names of those columns that are right-aligned. */
  figures?: readonly string[];
  /** Name of one more column, which only screen readers read. */
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

/** CSS class of a row that opens its details when it is clicked. */
export const rowClass = styles.go;
/** CSS class of a row that is the heading of a group. */
export const groupClass = styles.group;

/**
 * Placeholders for rows: bars of 8 px, so that the layout does not jump when the rows are loaded. `widths` contains one
 * width in px for each column.
 */
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

/** Placeholder for a text: a bar of 8 px. */
export function Skeleton({ width }: { width: number }) {
  return <span className={styles.bar} style={{ width }} />;
}
