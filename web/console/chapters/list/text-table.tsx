import { type ReactNode, useDeferredValue } from 'react';
import { Figure } from '../../../ui/figure.tsx';
import { Table } from '../../../ui/table.tsx';
import styles from './list.module.css';
import { useIncrementalList } from './list-hooks.ts';
import { TruncationNotice } from './truncation-notice.tsx';

export interface WordsColumn<T> {
  name: string;
  /** `name` and `wide` are truncated; `words` takes the remaining width; `wide` is hidden in narrow tables. */
  look?: 'name' | 'words' | 'wide';
  cell: (item: T) => ReactNode;
  /** Returns the complete text of a cell that may be truncated. */
  title?: (item: T) => string;
}

/** Number of rows drawn at first: more than fit into any window. */
const portion = 100;
const beginning = 20;

/** Secondary table of a chapter: one row for each item, with a link and a description. */
export function TextTable<T>({
  number,
  caption,
  what: [label, plural],
  columns,
  rows,
  keyOf,
}: {
  /** Number of the table, for example "Table 7.2". */
  number: string;
  caption: string;
  /** Accessible name of the table, and plural name of its rows, for example "Policies" and "policies". */
  what: readonly [label: string, plural: string];
  columns: readonly WordsColumn<T>[];
  rows: readonly T[];
  keyOf: (item: T) => string;
}) {
  const { shown, more } = useIncrementalList(rows, portion, -1);
  // The table is below the main table, so only its first rows are drawn before the first paint.
  const drawn = useDeferredValue(shown, shown.slice(0, beginning));
  return (
    <Figure number={number} caption={caption}>
      <div className={styles.room}>
        <Table label={label}>
          <thead>
            <tr>
              {columns.map(({ name, look }) => (
                <th key={name} scope="col" className={look && styles[look]}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {drawn.map((item) => (
              <tr key={keyOf(item)}>
                {columns.map(({ name, look, cell, title }) => (
                  <td key={name} className={look && styles[look]} title={title?.(item)}>
                    {cell(item)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
      <TruncationNotice shown={shown.length} all={rows.length} what={plural} onMore={more} />
    </Figure>
  );
}
