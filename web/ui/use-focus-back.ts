import { useEffect, useState } from 'react';

/**
 * When the component is unmounted, returns the focus to the element that had it before. If that element was removed,
 * the page gets the focus. Does nothing if another element has the focus by then.
 */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // Waits until the end of the task, because only then a removed element loses the focus.
      queueMicrotask(() => {
        if (document.activeElement !== document.body && document.activeElement?.isConnected) return;
        if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
        else document.getElementById('page')?.focus({ preventScroll: true });
      });
    },
    [before],
  );
}
