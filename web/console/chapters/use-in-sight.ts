import { useEffect } from 'react';

/** Brings the selected row of the page's table into sight when the selection changes: it was linked to, or stepped to. */
export function useInSight(selected: object | null): void {
  useEffect(() => {
    if (selected) document.querySelector('tr[data-selected]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
}
