import { fileNameOf } from '../../contract/file-fields.ts';
import { t } from '../language/messages.ts';
import { FileIcon } from './file-icon.tsx';
import { shownAs, typeByName } from './file-kind.ts';
import styles from './files.module.css';
import { useThumbnail, useVisibleFiles } from './use-files.ts';

/** Number of pictures in a cell. */
const PICTURES = 3;
const PICTURE = { width: 80, height: 60 };

/** The files of a field in one line of a list: the first pictures, and the name of the file or the number of further files. */
export function FileSummary({ bucket, paths }: { bucket: string; paths: readonly string[] }) {
  const { files, isPending } = useVisibleFiles(bucket, paths);
  const [first] = files;
  if (!first) return <span className="soft">{isPending ? ' ' : '–'}</span>;
  const names = files.map(({ path }) => fileNameOf(path)).join(', ');
  return (
    <span className={styles.summary} title={names}>
      {files.slice(0, PICTURES).map(({ path }) => (
        <Mini key={path} bucket={bucket} path={path} />
      ))}
      {files.length === 1 ? (
        <bdi className={styles.summaryName}>{fileNameOf(first.path)}</bdi>
      ) : (
        <span>
          <span className="sr">{t('filesCount', { count: files.length })}</span>
          {files.length > PICTURES && <span aria-hidden="true">+{files.length - PICTURES}</span>}
        </span>
      )}
    </span>
  );
}

function Mini({ bucket, path }: { bucket: string; path: string }) {
  const url = useThumbnail(bucket, path, PICTURE);
  const type = typeByName(path);
  return (
    <span className={styles.mini} data-image={shownAs(type)?.as === 'image' || undefined}>
      {url ? <img src={url} alt="" decoding="async" /> : <FileIcon type={type} />}
    </span>
  );
}
