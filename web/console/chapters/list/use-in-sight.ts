import { useEffect } from 'react';

/** Brings the selected row of the page's table into sight when the selection changes: it was linked to, or stepped to. */
export function useInSight(selected: string | null): void {
  useEffect(() => {
    if (selected !== null) document.querySelector('tr[data-selected]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
}
