import { useEffect, useState } from 'react';

/**
 * Returns the focus, when the component is unmounted, to the element that had it before. If that element is removed,
 * the page gets the focus. Does nothing if another element already has the focus.
 */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // Waits for the end of the task: the removed element that has the focus loses it only then.
      queueMicrotask(() => {
        if (document.activeElement !== document.body && document.activeElement?.isConnected) return;
        if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
        else document.getElementById('page')?.focus({ preventScroll: true });
      });
    },
    [before],
  );
}
