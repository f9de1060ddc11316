import { IconDownload, IconPlus, IconUpload } from '@tabler/icons-react';
import { useCallback, useMemo, useRef } from 'react';
import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import type { Machine } from '../../../../contract/states.ts';
import { toCsv } from '../../../rows/csv.ts';
import { download } from '../../../rows/download.ts';
import { Button } from '../../../ui/button.tsx';
import { Grid, type GridHandle } from '../../../ui/grid/grid.tsx';
import type { Picking } from '../../../ui/grid/grid-column.ts';
import type { Position } from '../../../ui/grid/move.ts';
import { pushClass, Toolbar, Workbench } from '../../../ui/workbench.tsx';
import { useChapter } from '../../chapters/use-chapter.ts';
import type { Filter } from '../../data/rows/filter.ts';
import { labelField } from '../../data/rows/labels.ts';
import type { Table } from '../../data/rows/rest-call.ts';
import { keyFromText, keyOf, keyText, type RequestRole, type Row } from '../../data/rows/row.ts';
import { counted, entityName } from '../../format/format.ts';
import { useKeys } from '../../keys/keyboard.tsx';
import { Page } from '../../layout/page.tsx';
import { ActingNote } from './acting-note.tsx';
import { Columns } from './columns.tsx';
import styles from './data-page.module.css';
import { type DataSearch, nextSort, readSort } from './data-search.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { CellEditor } from './editor/cell-editor.tsx';
import { EntityNav } from './entity-nav.tsx';
import { Filters } from './filters/filters.tsx';
import { useHiddenColumns } from './hidden-columns.ts';
import { InsertPanel } from './panel/insert-panel.tsx';
import { RowPanel } from './panel/row-panel.tsx';
import { sheetColumn, sheetFields } from './sheet-columns.ts';
import { SheetFoot } from './sheet-foot.tsx';
import { TablePlaceholder } from './table-placeholder.tsx';
import { UndoBar } from './undo/undo-bar.tsx';
import { useCellEditing } from './use-cell-editing.ts';
import { useRows } from './use-rows.ts';
import { useSelectedRow } from './use-selected-row.ts';
import { useSheetState } from './use-sheet-state.ts';
import { CellValue } from './value.tsx';
import { ViewAsMenu } from './view-as-menu.tsx';
import { deleteOff, fieldReadOnly, insertOff, rowsReadOnly } from './why-read-only.ts';

/** Changes of the address; undefined removes a parameter. */
export type SearchChange = { [K in keyof DataSearch]?: DataSearch[K] | undefined };

const none: readonly Filter[] = [];

