import { type RefObject, useEffect, useRef } from 'react';

/**
 * Brings the selected row or cell of a table into sight when the selection changes: it was linked to, or stepped to. Not where it was
 * chosen in another figure, which then stays in sight. A table may draw it later than it is selected: it is waited for.
 */
export function useInSight(table: RefObject<HTMLElement | null>, selector: string, selected: string | null): void {
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
