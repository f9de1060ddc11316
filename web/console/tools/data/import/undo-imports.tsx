import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RowImport } from '../../../../../contract/row-imports.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { counted, dateTime } from '../../../format/format.ts';
import { rowImports, unchangedRows, undoImport } from '../../../queries/rows/import-undo.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { ServerError } from '../editor/server-error.tsx';
import styles from './import-page.module.css';

/** Lists the imports of the last 24 hours into a table, whichever builder made them. */
export function UndoImports({
  table,
  pointing,
}: {
  table: Table;
  /** Names of the entities with references to the table. */
  pointing: readonly string[];
}) {
  const [open, setOpen] = useState<RowImport | null>(null);
  const [deleted, setDeleted] = useState<number | null>(null);
  const { data } = useQuery(rowImports(table.ref));
  const stored = data?.filter(({ entity }) => entity === table.entity.id) ?? [];
  return (
    <>
      {deleted !== null && (
        <p role="status">The import was undone: {counted(deleted, 'row was', 'rows were')} deleted.</p>
      )}
      {stored.length > 0 && (
        <ul className={styles.imports} aria-label="Imports that you can undo">
          {stored.map((one) => (
            <li key={one.id}>
              {counted(one.rows, 'row')} of {one.file}, {dateTime(one.at)}, by {one.imported_by}
              <Button small onClick={() => setOpen(one)}>
                Undo import
              </Button>
            </li>
          ))}
        </ul>
      )}
      {open && (
        <UndoDialog
          table={table}
          stored={open}
          pointing={pointing}
          onDone={(rows) => {
            setDeleted(rows);
            setOpen(null);
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

/** Shows which rows the undo of an import will delete, and asks for a confirmation. */
function UndoDialog({
  table,
  stored,
  pointing,
  onDone,
  onClose,
}: {
  table: Table;
  stored: RowImport;
  pointing: readonly string[];
  onDone: (deleted: number) => void;
  onClose: () => void;
}) {
  const { data: rows, error: unread } = useQuery({
    queryKey: ['import-undo', table.ref, stored.id],
    queryFn: ({ signal }) => unchangedRows(table, stored, signal),
    staleTime: 0,
  });
  const { mutate, isPending, error } = useMutation({ mutationFn: () => undoImport(table, stored), onSuccess: onDone });
  const kept = stored.rows - (rows ?? 0);
  const failure = error ?? unread;
  return (
    <Dialog title={`Undo the import of ${stored.file}?`} onClose={onClose}>
      <p role="status">
        {rows === undefined && !unread && 'Counting the rows …'}
        {rows !== undefined && `${counted(rows, 'row')} of ${table.entity.name} will be deleted.`}
        {rows !== undefined &&
          kept > 0 &&
          ` ${counted(kept, 'row was', 'rows were')} changed or deleted since and ${kept === 1 ? 'stays' : 'stay'}.`}
      </p>
      <p className="soft">
        Deletes as the owner of the database. Changes by triggers stay.
        {pointing.length > 0 && ` Rows of ${pointing.join(', ')} may point here. Their foreign keys define the effect.`}
      </p>
      {failure && <ServerError error={failure} />}
      <div className={styles.head}>
        <Button
          kind="danger"
          busy={isPending && 'Deleting'}
          offBecause={rows === undefined ? 'The rows are being counted.' : rows === 0 ? 'No row is unchanged.' : null}
          onClick={() => mutate()}
        >
          Delete {counted(rows ?? stored.rows, 'row')}
        </Button>
        <Button kind="quiet" onClick={onClose} data-autofocus>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
