import type { ReactNode } from 'react';
import { Figure } from '../../../ui/figure.tsx';
import { counted } from '../../format/format.ts';
import { FilterField } from './filter-field.tsx';
import { useIncrementalList } from './list-hooks.ts';
import { type ListColumn, ListTable } from './list-table.tsx';
import styles from './main-table.module.css';
import { TruncationNotice } from './truncation-notice.tsx';
import type { List } from './use-list.ts';

/** Rows that are drawn at first: more than any window shows. */
const portion = 100;

/** The main table of a chapter: a filter, a row an item, and of how many where it shows not all. */
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
  /** "Table 7.1". */
  number: string;
  caption: ReactNode;
  /** Choices of the page's own, before the filter. */
  tools?: ReactNode;
  /** The rows' name: "entity", "entities". */
  what: readonly [singular: string, plural: string];
  list: List<T>;
  columns: readonly ListColumn<T>[];
  /** What screen readers call the row, where its first cell does not say enough. */
  labelOf?: (item: T) => string;
  /** The heading that a row stands under; rows of a group come one after the other. */
  groupOf?: (item: T) => string;
  /** What is said where the page's own choices let nothing through. */
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
