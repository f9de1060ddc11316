import { useEffect, useState } from 'react';

/**
 * Gives the focus back, once the component goes, to what had it when it came; to the page where that has gone too. Leaves
 * it where somebody has put it meanwhile.
 */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // What held the focus inside is gone a moment later.
      queueMicrotask(() => {
        if (document.activeElement !== document.body && document.activeElement?.isConnected) return;
        if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
        else document.getElementById('page')?.focus({ preventScroll: true });
      });
    },
    [before],
  );
}
