import { useCallback, useState } from 'react';
import type { Position } from '../../../ui/grid/move.ts';
import type { Row } from '../../queries/rows/row.ts';

/** The state of a sheet that is not in the address. */
export interface SheetState {
  /** The focused cell. */
  position: Position;
  /** The cell whose editor is open; null if no editor is open. */
  editing: Position | null;
  /** The characters that opened the editor; empty if it was opened without typing a value. */
  typed: string;
  /** True if the server refused the last attempt to save the cell. */
  failed: boolean;
  /** The keys of the selected rows. */
  picked: ReadonlySet<string>;
  /** True while the panel shows a new row. */
  inserting: boolean;
  /** The row whose values a new row starts with; null for an empty one. */
  copied: Row | null;
  /** True while the choice of a field for a new filter is open. */
  adding: boolean;
  /** The keys of the rows that the deletion dialog is about; null while the dialog is closed. */
  deleting: readonly (readonly string[])[] | null;
  /** True while the dialog for a change of the selected rows is open. */
  changing: boolean;
  /** The last saved value, which the sheet highlights: key of its row and name of its field. */
  changed: { key: string; field: string } | null;
}

export type Change = Partial<SheetState> | ((before: SheetState) => Partial<SheetState>);

const fresh: SheetState = {
  position: { row: 0, column: 0 },
  editing: null,
  typed: '',
  failed: false,
  picked: new Set(),
  inserting: false,
  copied: null,
  adding: false,
  deleting: null,
  changing: false,
  changed: null,
};

/** Returns the state of the sheet that `of` identifies. For another table or caller, the state starts empty. */
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
