import { type ReactNode, useDeferredValue } from 'react';
import { Figure } from '../../../ui/figure.tsx';
import { Table } from '../../../ui/table.tsx';
import { useIncrementalList } from './list-hooks.ts';
import styles from './text-table.module.css';
import { TruncationNotice } from './truncation-notice.tsx';

export interface WordsColumn<T> {
  name: string;
  /** `name` and `wide` are cut where they are long, `words` takes the room that is left; `wide` goes where there is less room. */
  look?: 'name' | 'words' | 'wide';
  cell: (item: T) => ReactNode;
  /** The whole of what may be cut. */
  title?: (item: T) => string;
}

/** Rows that are drawn at first: more than any window shows. */
const portion = 100;
const beginning = 20;

/** A table below a chapter's main one: a row an item, told in words and led to from its name. */
export function TextTable<T>({
  number,
  caption,
  what: [label, plural],
  columns,
  rows,
  keyOf,
}: {
  /** "Table 7.2". */
  number: string;
  caption: string;
  /** What screen readers call the table, and the rows' name in the plural: "Policies", "policies". */
  what: readonly [label: string, plural: string];
  columns: readonly WordsColumn<T>[];
  rows: readonly T[];
  keyOf: (item: T) => string;
}) {
  const { shown, more } = useIncrementalList(rows, portion, -1);
  // It stands below the main table: what of it may be in sight is painted first.
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
