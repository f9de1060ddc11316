import { useMemo } from 'react';
import { useKeys } from '../keys/keyboard.tsx';

export interface Neighbours {
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
}

/** The items before and after the selected one, for the panel's arrows; also on K and J. `items` must be memoised. */
export function useNeighbours<T>(items: readonly T[], selected: T | null, select: (item: T) => void): Neighbours {
  const neighbours = useMemo((): Neighbours => {
    const at = selected === null ? -1 : items.indexOf(selected);
    const before = at > 0 ? items[at - 1] : undefined;
    const after = at >= 0 ? items[at + 1] : undefined;
    return {
      previous: before === undefined ? undefined : () => select(before),
      next: after === undefined ? undefined : () => select(after),
    };
  }, [items, selected, select]);
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
