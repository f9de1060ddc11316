import { useCallback, useMemo, useState } from 'react';
import { type Neighbours, useNeighbours } from '../../keys/use-neighbours.ts';

/** The rows of a chapter's main table, the filtered rows, and the row of the panel. */
export interface List<T> extends Neighbours {
  /** Rows that pass the filter; undefined until the rows are loaded. */
  shown: readonly T[] | undefined;
  /** Number of rows without the filter. */
  all: number;
  filter: string;
  setFilter: (text: string) => void;
  selected: T | null;
  open: (id: string) => void;
  close: () => void;
}

/**
 * Filters items by the typed text, without regard to case, and finds the chosen item among all items. `choose`,
 * `textOf` and `keep` must be memoised.
 */
export function useList<T extends { readonly id: string }>({
  items,
  chosen,
  choose,
  textOf,
  keep = everything,
}: {
  items: readonly T[] | undefined;
  /** Id of the item in the panel. */
  chosen: string | null;
  choose: (id: string | null) => void;
  /** Returns the searchable text of an item. */
  textOf: (item: T) => string;
  /** Returns true if an item passes the page's own filters. */
  keep?: (item: T) => boolean;
}): List<T> {
  const [filter, setFilter] = useState('');
  const kept = useMemo(() => items?.filter(keep), [items, keep]);
  const shown = useMemo(() => {
    const text = filter.trim().toLowerCase();
    return text === '' ? kept : kept?.filter((item) => textOf(item).toLowerCase().includes(text));
  }, [kept, filter, textOf]);
  const selected = items?.find(({ id }) => id === chosen) ?? null;
  const close = useCallback(() => choose(null), [choose]);
  const neighbours = useNeighbours(shown, chosen, choose);
  return { ...neighbours, shown, all: kept?.length ?? 0, filter, setFilter, selected, open: choose, close };
}

const everything = () => true;
