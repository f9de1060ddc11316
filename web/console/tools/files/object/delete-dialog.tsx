import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { counted } from '../../../format/format.ts';
import form from '../../../forms/form.module.css';
import { FormDialog } from '../../../forms/form-dialog.tsx';
import { type Entry, removeEntries } from '../../../queries/files/objects.ts';
import styles from '../files.module.css';
import { entriesWords } from './entries-words.ts';

/** Number of entries that the dialog names. */
const NAMED = 5;

/** Asks before objects and folders are deleted, and deletes them. */
export function DeleteDialog({
  appRef,
  bucket,
  entries,
  onDone,
  onClose,
}: {
  appRef: string;
  bucket: string;
  entries: readonly Entry[];
  onDone: () => void;
  onClose: () => void;
}) {
  const [done, setDone] = useState(0);
  const { mutate, isPending, error } = useMutation(removeEntries(appRef, bucket));
  const hasFolder = entries.some(({ kind }) => kind === 'folder');
  return (
    <FormDialog
      title={`Delete ${entriesWords(entries)}?`}
      verb={['Delete', done > 0 ? `Deleted ${counted(done, 'file')}` : 'Deleting']}
      danger
      focusesVerb
      pending={isPending}
      error={error}
      onSubmit={() => mutate({ entries, onProgress: setDone }, { onSuccess: onDone })}
      onClose={onClose}
    >
      <ul className={styles.named}>
        {entries.slice(0, NAMED).map(({ id, name }) => (
          <li key={id}>
            <code>{name}</code>
          </li>
        ))}
        {entries.length > NAMED && <li className="soft">and {entries.length - NAMED} more</li>}
      </ul>
      <p className={form.words}>
        {hasFolder && 'A folder is deleted with everything in it. '}
        You cannot restore the files. Fields of rows that name them stay.
      </p>
    </FormDialog>
  );
}
