import { useMemo, useState } from 'react';
import type { PanelSteps } from '../../../ui/panel.tsx';
import { usePanelSteps } from '../../shortcuts/use-panel-steps.ts';

/** The rows of a chapter's main table, the rows that pass its filter, and the row whose details the panel shows. */
export interface List<T> {
  /** Rows that pass the filter; undefined until the rows are loaded. */
  shown: readonly T[] | undefined;
  /** Number of rows without the filter. */
  all: number;
  /** Rows in closed groups below the table. The search finds them, too. */
  folded: readonly T[];
  filter: string;
  setFilter: (text: string) => void;
  selected: T | null;
  open: (id: string) => void;
  steps: PanelSteps;
}

/**
 * Filters items by the typed text, without regard to case, and finds the chosen item among all items. `choose`,
 * `textOf`, `keep` and `isFolded` must be memoised.
 */
export function useList<T extends { readonly id: string }>({
  items,
  chosen,
  choose,
  textOf,
  keep = everything,
  isFolded = nothing,
}: {
  items: readonly T[] | undefined;
  /** Id of the item in the panel. */
  chosen: string | null;
  choose: (id: string | null) => void;
  /** Returns the searchable text of an item. */
  textOf: (item: T) => string;
  /** Returns true if an item passes the page's own filters. */
  keep?: ((item: T) => boolean) | undefined;
  /** Returns true if an item is in a closed group while the filter is empty. */
  isFolded?: ((item: T) => boolean) | undefined;
}): List<T> {
  const [filter, setFilter] = useState('');
  const kept = useMemo(() => items?.filter(keep), [items, keep]);
  const text = filter.trim().toLowerCase();
  const shown = useMemo(
    () =>
      text === ''
        ? kept?.filter((item) => !isFolded(item))
        : kept?.filter((item) => textOf(item).toLowerCase().includes(text)),
    [kept, text, textOf, isFolded],
  );
  const folded = useMemo(() => (text === '' ? (kept?.filter(isFolded) ?? []) : []), [kept, text, isFolded]);
  const selected = items?.find(({ id }) => id === chosen) ?? null;
  const steps = usePanelSteps(shown, chosen, choose);
  return { shown, all: (kept?.length ?? 0) - folded.length, folded, filter, setFilter, selected, open: choose, steps };
}

const everything = () => true;
const nothing = () => false;
