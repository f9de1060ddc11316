import { useEffect } from 'react';

/**
 * Brings the selected row of the page's table into sight when the selection changes: it was linked to, or stepped to. Not
 * where it was chosen in another figure, which then stays in sight.
 */
export function useInSight(selected: string | null): void {
  useEffect(() => {
    const row = selected === null ? null : document.querySelector('tr[data-selected]');
    const chosenIn = document.activeElement?.closest('figure');
    if (row && (!chosenIn || chosenIn.contains(row))) row.scrollIntoView({ block: 'nearest' });
  }, [selected]);
}
