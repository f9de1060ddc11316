import { useMutation } from '@tanstack/react-query';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { counted } from '../../format/format.ts';
import { deleteRows } from '../../queries/rows/delete-rows.ts';
import type { Table } from '../../queries/rows/rest-call.ts';
import { keyFields, keyOf, type Row } from '../../queries/rows/row.ts';
import { recordChange } from '../../queries/rows/session-changes.ts';
import { deletionIsLasting, keyWords } from '../../queries/rows/undo-change.ts';
import styles from './data.module.css';
import { ServerError } from './editor/server-error.tsx';

const named = 5;

/**
 * Asks for a confirmation before rows are deleted. Names the first rows, and the entities whose referencing rows
 * PostgreSQL may also delete.
 */
export function DeleteDialog({
  table,
  keys,
  pointing,
  onDeleted,
  onClose,
}: {
  table: Table;
  keys: readonly (readonly string[])[];
  /** Names of the entities with references to this entity. */
  pointing: readonly string[];
  onDeleted: () => void;
  onClose: () => void;
}) {
  const { mutate, isPending, error, data } = useMutation(deleteRows(table));
  const words = counted(keys.length, 'row');
  const kept = data === undefined ? 0 : keys.length - data.length;
  const lasting = deletionIsLasting(table);
  return (
    <Dialog title={`Delete ${words} of ${table.entity.name}?`} onClose={onClose}>
      <div className={styles.words}>
        <p>
          {keys.slice(0, named).map((key) => (
            <code key={key.join()} className={styles.key}>
              {key.join(', ')}
            </code>
          ))}
          {keys.length > named && <span className="soft">and {keys.length - named} more</span>}
        </p>
        <p className="soft">
          {lasting === null ? 'You can undo this until you leave the console.' : `This cannot be undone: ${lasting}.`}
          {pointing.length > 0 &&
            ` Rows of ${pointing.join(', ')} may point here. Their foreign keys define the effect.`}
        </p>
      </div>
      {error && <ServerError error={error} />}
      {kept > 0 && (
        <p className={styles.kept} role="alert">
          {counted(kept, 'row was', 'rows were')} not deleted: already missing, or the policies do not allow this caller
          to delete them.
        </p>
      )}
      <div className={styles.deleteDialogButtons}>
        <Button
          kind="danger"
          busy={isPending && 'Deleting'}
          offBecause={kept > 0 ? 'All rows that you can delete are deleted.' : null}
          onClick={() =>
            mutate(keys, {
              onSuccess: (deleted) => {
                recordDeletion(table, deleted);
                if (deleted.length === keys.length) onDeleted();
              },
            })
          }
        >
          Delete {words}
        </Button>
        <Button kind="quiet" onClick={onClose} data-autofocus>
          {kept > 0 ? 'Close' : 'Cancel'}
        </Button>
      </div>
    </Dialog>
  );
}

function recordDeletion(table: Table, deleted: readonly Row[]): void {
  const fields = keyFields(table.entity);
  const rows = deleted.map((row) => ({ key: keyOf(row, fields) ?? [], before: row, after: null }));
  const [only] = rows;
  if (!only) return;
  const what = rows.length === 1 ? `Deleted row ${keyWords(only.key)}` : `Deleted ${counted(rows.length, 'row')}`;
  recordChange({ table, kind: 'delete', rows, what, how: '' });
}
