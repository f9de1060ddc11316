import { useNavigate, useSearch } from '@tanstack/react-router';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** The search parameters that name what a panel tells of. */
type Choice = 'screen' | 'entity' | 'rule' | 'cell' | 'advice' | 'call' | 'error' | 'limit' | 'version';

/** What the address bar says is chosen, and how to choose; null for nothing. What else is in the address stays. */
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
 * Brings the selected row or cell of a table into sight when the selection changes: it was linked to, or stepped to. Not where it was
 * chosen in another figure, which then stays in sight. A table may draw it later than it is selected: it is waited for.
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
 * Shows a long list a portion at a time, and always as far as the selected item, which may have been linked to.
 *
 * @returns what to show, and what shows one portion more
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
