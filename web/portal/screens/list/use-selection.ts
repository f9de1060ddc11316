import { useCallback, useState } from 'react';
import type { PortalEntity } from '../../../../contract/portal.ts';
import type { Row } from '../../queries/rest.ts';
import { rowKey } from '../rows/row-line.tsx';

/** Maximum number of rows that can be changed at once, because the address of a request contains their keys. */
const SELECTED_ROWS = 100;

/** The rows of a list that the member has selected. */
export interface Selection {
  readonly rows: readonly Row[];
  /** True while a phone shows the boxes that select rows. */
  readonly isOn: boolean;
  readonly has: (row: Row) => boolean;
  readonly set: (row: Row, isSelected: boolean) => void;
  /** Selects exactly these rows, but at most SELECTED_ROWS. */
  readonly setAll: (rows: readonly Row[]) => void;
  readonly setOn: (isOn: boolean) => void;
}

/**
 * Stores by their keys which rows of a list are selected.
 * @param query Identifies the list. For another list, no row is selected.
 */
export function useSelection(entity: PortalEntity, query: string): Selection {
  const [{ of, selected }, setSelected] = useState({ of: query, selected: new Map<string, Row>() });
  const [isOn, setOn] = useState(false);
  const present = of === query ? selected : new Map<string, Row>();
  const set = useCallback(
    (row: Row, isSelected: boolean) =>
      setSelected((before) => {
        const next = new Map(before.of === query ? before.selected : []);
        if (isSelected && next.size < SELECTED_ROWS) next.set(rowKey(entity, row), row);
        else next.delete(rowKey(entity, row));
        return { of: query, selected: next };
      }),
    [entity, query],
  );
  return {
    rows: [...present.values()],
    isOn: isOn || present.size > 0,
    has: (row) => present.has(rowKey(entity, row)),
    set,
    setAll: (rows) =>
      setSelected({
        of: query,
        selected: new Map(rows.slice(0, SELECTED_ROWS).map((row) => [rowKey(entity, row), row])),
      }),
    setOn: (next) => {
      setOn(next);
      if (!next) setSelected({ of: query, selected: new Map() });
    },
  };
}
