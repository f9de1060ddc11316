import { lazy, Suspense, useState } from 'react';
import type { FileField } from '../../contract/file-fields.ts';
import { fileNameOf } from '../../contract/file-fields.ts';
import { t } from '../language/messages.ts';
import { code } from '../ui/recovery/code.ts';
import { FileTile, StoredPicture } from './file-tile.tsx';
import styles from './files.module.css';
import { sizeWords } from './size-words.ts';
import { useFileInfo, useVisibleFiles, type VisibleFile } from './use-files.ts';

const Preview = lazy(code(() => import('./preview.tsx').then(({ Preview: preview }) => ({ default: preview }))));

/** The files of a field as tiles, or as a line if the field holds one. A press on a file opens its preview. */
export function FileGallery({ files: { bucket, many }, paths }: { files: FileField; paths: readonly string[] }) {
  const { files, isPending } = useVisibleFiles(bucket, paths);
  const [open, setOpen] = useState<number | null>(null);
  if (files.length === 0) return <span className="soft">{isPending ? t('loading') : '–'}</span>;
  return (
    <>
      <ul className={many ? styles.tiles : styles.lines}>
        {files.map((file, i) => (
          <FileTile
            key={file.path}
            path={file.path}
            picture={<StoredPicture bucket={bucket} path={file.path} />}
            meta={<Size bucket={bucket} file={file} />}
            over={
              <button
                type="button"
                className={styles.open}
                aria-label={t('filesOpen', { name: fileNameOf(file.path) })}
                onClick={() => setOpen(i)}
              />
            }
          />
        ))}
      </ul>
      {open !== null && (
        <Suspense>
          <Preview bucket={bucket} files={files} first={open} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  );
}

/** Size of a stored file. */
function Size({ bucket, file }: { bucket: string; file: VisibleFile }) {
  const info = useFileInfo(bucket, file.path);
  return info?.size == null ? ' ' : sizeWords(info.size);
}
