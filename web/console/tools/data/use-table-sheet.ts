import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Entity } from '../../../../contract/specification-entities.ts';
import type { Machine } from '../../../../contract/states.ts';
import type { GridHandle } from '../../../ui/grid/grid.tsx';
import type { Picking } from '../../../ui/grid/grid-column.ts';
import { useKeys } from '../../../ui/shortcuts/keyboard.tsx';
import { useChapter } from '../../chapters/use-chapter.ts';
import type { Filter } from '../../queries/rows/filter.ts';
import { labelField } from '../../queries/rows/labels.ts';
import { oneRow } from '../../queries/rows/one-row.ts';
import type { Table } from '../../queries/rows/rest-call.ts';
import { keyFields, keyFromText, keyOf, keyText, type RequestRole, type Row } from '../../queries/rows/row.ts';
import { type DataSearch, readSort } from './data-search.ts';
import { sheetColumn, sheetFields } from './sheet-columns.ts';
import { useRows } from './use-rows.ts';
import { useSheetState } from './use-sheet-state.ts';
import { deleteOff, insertOff } from './why-read-only.ts';

const storageKey = (ref: string, entity: string) => `ninefold-hidden-columns ${ref} ${entity}`;

function read(key: string): ReadonlySet<string> {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return new Set(Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []);
  } catch {
    return new Set();
  }
}

/** Returns and changes the hidden columns of a table, which this browser stores. */
function useHiddenColumns(ref: string, entity: string): [ReadonlySet<string>, (hidden: ReadonlySet<string>) => void] {
  const key = storageKey(ref, entity);
  const [state, setState] = useState(() => ({ key, hidden: read(key) }));
  if (state.key !== key) setState({ key, hidden: read(key) });
  const set = useCallback(
    (hidden: ReadonlySet<string>) => {
      localStorage.setItem(key, JSON.stringify([...hidden]));
      setState({ key, hidden });
    },
    [key],
  );
  return [state.hidden, set];
}

/** Changes of the address's parameters; undefined removes a parameter. */
export type SearchChange = { [K in keyof DataSearch]?: DataSearch[K] | undefined };

/** The table that a page shows, and its address. */
export interface TableProps {
  appRef: string;
  entities: readonly Entity[];
  entity: Entity;
  search: DataSearch;
  /** Must be memoised. */
  onSearch: (change: SearchChange) => void;
}

/** The rows of a table as a sheet: what is loaded, shown and selected, and the actions on it. */
export type TableSheet = ReturnType<typeof useTableSheet>;

const none: readonly Filter[] = [];

export function useTableSheet({ appRef, entities, entity, search, onSearch }: TableProps) {
  const requestRole: RequestRole = search.as ?? 'service';
  const table = useMemo<Table>(() => ({ ref: appRef, entity, requestRole }), [appRef, entity, requestRole]);
  const where = search.where ?? none;
  const sort = readSort(
    search.sort,
    entity.fields.map(({ name }) => name),
  );
  const [hidden, setHidden] = useHiddenColumns(appRef, entity.id);
  const fields = useMemo(() => sheetFields(entity, hidden), [entity, hidden]);
  const called = labelField(entity);
  const columns = useMemo(
    () => fields.map((field) => sheetColumn(entity, field, readSort(search.sort, [field.name]), called)),
    [entity, fields, search.sort, called],
  );
  const asked = useMemo(
    () =>
      search.find === undefined ? where : [...where, { field: '', operator: 'anywhere', value: search.find } as const],
    [where, search.find],
  );
  const loaded = useRows(table, entities, fields, asked, sort);
  const { query, rows, keyAt } = loaded;
  const selected = useSelectedRow(table, rows, search.row, !query.isPending);
  const machines = useMachines(appRef, entity.id);
  const [state, change] = useSheetState(`${appRef} ${entity.id} ${requestRole}`);
  const grid = useRef<GridHandle>(null);

  const openRow = (row: number) => {
    const own = keyAt(row);
    if (own) {
      change({ inserting: false });
      onSearch({ row: keyText(own) });
    }
  };
  const step = useCallback(
    (by: number) => {
      const from = selected.at >= 0 ? selected.at : state.position.row;
      const to = Math.max(0, Math.min(rows.length - 1, from + by));
      const own = keyAt(to);
      change({ position: { row: to, column: state.position.column }, inserting: false });
      if (own) onSearch({ row: keyText(own) });
    },
    [selected.at, state.position, rows.length, keyAt, change, onSearch],
  );
  const closePanel = useCallback(() => {
    change({ inserting: false });
    onSearch({ row: undefined });
    grid.current?.focus();
  }, [change, onSearch]);
  const canInsert = insertOff(entity);
  const deletion = deleteOff(entity);
  const given = { appRef, entities, entity, search, onSearch, requestRole, table, where, asked, sort };
  const shown = { hidden, setHidden, fields, columns, selected, machines, state, change, grid };
  return { ...given, ...loaded, ...shown, openRow, step, closePanel, canInsert, deletion };
}

