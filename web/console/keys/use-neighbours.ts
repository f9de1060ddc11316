import { useMemo } from 'react';
import { useKeys } from './keyboard.tsx';

export interface Neighbours {
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
}

/** The rows before and after the chosen one, for the panel's arrows; missing at the ends. Also on K and J. `choose` must be memoised. */
export function useNeighbours(
  rows: readonly { readonly id: string }[] | undefined,
  chosen: string | null,
  choose: (id: string) => void,
): Neighbours {
  const place = rows?.findIndex(({ id }) => id === chosen) ?? -1;
  const before = place > 0 ? rows?.[place - 1]?.id : undefined;
  const after = place < 0 ? undefined : rows?.[place + 1]?.id;
  const neighbours = useMemo(
    (): Neighbours => ({
      previous: before === undefined ? undefined : () => choose(before),
      next: after === undefined ? undefined : () => choose(after),
    }),
    [before, after, choose],
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