/** The rows of a table: the sheet with filters and order, and the panel of an existing or new row. */
export function TablePage({
  appRef,
  entities,
  entity,
  search,
  onSearch,
}: {
  appRef: string;
  entities: readonly Entity[];
  entity: Entity;
  search: DataSearch;
  /** Must be memoised. */
  onSearch: (change: SearchChange) => void;
}) {
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

  const { query, pages, rows, key, labels, keyAt, rowId } = useRows(table, entities, fields, where, sort);
  const selected = useSelectedRow(table, rows, search.row, !query.isPending);
  const machines = useMachines(appRef, entity.id);
  const [state, change] = useSheetState(`${appRef} ${entity.id} ${requestRole}`);
  const grid = useRef<GridHandle>(null);

  const cell = useCallback(
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
      const own = state.changed?.field === field.name ? keyOf(found, key) : null;
      return own && state.changed?.key === keyText(own) ? <span className={styles.changed}>{shown}</span> : shown;
    },
    [rows, fields, key, labels, machines, state.changed],
  );

  const openRow = (row: number) => {
    const own = keyAt(row);
    if (own) {
      change({ inserting: false });
      onSearch({ row: keyText(own) });
    }
  };
  const {
    open,
    openNext,
    isEditable,
    type,
    toggle,
    error: toggleError,
  } = useCellEditing({
    ...{ table, fields, rows, keyAt, change, openRow },
    isKey: (name) => key.includes(name),
  });
  const press = (at: Position) => {
    const field = fields[at.column];
    if (state.editing && !state.failed) change({ editing: null });
    if (search.row !== undefined || matchMedia('(max-width: 760px)').matches || (field && key[0] === field.name)) {
      openRow(at.row);
    } else if (at.row === state.position.row && at.column === state.position.column && isEditable(at)) open(at);
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

  const canInsert = insertOff(entity);
  const bindings = useMemo(
    () => [
      { keys: 'f', group: 'Data', does: 'Filter', run: () => change({ adding: true }) },
      {
        keys: 'i',
        group: 'Data',
        does: 'Insert a row',
        run: () => {
          if (canInsert === null) change({ inserting: true });
        },
      },
      { keys: 'j', group: 'Data', does: 'Next row in the panel', run: () => step(1) },
      { keys: 'k', group: 'Data', does: 'Previous row in the panel', run: () => step(-1) },
    ],
    [change, canInsert, step],
  );
  useKeys(bindings);

  const togglePick = useCallback(
    (row: number) => {
      const own = keyAt(row);
      if (own) change((before) => ({ picked: toggled(before.picked, keyText(own)) }));
    },
    [keyAt, change],
  );
  const deletion = deleteOff(entity);
  const picking: Picking | undefined =
    deletion === null
      ? {
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
        }
      : undefined;
  const pickedKeys = [...state.picked].flatMap((text) => {
    const own = keyFromText(text, key);
    return own ? [own] : [];
  });

  const editedField = state.editing && fields[state.editing.column];
  const editedKey = state.editing && keyAt(state.editing.row);
  const editedRow = state.editing && rows[state.editing.row];
  const closePanel = useCallback(() => {
    change({ inserting: false });
    onSearch({ row: undefined });
    grid.current?.focus();
  }, [change, onSearch]);

  const total = pages[0]?.total ?? null;
  const readOnly = rowsReadOnly(entity);

  return (
    <Page
      appRef={appRef}
      crumbs={[
        { text: 'Data', link: { to: '/app/$ref/data', params: { ref: appRef } } },
        { text: entityName(entity.schema, entity.name) },
      ]}
      fetching={query.isFetching}
      bare
      narrowPanel
      tools={
        <>
          <ActingNote appRef={appRef} requestRole={requestRole} onStop={() => onSearch({ as: undefined })} />
          Rows as seen by
          <ViewAsMenu
            appRef={appRef}
            requestRole={requestRole}
            onSeat={(next) => onSearch({ as: next === 'service' ? undefined : next })}
          />
        </>
      }
      panel={
        state.inserting ? (
          <InsertPanel
            key={entity.id}
            table={table}
            onInserted={(row) => {
              const own = row && keyOf(row, key);
              change({ inserting: false, position: { row: 0, column: 0 } });
              if (own) onSearch({ row: keyText(own) });
            }}
            onClose={closePanel}
          />
        ) : selected.row && selected.key ? (
          <RowPanel
            table={table}
            entities={entities}
            row={selected.row}
            rowKey={selected.key}
            labels={labels}
            machines={machines}
            readOnlyBecause={(field) => fieldReadOnly(entity, field)}
            onPrevious={selected.at > 0 ? () => step(-1) : undefined}
            onNext={selected.at >= 0 && selected.at < rows.length - 1 ? () => step(1) : undefined}
            onDelete={{ run: () => change({ deleting: selected.key && [selected.key] }), offBecause: deletion }}
            onClose={closePanel}
          />
        ) : undefined
      }
    >
      <Workbench
        list={<EntityNav appRef={appRef} current={entity.id} requestRole={search.as} />}
        listFirst={search.table === undefined}
      >
        <Toolbar title={entity.name}>
          <Filters
            where={where}
            fields={entity.fields}
            adding={state.adding}
            onAdding={(adding) => change({ adding })}
            onChange={(next) => onSearch({ where: next.length > 0 ? next : undefined })}
          />
          <span className={`${styles.buttons} ${pushClass}`}>
            {state.picked.size > 0 && (
              <Button small kind="danger" onClick={() => change({ deleting: pickedKeys })}>
                Delete {counted(state.picked.size, 'row')}
              </Button>
            )}
            <Columns fields={entity.fields} hidden={hidden} fixed={key} onHidden={setHidden} />
            <Button
              small
              kind="quiet"
              icon={IconDownload}
              offBecause={rows.length === 0 ? 'There is no row to export.' : null}
              onClick={() => exportRows(entity.name, fields, rows)}
            >
              Export
            </Button>
            <Button
              small
              kind="quiet"
              icon={IconUpload}
              offBecause={canInsert}
              onClick={() => onSearch({ import: true })}
            >
              Import
            </Button>
            <Button small icon={IconPlus} offBecause={canInsert} onClick={() => change({ inserting: true })}>
              Insert row
            </Button>
          </span>
        </Toolbar>
        <Grid
          key={`${entity.id} ${requestRole}`}
          ref={grid}
          label={`Rows of ${entity.name}`}
          columns={columns}
          rows={rows.length}
          totalRows={total ?? -1}
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
          onCopy={({ row, column }) => {
            const value = rows[row]?.[fields[column]?.name ?? ''];
            if (typeof value === 'string') void navigator.clipboard.writeText(value);
          }}
          {...(picking && { picking })}
          selectedRow={selected.at >= 0 ? selected.at : null}
          under={
            state.editing && editedField && editedKey && editedRow
              ? {
                  at: state.editing,
                  failed: state.failed,
                  content: (
                    <CellEditor
                      key={`${keyText(editedKey)} ${editedField.name}`}
                      {...{ table, entities }}
                      field={editedField}
                      row={editedRow}
                      rowKey={editedKey}
                      label={labels(editedField.name, editedRow[editedField.name] ?? '')}
                      machine={machines.get(editedField.name)}
                      cellWidth={columns[state.editing.column]?.width ?? 0}
                      typed={state.typed}
                      onFailed={(failed) => change({ failed })}
                      onClose={(saved, next = false) => {
                        change({
                          editing: null,
                          failed: false,
                          typed: '',
                          changed: saved ? { key: keyText(editedKey), field: editedField.name } : null,
                        });
                        grid.current?.focus();
                        if (next && state.editing) openNext(state.editing);
                      }}
                    />
                  ),
                }
              : null
          }
          instead={
            rows.length === 0 ? (
              <TablePlaceholder
                table={table}
                where={where}
                error={query.error}
                isPending={query.isPending}
                onRetry={() => void query.refetch()}
                onClear={() => onSearch({ where: undefined })}
                onInsert={canInsert === null ? () => change({ inserting: true }) : null}
              />
            ) : null
          }
        />
        <SheetFoot
          shown={rows.length}
          total={total}
          exact={pages[0]?.exact ?? true}
          took={pages[0]?.milliseconds ?? null}
          sort={sort}
          keyed={key}
          readOnly={readOnly}
          failed={toggleError ?? (rows.length > 0 ? query.error : null)}
          hasMore={query.hasNextPage}
          loading={query.isFetchingNextPage}
          onMore={() => void query.fetchNextPage()}
          onRefresh={() => void query.refetch()}
        >
          <UndoBar appRef={appRef} />
        </SheetFoot>
      </Workbench>
      {state.deleting && (
        <DeleteDialog
          table={table}
          keys={state.deleting}
          pointing={pointingNames(entity, entities)}
          onDeleted={() => {
            const gone = new Set(state.deleting?.map(keyText));
            change({ deleting: null, picked: new Set() });
            if (selected.key && gone.has(keyText(selected.key))) onSearch({ row: undefined });
          }}
          onClose={() => change({ deleting: null })}
        />
      )}
    </Page>
  );
}

const toggled = (set: ReadonlySet<string>, value: string): ReadonlySet<string> => {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
};

/** Moves the focused cell into the sheet after rows or columns were removed. */
const within = ({ row, column }: Position, rows: number, columns: number): Position => ({
  row: Math.min(row, rows - 1),
  column: Math.min(column, Math.max(0, columns - 1)),
});

/** Returns the names of the other entities that reference this entity. */
const pointingNames = (entity: Entity, entities: readonly Entity[]): string[] =>
  entities
    .filter(({ fields }) =>
      fields.some(({ references: to }) => to?.schema === entity.schema && to.entity === entity.name),
    )
    .map(({ schema, name }) => entityName(schema, name));

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

/** Saves the loaded rows with the shown fields as CSV. */
const exportRows = (name: string, fields: readonly Field[], rows: readonly Row[]): void =>
  download(
    `${name}.csv`,
    'text/csv',
    toCsv({ columns: fields, rows: rows.map((row) => fields.map((field) => row[field.name] ?? null)) }),
  );