/** Registers the keys of the page, such as I, which inserts a row. */
export function useTableKeys({ change, canInsert, step }: Pick<TableSheet, 'change' | 'canInsert' | 'step'>): void {
  const bindings = useMemo(
    () => [
      { keys: 'f', group: 'Data', does: 'Filter', run: () => change({ adding: true }) },
      {
        keys: 'i',
        group: 'Data',
        does: 'Insert a row',
        run: () => {
          if (canInsert === null) change({ inserting: true, copied: null });
        },
      },
      { keys: 'j', group: 'Data', does: 'Next row in the panel', run: () => step(1) },
      { keys: 'k', group: 'Data', does: 'Previous row in the panel', run: () => step(-1) },
    ],
    [change, canInsert, step],
  );
  useKeys(bindings);
}

/** Returns the selection of rows for deletion; undefined if the caller cannot delete rows. */
export function usePicking({ state, change, rows, key, keyAt, deletion }: TableSheet): Picking | undefined {
  const togglePick = useCallback(
    (row: number) => {
      const own = keyAt(row);
      if (own) change((before) => ({ picked: toggled(before.picked, keyText(own)) }));
    },
    [keyAt, change],
  );
  if (deletion !== null) return undefined;
  return {
    picked: (row) => {
      const own = keyAt(row);
      return own ? state.picked.has(keyText(own)) : null;
    },
    toggle: togglePick,
    all: state.picked.size === 0 ? 'none' : state.picked.size >= rows.length ? 'all' : 'some',
    toggleAll: () =>
      change({
        picked: state.picked.size > 0 ? new Set() : new Set(rows.map((row) => keyText(keyOf(row, key) ?? []))),
      }),
    name: (row) => keyAt(row)?.join(', ') ?? '',
  };
}

/** Returns the keys of the selected rows. */
export const pickedKeys = ({ state, key }: TableSheet): (readonly string[])[] =>
  [...state.picked].flatMap((text) => {
    const own = keyFromText(text, key);
    return own ? [own] : [];
  });

const toggled = (set: ReadonlySet<string>, value: string): ReadonlySet<string> => {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
};

/** Returns the state machines of an entity by field; none until the specification is loaded. */
function useMachines(appRef: string, entityId: string): ReadonlyMap<string, Machine> {
  const { chapter } = useChapter(appRef, 'states');
  return useMemo(
    () =>
      new Map(
        chapter?.machines.filter(({ entity }) => entity === entityId).map((machine) => [machine.field, machine]) ?? [],
      ),
    [chapter, entityId],
  );
}

/** Returns the row that the address names: its key, its index among the loaded rows (−1 if it is not loaded), and the row itself. */
function useSelectedRow(
  table: Table,
  rows: readonly Row[],
  text: string | undefined,
  ready: boolean,
): { key: readonly string[] | null; at: number; row: Row | null } {
  const fields = keyFields(table.entity);
  const key = text === undefined ? null : keyFromText(text, fields);
  const named = key === null ? null : keyText(key);
  const at = useMemo(
    () => (named === null ? -1 : rows.findIndex((row) => keyText(keyOf(row, keyFields(table.entity)) ?? []) === named)),
    [rows, named, table.entity],
  );
  const elsewhere = useQuery({ ...oneRow(table, key ?? []), enabled: key !== null && at < 0 && ready });
  return { key, at, row: (at >= 0 ? rows[at] : elsewhere.data) ?? null };
}
