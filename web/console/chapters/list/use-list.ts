import { useCallback, useMemo, useState } from 'react';
import { type Neighbours, useNeighbours } from '../../keys/use-neighbours.ts';

/** The rows of a chapter's main table: which of them are shown, and which one the panel tells of. */
export interface List<T> extends Neighbours {
  /** Those that the filter lets through; missing while nothing is known. */
  shown: readonly T[] | undefined;
  /** How many there are without the filter. */
  all: number;
  filter: string;
  setFilter: (text: string) => void;
  selected: T | null;
  open: (id: string) => void;
  close: () => void;
}

/**
 * Narrows items to those whose text holds what is typed, whatever the case, and finds the chosen one among all of
 * them. `choose`, `textOf` and `keep` must be memoised.
 */
export function useList<T extends { readonly id: string }>({
  items,
  chosen,
  choose,
  textOf,
  keep = everything,
}: {
  items: readonly T[] | undefined;
  /** Id of what the panel tells of. */
  chosen: string | null;
  choose: (id: string | null) => void;
  /** What is searched of an item. */
  textOf: (item: T) => string;
  /** What the page's own choices let through, beside the text. */
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
