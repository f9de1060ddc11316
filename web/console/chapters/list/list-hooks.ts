import { useNavigate, useSearch } from '@tanstack/react-router';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** The search parameters that name the item of a panel. */
export type Choice = 'screen' | 'entity' | 'rule' | 'cell' | 'advice' | 'call' | 'error' | 'limit' | 'version';

/**
 * Returns the selected id of the address bar, or null, and a function that changes it. Other parameters of the address
 * are unchanged.
 */
export function useSelectedId(name: Choice): readonly [chosen: string | null, choose: (id: string | null) => void] {
  const { [name]: chosen = null } = useSearch({ strict: false });
  const navigate = useNavigate();
  const choose = useCallback(
    (id: string | null) =>
      void navigate({
        to: '.',
        search: ({ [name]: _, ...others }) => (id === null ? others : { ...others, [name]: id }),
        replace: true,
        resetScroll: false,
      }),
    [navigate, name],
  );
  return [chosen, choose];
}

/**
 * Scrolls to the selected row or cell of a table after the selection changes by a link or by stepping. Does not scroll
 * if the item was selected in a diagram, so that the diagram stays in view. Waits if the table draws the item later.
 */
export function useScrollToSelected(
  table: RefObject<HTMLElement | null>,
  selector: string,
  selected: string | null,
): void {
  const sought = useRef<string | null>(null);
  useEffect(() => {
    sought.current = selected;
  }, [selected]);
  useEffect(() => {
    if (sought.current === null) return;
    const found = table.current?.querySelector(selector);
    if (!found) return;
    sought.current = null;
    const chosenIn = document.activeElement?.closest('figure');
    if (!chosenIn || chosenIn.contains(found)) found.scrollIntoView({ block: 'nearest' });
  });
}

/**
 * Shows a long list in portions, and always up to the selected item, to which a link may lead.
 * @returns the items to show, and a function that shows another portion
 */
export function useIncrementalList<T>(
  items: readonly T[],
  size: number,
  selected: number,
): { shown: readonly T[]; more: () => void } {
  const [max, setMost] = useState(size);
  const end = Math.max(max, selected + 1);
  return { shown: items.slice(0, end), more: () => setMost(end + size) };
}
