import { useCallback } from 'react';
import { Grid } from '../../../ui/grid/grid.tsx';
import type { Position } from '../../../ui/grid/move.ts';
import { keyOf, keyText } from '../../queries/rows/row.ts';
import styles from './data.module.css';
import { nextSort } from './data-search.ts';
import { CellEditor } from './editor/cell-editor.tsx';
import { TablePlaceholder } from './table-placeholder.tsx';
import type { useCellEditing } from './use-cell-editing.ts';
import { type TableSheet, usePicking } from './use-table-sheet.ts';
import { CellValue } from './value.tsx';

type Editing = ReturnType<typeof useCellEditing>;

/** The sheet of rows, with the editor of a cell. */
export function TableGrid({ sheet, editing }: { sheet: TableSheet; editing: Editing }) {
  const { entity, requestRole, search, onSearch, query, pages, rows, key, rowId, sort } = sheet;
  const { fields, columns, selected, state, change, grid, openRow } = sheet;
  const { open, isEditable, type, toggle } = editing;
  const cell = useCell(sheet);
  const picking = usePicking(sheet);
  const press = (at: Position) => {
    const field = fields[at.column];
    if (state.editing && !state.failed) change({ editing: null });
    if (search.row !== undefined || matchMedia('(max-width: 760px)').matches || (field && key[0] === field.name)) {
      openRow(at.row);
    } else if (at.row === state.position.row && at.column === state.position.column && isEditable(at)) open(at);
  };
  return (
    <Grid
      key={`${entity.id} ${requestRole}`}
      ref={grid}
      label={`Rows of ${entity.name}`}
      columns={columns}
      rows={rows.length}
      totalRows={pages[0]?.total ?? -1}
      rowId={rowId}
      cell={cell}
      position={within(state.position, rows.length, columns.length)}
      onPosition={(position) => change({ position })}
      onOpen={(at) => open(at)}
      onPress={press}
      onType={type}
      onSpace={toggle}
      onHead={(column) => {
        const head = columns[column];
        if (head?.sort) onSearch({ sort: nextSort(sort, head.id) });
      }}
      onEnd={() => {
        if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
      }}
      onCopy={({ row, column }) => {
        const value = rows[row]?.[fields[column]?.name ?? ''];
        if (typeof value === 'string') void navigator.clipboard.writeText(value);
      }}
      {...(picking && { picking })}
      selectedRow={selected.at >= 0 ? selected.at : null}
      under={state.editing && editorUnder(sheet, state.editing, editing)}
      instead={
        rows.length === 0 ? (
          <TablePlaceholder
            table={sheet.table}
            where={sheet.asked}
            error={query.error}
            isPending={query.isPending}
            onRetry={() => void query.refetch()}
            onClear={() => onSearch({ where: undefined, find: undefined })}
            onInsert={sheet.canInsert === null ? () => change({ inserting: true, copied: null }) : null}
            onImport={() => onSearch({ import: true })}
          />
        ) : null
      }
    />
  );
}

/** Returns the function that draws a cell. The last saved value is highlighted. */
function useCell({ rows, fields, key, labels, machines, state: { changed } }: TableSheet) {
  return useCallback(
    (row: number, column: number) => {
      const field = fields[column];
      const found = rows[row];
      if (!field || !found) return null;
      const value = found[field.name] ?? null;
      const shown = (
        <CellValue
          value={value}
          field={field}
          isKey={key.includes(field.name)}
          label={value === null ? undefined : labels(field.name, value)}
          machine={machines.get(field.name)}
        />
      );
      const own = changed?.field === field.name ? keyOf(found, key) : null;
      return own && changed?.key === keyText(own) ? <span className={styles.changed}>{shown}</span> : shown;
    },
    [rows, fields, key, labels, machines, changed],
  );
}

/** Returns the editor of a cell, which is shown under the cell; null if the row is not loaded. */
function editorUnder(sheet: TableSheet, at: Position, { openNext }: Editing) {
  const { table, entities, fields, rows, keyAt, labels, machines, columns, state, change, grid } = sheet;
  const field = fields[at.column];
  const rowKey = keyAt(at.row);
  const row = rows[at.row];
  if (!field || !rowKey || !row) return null;
  return {
    at,
    failed: state.failed,
    content: (
      <CellEditor
        key={`${keyText(rowKey)} ${field.name}`}
        {...{ table, entities, field, row, rowKey }}
        label={labels(field.name, row[field.name] ?? '')}
        machine={machines.get(field.name)}
        cellWidth={columns[at.column]?.width ?? 0}
        typed={state.typed}
        onFailed={(failed) => change({ failed })}
        onClose={(saved, next = false) => {
          change({
            editing: null,
            failed: false,
            typed: '',
            changed: saved ? { key: keyText(rowKey), field: field.name } : null,
          });
          grid.current?.focus();
          if (next) openNext(at);
        }}
      />
    ),
  };
}

/** Returns a position that is inside the sheet, for example after rows or columns were removed. */
const within = ({ row, column }: Position, rows: number, columns: number): Position => ({
  row: Math.min(row, rows - 1),
  column: Math.min(column, Math.max(0, columns - 1)),
});
