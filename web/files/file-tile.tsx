import { IconPlayerPlay } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { fileNameOf } from '../../contract/file-fields.ts';
import { Icon } from '../ui/icon.tsx';
import { FileIcon } from './file-icon.tsx';
import { fileKind, shownAs, typeByName } from './file-kind.ts';
import styles from './files.module.css';
import { useThumbnail } from './use-files.ts';

/** Size of the picture of a tile in pixels, for screens with two pixels for each. */
const PICTURE = { width: 320, height: 240 };

/** A file as a picture, a name and a line below. `over` covers a corner of the picture. */
export function FileTile({
  path,
  picture,
  meta,
  isWrong = false,
  isFaint = false,
  over,
}: {
  path: string;
  picture: ReactNode;
  meta: ReactNode;
  isWrong?: boolean;
  isFaint?: boolean;
  over?: ReactNode;
}) {
  return (
    <li className={styles.tile} data-wrong={isWrong || undefined} data-faint={isFaint || undefined}>
      {picture}
      <span className={styles.name} dir="auto" title={fileNameOf(path)}>
        {fileNameOf(path)}
      </span>
      <small className={styles.meta}>{meta}</small>
      {over}
    </li>
  );
}

/** Picture of a stored file: a thumbnail, or the icon of its kind. */
export function StoredPicture({ bucket, path }: { bucket: string; path: string }) {
  const url = useThumbnail(bucket, path, PICTURE);
  return <Picture url={url} type={typeByName(path)} />;
}

/** Picture of a file of the device, which needs no request. */
export function LocalPicture({ file }: { file: File }) {
  const shown = shownAs(file.type || typeByName(file.name));
  const isImage = shown?.as === 'image';
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!isImage) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file, isImage]);
  return <Picture url={url} type={file.type || typeByName(file.name)} />;
}

export function Picture({ url, type }: { url: string | null; type: string }) {
  return (
    <span className={styles.picture} data-kind={fileKind(type)}>
      {url ? (
        <img src={url} alt="" decoding="async" />
      ) : fileKind(type) === 'video' ? (
        <span className={styles.play}>
          <Icon of={IconPlayerPlay} />
        </span>
      ) : (
        <FileIcon type={type} />
      )}
    </span>
  );
}
