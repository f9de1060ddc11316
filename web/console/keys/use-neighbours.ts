import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useKeys } from './keyboard.tsx';

export interface Neighbours {
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
}

/**
 * Returns the rows before and after the chosen row, for the panel's arrows; undefined at the ends. Also binds K and J.
 * `choose` must be memoised.
 */
export function useNeighbours(
  rows: readonly { readonly id: string }[] | undefined,
  chosen: string | null,
  choose: (id: string) => void,
): Neighbours {
  const place = rows?.findIndex(({ id }) => id === chosen) ?? -1;
  const isFirst = place <= 0;
  const isLast = place < 0 || place + 1 === rows?.length;
  const go = useSteps(rows, chosen, choose);
  const neighbours = useMemo(
    (): Neighbours => ({ previous: isFirst ? undefined : () => go(-1), next: isLast ? undefined : () => go(1) }),
    [isFirst, isLast, go],
  );
  useKeys(
    useMemo(() => {
      const { previous, next } = neighbours;
      return [
        ...(next ? [{ keys: 'j', group: 'This page', does: 'Next in the panel', run: next }] : []),
        ...(previous ? [{ keys: 'k', group: 'This page', does: 'Previous in the panel', run: previous }] : []),
      ];
    }, [neighbours]),
  );
  return neighbours;
}

/**
 * Steps through the rows. A key press counts from the row that the previous press selected, even if the page does not
 * show that row yet.
 */
function useSteps(
  rows: readonly { readonly id: string }[] | undefined,
  chosen: string | null,
  choose: (id: string) => void,
): (by: 1 | -1) => void {
  const shown = useRef(rows);
  const at = useRef(chosen);
  useEffect(() => {
    shown.current = rows;
  }, [rows]);
  useEffect(() => {
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
