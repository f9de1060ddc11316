import { useMemo, useState } from 'react';
import type { PanelSteps } from '../../../ui/panel.tsx';
import { usePanelSteps } from '../../keys/use-panel-steps.ts';

/** The rows of a chapter's main table, the rows that pass its filter, and the row whose details the panel shows. */
export interface List<T> {
  /** Rows that pass the filter; undefined until the rows are loaded. */
  shown: readonly T[] | undefined;
  /** Number of rows without the filter. */
  all: number;
  filter: string;
  setFilter: (text: string) => void;
  selected: T | null;
  open: (id: string) => void;
  steps: PanelSteps;
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
  const steps = usePanelSteps(shown, chosen, choose);
  return { shown, all: kept?.length ?? 0, filter, setFilter, selected, open: choose, steps };
}

const everything = () => true;
