import { IconUpload } from '@tabler/icons-react';
import { Button } from '../../../../ui/button.tsx';
import { Empty } from '../../../../ui/empty.tsx';
import type { Bucket } from '../../../queries/files/buckets.ts';
import styles from '../files.module.css';
import type { Uploads } from '../uploads/app-uploads.ts';
import { UploadButton } from '../uploads/upload-button.tsx';
import { lastPart } from './object-table.tsx';

/** Empty state of a bucket, of a folder, and of a search. */
export function EmptyFolder({
  bucket,
  path,
  q,
  uploads,
  onClear,
}: {
  bucket: Bucket;
  path: string;
  q: string;
  uploads: Uploads;
  onClear: () => void;
}) {
  if (q !== '') {
    return (
      <div className={styles.instead}>
        <Empty title={`No name here begins with “${q}”`}>
          <p>The search compares the beginning of names in this folder. Upper and lower case are different.</p>
          <Button onClick={onClear}>Show all</Button>
        </Empty>
      </div>
    );
  }
  return (
    <div className={styles.instead}>
      <Empty title={path === '' ? `No files in ${bucket.id} yet` : `No files in ${lastPart(path)} yet`}>
        <p>
          {path === ''
            ? 'Drop files or folders here, paste them, or choose them.'
            : 'A folder exists as long as it has files. Drop some here, paste them, or choose them.'}
          {bucket.allowed_mime_types && ` The bucket takes ${bucket.allowed_mime_types.join(', ')}.`}
        </p>
        <p>
          <UploadButton kind="first" icon={IconUpload} uploads={uploads}>
            Choose files
          </UploadButton>
        </p>
      </Empty>
    </div>
  );
}
