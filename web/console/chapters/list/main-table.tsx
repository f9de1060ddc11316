import type { ReactNode } from 'react';
import { Figure } from '../../../ui/figure.tsx';
import { counted } from '../../format/format.ts';
import { FilterField } from './filter-field.tsx';
import styles from './list.module.css';
import { useIncrementalList } from './list-hooks.ts';
import { type ListColumn, ListTable } from './list-table.tsx';
import { TruncationNotice } from './truncation-notice.tsx';
import type { List } from './use-list.ts';

/** Number of rows drawn at first: more than fit into any window. */
const portion = 100;

/** Main table of a chapter: a filter, one row for each item, and a notice if some rows are not shown. */
export function MainTable<T extends { readonly id: string }>({
  number,
  caption,
  tools,
  what: [singular, plural],
  list,
  columns,
  labelOf,
  groupOf,
  empty,
  stale,
}: {
  /** Number of the table, for example "Table 7.1". */
  number: string;
  caption: ReactNode;
  /** Additional controls of the page, before the filter. */
  tools?: ReactNode;
  /** Singular and plural name of the rows, for example "entity" and "entities". */
  what: readonly [singular: string, plural: string];
  list: List<T>;
  columns: readonly ListColumn<T>[];
  /** Returns the accessible name of the row, if its first cell is not sufficient. */
  labelOf?: (item: T) => string;
  /** Returns the heading of a row. The rows of a group are consecutive. */
  groupOf?: (item: T) => string;
  /** Text for an empty table whose controls of the page exclude all rows. */
  empty?: string;
  stale: boolean;
}) {
  const { shown, all, filter, selected } = list;
  const { shown: portioned, more } = useIncrementalList(
    shown ?? [],
    portion,
    selected ? (shown ?? []).indexOf(selected) : -1,
  );
  return (
    <Figure
      number={number}
      caption={caption}
      tools={
        <>
          {tools}
          <FilterField label={`Filter ${plural}`} value={filter} onChange={list.setFilter} />
        </>
      }
    >
      <ListTable
        label={`${plural[0]?.toUpperCase()}${plural.slice(1)}`}
        columns={columns}
        rows={shown && portioned}
        selected={selected?.id ?? null}
        labelOf={labelOf}
        groupOf={groupOf}
        stale={stale}
        onOpen={list.open}
      />
      {shown && <TruncationNotice shown={portioned.length} all={shown.length} what={plural} onMore={more} />}
      {shown && all === 0 && empty && <p className={styles.hidden}>{empty}</p>}
      {shown && shown.length < all && (
        <p className={styles.hidden}>
          {counted(all - shown.length, singular, plural)} hidden by the filter “{filter}”.
        </p>
      )}
    </Figure>
  );
}
