import { IconFolderPlus, IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { Tag } from '../../../../ui/tag.tsx';
import { pushClass, Toolbar, wideOnlyClass } from '../../../../ui/workbench.tsx';
import { counted } from '../../../format/format.ts';
import type { Bucket } from '../../../queries/files/buckets.ts';
import type { Entry } from '../../../queries/files/objects.ts';
import { BucketMenu } from '../buckets/bucket-menu.tsx';
import styles from '../files.module.css';
import type { EntriesDialog } from '../object/entries-dialogs.tsx';
import type { Uploads } from '../uploads/app-uploads.ts';
import { FilesField, UploadButton } from '../uploads/upload-button.tsx';
import type { FilesChange } from '../use-files-search.ts';
import { FolderDialog } from './folder-dialog.tsx';

/** Bar of a bucket: the open folder, the search, and what can be done with the folder or with the marked entries. */
export function BucketToolbar({
  appRef,
  bucket,
  path,
  stored,
  marked,
  uploads,
  onSearch,
  onDialog,
  onClear,
}: {
  appRef: string;
  bucket: Bucket;
  path: string;
  stored: { objects: number; bytes: number } | undefined;
  marked: readonly Entry[];
  uploads: Uploads;
  onSearch: (change: FilesChange) => void;
  onDialog: (dialog: EntriesDialog) => void;
  onClear: () => void;
}) {
  const [isNaming, setNaming] = useState(false);
  const folder = useRef<HTMLInputElement>(null);
  return (
    <Toolbar title={<Title appRef={appRef} bucket={bucket} path={path} />}>
      {bucket.public && <Tag>public</Tag>}
      <span className={`${pushClass} ${styles.tools}`}>
        {marked.length > 0 ? (
          <>
            <span role="status">{counted(marked.length, 'marked', 'marked')}</span>
            <Button small onClick={() => onDialog({ verb: 'move', entries: marked })}>
              Move
            </Button>
            <Button small onClick={() => onDialog({ verb: 'copy', entries: marked })}>
              Copy
            </Button>
            <Button small kind="danger" onClick={() => onDialog({ verb: 'delete', entries: marked })}>
              Delete
            </Button>
            <Button small kind="quiet" onClick={onClear}>
              Clear
            </Button>
          </>
        ) : (
          <>
            <span className={wideOnlyClass}>
              <Button small kind="quiet" icon={IconFolderPlus} onClick={() => setNaming(true)}>
                New folder
              </Button>
            </span>
            <BucketMenu
              appRef={appRef}
              bucket={bucket}
              stored={stored}
              onUploadFolder={() => folder.current?.click()}
              onDeleted={() => onSearch({ bucket: undefined, path: undefined, q: undefined, file: undefined })}
            />
            <UploadButton kind="first" icon={IconUpload} uploads={uploads}>
              Upload
            </UploadButton>
          </>
        )}
      </span>
      <FilesField ref={folder} label="Folder to upload" isFolder uploads={uploads} />
      {isNaming && (
        <FolderDialog
          onName={(name) => {
            setNaming(false);
            onSearch({ bucket: bucket.id, path: `${path}${name}/`, q: undefined, file: undefined });
          }}
          onClose={() => setNaming(false)}
        />
      )}
    </Toolbar>
  );
}

/** The bucket and the folders that lead to the open one. */
function Title({ appRef, bucket: { id }, path }: { appRef: string; bucket: Bucket; path: string }) {
  const folders = path.split('/').slice(0, -1);
  if (folders.length === 0) return id;
  return (
    <span className={styles.path}>
      <Link to="/app/$ref/files" params={{ ref: appRef }} search={{ bucket: id }}>
        {id}
      </Link>
      {folders.map((name, place) => {
        const to = `${folders.slice(0, place + 1).join('/')}/`;
        return (
          <span key={to} className={styles.step}>
            <span aria-hidden="true"> / </span>
            {place === folders.length - 1 ? (
              <b>{name}</b>
            ) : (
              <Link to="/app/$ref/files" params={{ ref: appRef }} search={{ bucket: id, path: to }}>
                {name}
              </Link>
            )}
          </span>
        );
      })}
    </span>
  );
}
