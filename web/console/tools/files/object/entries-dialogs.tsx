import type { Bucket } from '../../../queries/files/buckets.ts';
import type { Entry } from '../../../queries/files/objects.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { RelocateDialog } from './relocate-dialog.tsx';

/** A dialog of the page, and the entries that it is about. */
export interface EntriesDialog {
  verb: 'move' | 'copy' | 'delete';
  entries: readonly Entry[];
}

/** The dialog that deletes, moves or copies entries. */
export function EntriesDialogs({
  dialog: { verb, entries },
  onDone,
  ...place
}: {
  appRef: string;
  buckets: readonly Bucket[];
  bucket: string;
  dialog: EntriesDialog;
  /**
   * Called after the change: with the new path of the object in the panel, with null if the object is not in the bucket
   * any more, or with undefined if it is unchanged.
   */
  onDone: (moved: string | null | undefined) => void;
  onClose: () => void;
}) {
  if (verb === 'delete') return <DeleteDialog {...place} entries={entries} onDone={() => onDone(null)} />;
  return (
    <RelocateDialog {...place} {...{ verb, entries }} onDone={(moved) => onDone(verb === 'move' ? moved : undefined)} />
  );
}
