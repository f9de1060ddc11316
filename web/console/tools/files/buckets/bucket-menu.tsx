import { Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { bytes, counted } from '../../../format/format.ts';
import { ConfirmByTyping } from '../../../forms/confirm-by-typing.tsx';
import { type Bucket, deleteBucket, emptyBucket } from '../../../queries/files/buckets.ts';
import { BucketDialog } from './bucket-dialog.tsx';

/** Menu of a bucket: the upload of a folder, its rules, and the dialogs that empty and delete it. */
export function BucketMenu({
  appRef,
  bucket,
  stored,
  onUploadFolder,
  onDeleted,
}: {
  appRef: string;
  bucket: Bucket;
  /** The objects of the bucket; undefined while they are unknown. */
  stored: { objects: number; bytes: number } | undefined;
  onUploadFolder: () => void;
  onDeleted: () => void;
}) {
  const [dialog, setDialog] = useState<'edit' | 'empty' | 'delete' | null>(null);
  const close = () => setDialog(null);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button small kind="quiet" square icon={IconDots} label={`More of ${bucket.id}`} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onUploadFolder}>Upload folder</Menu.Item>
          <Menu.Item onClick={() => setDialog('edit')}>Edit bucket</Menu.Item>
          <Menu.Item onClick={() => setDialog('empty')}>Empty bucket</Menu.Item>
          <Menu.Item onClick={() => setDialog('delete')}>Delete bucket</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'edit' && <BucketDialog appRef={appRef} bucket={bucket} onDone={close} onClose={close} />}
      {dialog === 'empty' && <EmptyDialog {...{ appRef, bucket, stored }} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog {...{ appRef, bucket, stored, onDeleted }} onClose={close} />}
    </>
  );
}

const storedWords = (stored: { objects: number; bytes: number } | undefined): string =>
  stored ? `${counted(stored.objects, 'file')}, ${bytes(stored.bytes)}` : 'all files';

function EmptyDialog({
  appRef,
  bucket: { id },
  stored,
  onClose,
}: {
  appRef: string;
  bucket: Bucket;
  stored: { objects: number; bytes: number } | undefined;
  onClose: () => void;
}) {
  const { mutate, isPending, error } = useMutation(emptyBucket(appRef));
  return (
    <ConfirmByTyping
      title={`Empty ${id}`}
      name={id}
      verb={['Empty', 'Emptying']}
      pending={isPending}
      error={error}
      onConfirm={() => mutate(id, { onSuccess: onClose })}
      onClose={onClose}
    >
      This deletes {storedWords(stored)} in <b>{id}</b>. You cannot restore them. The bucket stays.
    </ConfirmByTyping>
  );
}

/** Deletes a bucket. One with files is emptied first. */
function DeleteDialog({
  appRef,
  bucket: { id },
  stored,
  onDeleted,
  onClose,
}: {
  appRef: string;
  bucket: Bucket;
  stored: { objects: number; bytes: number } | undefined;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const emptying = useMutation(emptyBucket(appRef));
  const deleting = useMutation(deleteBucket(appRef));
  const hasFiles = stored === undefined || stored.objects > 0;
  return (
    <ConfirmByTyping
      title={`Delete ${id}`}
      name={id}
      verb={['Delete', 'Deleting']}
      pending={emptying.isPending || deleting.isPending}
      error={emptying.error ?? deleting.error}
      onConfirm={() => {
        const finish = () => deleting.mutate(id, { onSuccess: onDeleted });
        if (hasFiles) emptying.mutate(id, { onSuccess: finish });
        else finish();
      }}
      onClose={onClose}
    >
      {hasFiles ? `This deletes ${storedWords(stored)} and the bucket ` : 'This deletes the empty bucket '}
      <b>{id}</b>. Policies that name it stay. You cannot restore the files.
    </ConfirmByTyping>
  );
}
