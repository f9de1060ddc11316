import { IconPencil, IconPlus, IconUpload } from '@tabler/icons-react';
import { useCallback, useMemo, useRef, useState } from 'react';
import { platformSchemas } from '../../../../contract/entity-names.ts';
import { Button } from '../../../ui/button.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { useKeys } from '../../../ui/shortcuts/keyboard.tsx';
import { pushClass, Toolbar, Workbench } from '../../../ui/workbench.tsx';
import { counted, entityName } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { keyOf, keyText } from '../../queries/rows/row.ts';
import { ActingNote } from './acting-note.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import { Columns } from './columns.tsx';
import styles from './data.module.css';
import { DeleteDialog } from './delete-dialog.tsx';
import { EntityNav } from './entity-nav.tsx';
import { ExportMenu } from './export-menu.tsx';
import { Filters } from './filters/filters.tsx';
import { InsertPanel } from './panel/insert-panel.tsx';
import { RowPanel } from './panel/row-panel.tsx';
import { pointingNames } from './references.ts';
import { SheetFoot } from './sheet-foot.tsx';
import { TableGrid } from './table-grid.tsx';
import { UndoBar } from './undo/undo-bar.tsx';
import { useCellEditing } from './use-cell-editing.ts';
import { pickedKeys, type TableProps, type TableSheet, useTableKeys, useTableSheet } from './use-table-sheet.ts';
import { ViewAsMenu } from './view-as-menu.tsx';
import { fieldReadOnly, rowsReadOnly } from './why-read-only.ts';

/** The rows of a table: the sheet with filters and order, and the panel of an existing or new row. */
export function TablePage(props: TableProps) {
  const sheet = useTableSheet(props);
  useTableKeys(sheet);
  const { appRef, entity, search, onSearch, requestRole, table, query, pages, rows, key, keyAt, sort } = sheet;
  const { fields, change, openRow } = sheet;
  const editing = useCellEditing({
    ...{ table, fields, rows, keyAt, change, openRow },
    isKey: (name) => key.includes(name),
  });
  const hasPanel = sheet.state.inserting || (sheet.selected.row !== null && sheet.selected.key !== null);
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
      panel={hasPanel ? <TablePanel sheet={sheet} /> : undefined}
    >
      <Workbench
        list={<EntityNav appRef={appRef} current={entity.id} requestRole={search.as} />}
        listFirst={search.table === undefined}
      >
        <TableToolbar sheet={sheet} />
        <TableGrid sheet={sheet} editing={editing} />
        <SheetFoot
          shown={rows.length}
          total={pages[0]?.total ?? null}
          exact={pages[0]?.exact ?? true}
          took={pages[0]?.milliseconds ?? null}
          sort={sort}
          keyed={key}
          readOnly={rowsReadOnly(entity)}
          failed={editing.error ?? (rows.length > 0 ? query.error : null)}
          hasMore={query.hasNextPage}
          loading={query.isFetchingNextPage}
          onMore={() => void query.fetchNextPage()}
          onRefresh={() => void query.refetch()}
        >
          <UndoBar appRef={appRef} />
        </SheetFoot>
      </Workbench>
      <Deletion sheet={sheet} />
      <BulkChange sheet={sheet} />
    </Page>
  );
}

/** The panel of a new row or of the selected one. */
function TablePanel({ sheet }: { sheet: TableSheet }) {
  const { table, entities, entity, key, labels, machines, rows, selected, state, deletion } = sheet;
  const { change, onSearch, step, closePanel, canInsert } = sheet;
  /** Number of rows inserted with the open panel. The form of each row is a new one. */
  const [inserted, setInserted] = useState(0);
  if (state.inserting) {
    return (
      <InsertPanel
        key={`${entity.id} ${inserted}`}
        table={table}
        entities={entities}
        start={state.copied}
        onInserted={(row, isLast) => {
          change({ position: { row: 0, column: 0 }, copied: null, inserting: !isLast });
          if (!isLast) setInserted((count) => count + 1);
          const own = row && keyOf(row, key);
          if (own && isLast) onSearch({ row: keyText(own) });
        }}
        onClose={closePanel}
      />
    );
  }
  if (!selected.row || !selected.key) return null;
  return (
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
      onDuplicate={{ run: () => change({ inserting: true, copied: selected.row }), offBecause: canInsert }}
      onDelete={{ run: () => change({ deleting: selected.key && [selected.key] }), offBecause: deletion }}
      onClose={closePanel}
    />
  );
}

/** The name of the table, its filters and its buttons. */
function TableToolbar({ sheet }: { sheet: TableSheet }) {
  const { entity, where, hidden, setHidden, key, state, change, canInsert, onSearch, search } = sheet;
  const find = useCallback((text: string) => onSearch({ find: text === '' ? undefined : text }), [onSearch]);
  const field = useRef<HTMLInputElement>(null);
  useKeys(useMemo(() => [{ keys: 's', group: 'Data', does: 'Search', run: () => field.current?.focus() }], []));
  return (
    <Toolbar title={entity.name}>
      <SearchField
        ref={field}
        label={`Search ${entity.name}`}
        example="Text, number or id"
        value={search.find ?? ''}
        onSearch={find}
      />
      <Filters
        where={where}
        fields={entity.fields}
        adding={state.adding}
        onAdding={(adding) => change({ adding })}
        onChange={(next) => onSearch({ where: next.length > 0 ? next : undefined })}
      />
      <span className={`${styles.buttons} ${pushClass}`}>
        {state.picked.size > 0 && (
          <Button small offBecause={rowsReadOnly(entity)} onClick={() => change({ changing: true })}>
            Change {counted(state.picked.size, 'row')}
          </Button>
        )}
        {state.picked.size > 0 && (
          <Button small kind="danger" onClick={() => change({ deleting: pickedKeys(sheet) })}>
            Delete {counted(state.picked.size, 'row')}
          </Button>
        )}
        {entity.kind === 'table' && entity.extension === null && !platformSchemas.has(entity.schema) && (
          <Button small kind="quiet" icon={IconPencil} onClick={() => onSearch({ design: 'table', table: entity.id })}>
            Edit table
          </Button>
        )}
        <Columns fields={entity.fields} hidden={hidden} fixed={key} onHidden={setHidden} />
        <ExportMenu sheet={sheet} />
        <Button small kind="quiet" icon={IconUpload} offBecause={canInsert} onClick={() => onSearch({ import: true })}>
          Import
        </Button>
        <Button small icon={IconPlus} offBecause={canInsert} onClick={() => change({ inserting: true, copied: null })}>
          Insert row
        </Button>
      </span>
    </Toolbar>
  );
}

/** Asks before rows are deleted. */
function Deletion({ sheet: { table, entity, entities, selected, state, change, onSearch } }: { sheet: TableSheet }) {
  if (!state.deleting) return null;
  return (
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
  );
}

/** Changes one field of the selected rows. */
function BulkChange({ sheet: { table, entities, rows, key, state, machines, change } }: { sheet: TableSheet }) {
  if (!state.changing) return null;
  return (
    <BulkDialog
      table={table}
      entities={entities}
      rows={rows.filter((row) => state.picked.has(keyText(keyOf(row, key) ?? [])))}
      stateFields={new Set(machines.keys())}
      onDone={() => change({ changing: false, picked: new Set() })}
      onClose={() => change({ changing: false })}
    />
  );
}
