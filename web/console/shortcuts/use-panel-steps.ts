import { useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import type { PanelSteps } from '../../ui/panel.tsx';
import { useKeys } from '../../ui/shortcuts/keyboard.tsx';

/**
 * Returns the functions that close the panel of the chosen row and that open the row before or after it. Also binds K
 * and J to these rows. `choose` must be memoised; `choose(null)` closes the panel.
 */
export function usePanelSteps(
  rows: readonly { readonly id: string }[] | undefined,
  chosen: string | null,
  choose: (id: string | null) => void,
): PanelSteps {
  const place = rows?.findIndex(({ id }) => id === chosen) ?? -1;
  const isFirst = place <= 0;
  const isLast = place < 0 || place + 1 === rows?.length;
  const go = useSteps(rows, chosen, choose);
  const steps = useMemo(
    (): PanelSteps => ({
      onClose: () => choose(null),
      onPrevious: isFirst ? undefined : () => go(-1),
      onNext: isLast ? undefined : () => go(1),
    }),
    [choose, isFirst, isLast, go],
  );
  useKeys(
    useMemo(() => {
      const { onPrevious, onNext } = steps;
      return [
        ...(onNext ? [{ keys: 'j', group: 'This page', does: 'Next in the panel', run: onNext }] : []),
        ...(onPrevious ? [{ keys: 'k', group: 'This page', does: 'Previous in the panel', run: onPrevious }] : []),
      ];
    }, [steps]),
  );
  return steps;
}

/**
 * Returns the functions that go to the previous and the next row. A key press starts from the row that the previous key
 * press selected, even if the page does not show that row yet.
 */
function useSteps(
  rows: readonly { readonly id: string }[] | undefined,
  chosen: string | null,
  choose: (id: string) => void,
): (by: 1 | -1) => void {
  const shown = useRef(rows);
  const at = useRef(chosen);
  useLayoutEffect(() => {
    shown.current = rows;
  }, [rows]);
  useLayoutEffect(() => {
    at.current = chosen;
  }, [chosen]);
  return useCallback(
    (by) => {
      const from = shown.current?.findIndex(({ id }) => id === at.current) ?? -1;
      const to = from < 0 ? undefined : shown.current?.[from + by]?.id;
      if (to === undefined) return;
      at.current = to;
      choose(to);
    },
    [choose],
  );
}
