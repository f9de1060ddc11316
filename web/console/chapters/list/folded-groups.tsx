import { useState } from 'react';
import { count } from '../../format/format.ts';
import styles from './list.module.css';
import { type ListColumn, ListTable } from './list-table.tsx';

/** The items of a list that are in closed groups below the main table, unless the reader searches. */
export interface Folding<T> {
  /** Returns true if an item is in a closed group. */
  readonly isFolded: (item: T) => boolean;
  readonly title: string;
  /** Describes the folded items in a sentence. */
  readonly sentence: (items: readonly T[]) => string;
  readonly groupOf: (item: T) => string;
  /** Returns words that stand before the number of a group's items; an empty string for none. */
  readonly remarkOf?: (items: readonly T[]) => string;
}

interface TableOf<T> {
  items: readonly T[];
  columns: readonly ListColumn<T>[];
  selected: string | null;
  labelOf?: ((item: T) => string) | undefined;
  onOpen: (id: string) => void;
  stale: boolean;
}

/** Shows items in closed groups. A group opens by its heading, and if it contains the selected item. */
export function FoldedGroups<T extends { readonly id: string }>({
  folding: { title, sentence, groupOf, remarkOf },
  items,
  ...table
}: TableOf<T> & { folding: Folding<T> }) {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(groupOf(item), [...(groups.get(groupOf(item)) ?? []), item]);
  return (
    <section className={styles.folded} aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      <p className="soft">{sentence(items)}</p>
      {[...groups].map(([heading, members]) => (
        <Group key={heading} heading={heading} remark={remarkOf?.(members) ?? ''} items={members} {...table} />
      ))}
    </section>
  );
}

function Group<T extends { readonly id: string }>({
  heading,
  remark,
  items,
  ...table
}: TableOf<T> & { heading: string; remark: string }) {
  const [wasOpened, setOpened] = useState(false);
  const isOpen = wasOpened || items.some(({ id }) => id === table.selected);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary className={styles.summary}>
        <b>{heading}</b>{' '}
        <span className={styles.count}>
          {remark !== '' && `${remark} · `}
          {count(items.length)}
        </span>
      </summary>
      {isOpen && <ListTable label={heading} rows={items} {...table} />}
    </details>
  );
}
