import { useCallback, useState } from 'react';
import type { Position } from '../../../ui/grid/move.ts';

/** What somebody does in a sheet that the address does not tell. */
export interface SheetState {
  /** The cell that has the focus. */
  position: Position;
  /** The cell that is being edited. */
  editing: Position | null;
  /** Whether the last try to save it was refused. */
  failed: boolean;
  /** The keys of the rows that are ticked. */
  picked: ReadonlySet<string>;
  /** Whether the panel holds a new row. */
  inserting: boolean;
  /** Whether the choice of a field to filter by is open. */
  adding: boolean;
  /** The keys of the rows that somebody is asked about. */
  deleting: readonly (readonly string[])[] | null;
  /** The value that was saved last: its ground fades. */
  changed: { key: string; field: string } | null;
}

export type Change = Partial<SheetState> | ((before: SheetState) => Partial<SheetState>);

const fresh: SheetState = {
  position: { row: 0, column: 0 },
  editing: null,
  failed: false,
  picked: new Set(),
  inserting: false,
  adding: false,
  deleting: null,
  changed: null,
};

/** The state of the sheet that `of` names: another table, or another caller, begins anew. */
export function useSheetState(of: string): [SheetState, (change: Change) => void] {
  const [{ of: before, state }, set] = useState({ of, state: fresh });
  if (before !== of) set({ of, state: fresh });
  const change = useCallback(
    (change: Change) =>
      set((now) => ({
        ...now,
        state: { ...now.state, ...(typeof change === 'function' ? change(now.state) : change) },
      })),
    [],
  );
  return [before === of ? state : fresh, change];
}
