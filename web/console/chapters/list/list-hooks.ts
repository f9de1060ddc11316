import { type RefObject, useEffect, useRef, useState } from 'react';

/**
 * Scrolls to the selected row or cell of a table after the selection changes by a link or by stepping. Does not scroll
 * if the item was selected in a diagram, so that the diagram stays in view. If the table has not drawn the item yet,
 * scrolls once it is drawn.
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
 * Shows a long list in portions. The shown part always extends to the selected item, because a link may have selected
 * an item far down.
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
