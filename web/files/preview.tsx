import { IconChevronLeft, IconChevronRight, IconDownload, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { fileNameOf } from '../../contract/file-fields.ts';
import { t } from '../language/messages.ts';
import { Icon } from '../ui/icon.tsx';
import { typeByName } from './file-kind.ts';
import { Picture } from './file-tile.tsx';
import { useFilesAccess } from './files-access.ts';
import styles from './preview.module.css';
import { sizeWords } from './size-words.ts';
import { previewType, useFileInfo, usePreviewUrl, useThumbnail, type VisibleFile } from './use-files.ts';

/** Shows files over the page, one at a time. The arrow keys go to the next file, Escape closes. */
export function Preview({
  bucket,
  files,
  first,
  onClose,
}: {
  bucket: string;
  files: readonly VisibleFile[];
  first: number;
  onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [place, setPlace] = useState(first);
  const file = files[place] ?? files[0];
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  if (!file) return null;
  const step = (by: number) => setPlace((place + by + files.length) % files.length);
  // The keys of a player and of a scrolled page are theirs.
  const isOfContent = (target: EventTarget) =>
    target instanceof HTMLElement && target.closest('video, audio, iframe') !== null;
  return (
    <dialog
      ref={dialog}
      className={styles.preview}
      data-theme="dark"
      aria-label={fileNameOf(file.path)}
      onClose={onClose}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (files.length < 2 || isOfContent(event.target)) return;
        const isRtl = document.dir === 'rtl';
        if (event.key === 'ArrowRight') step(isRtl ? -1 : 1);
        if (event.key === 'ArrowLeft') step(isRtl ? 1 : -1);
      }}
    >
      <Head bucket={bucket} file={file} place={place} count={files.length} onClose={onClose} />
      <div className={styles.stage}>
        {files.length > 1 && (
          <button type="button" aria-label={t('filesPrevious')} onClick={() => step(-1)}>
            <Icon of={IconChevronLeft} />
          </button>
        )}
        <Content key={file.path} bucket={bucket} file={file} />
        {files.length > 1 && (
          <button type="button" aria-label={t('filesNext')} onClick={() => step(1)}>
            <Icon of={IconChevronRight} />
          </button>
        )}
      </div>
      {files.length > 1 && (
        <ul className={styles.strip}>
          {files.map((one, i) => (
            <li key={one.path}>
              <button
                type="button"
                aria-label={fileNameOf(one.path)}
                aria-current={i === place || undefined}
                onClick={() => setPlace(i)}
              >
                <StripPicture bucket={bucket} path={one.path} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </dialog>
  );
}

function Head({
  bucket,
  file,
  place,
  count,
  onClose,
}: {
  bucket: string;
  file: VisibleFile;
  place: number;
  count: number;
  onClose: () => void;
}) {
  const { links } = useFilesAccess();
  const info = useFileInfo(bucket, file.path);
  const facts = [
    ...(count > 1 ? [t('filesPlace', { place: place + 1, count })] : []),
    ...(info?.size == null ? [] : [sizeWords(info.size)]),
  ];
  const name = fileNameOf(file.path);
  return (
    <header className={styles.head}>
      <b dir="auto">{name}</b>
      <span aria-live="polite">{facts.join(' · ')}</span>
      {links !== null && (
        <a
          href={`${links}${file.link}&download=${encodeURIComponent(name)}`}
          download={name}
          aria-label={t('filesDownload', { name })}
        >
          <Icon of={IconDownload} />
        </a>
      )}
      <button type="button" aria-label={t('close')} onClick={onClose}>
        <Icon of={IconX} />
      </button>
    </header>
  );
}

/** The file itself: an image, a video, a sound or a PDF. Other files are only downloaded. */
function Content({ bucket, file }: { bucket: string; file: VisibleFile }) {
  const { links, embedsLinks } = useFilesAccess();
  const type = previewType(file.path);
  const url = usePreviewUrl(bucket, file);
  const [isBroken, setIsBroken] = useState(false);
  const name = fileNameOf(file.path);
  const fail = () => setIsBroken(true);
  if (type === null || isBroken || (type === 'application/pdf' && !embedsLinks)) {
    return (
      <div className={styles.none}>
        <Picture url={null} type={typeByName(file.path)} />
        <p>{t('filesNoPreview')}</p>
        {links !== null && (
          <a href={`${links}${file.link}&download=${encodeURIComponent(name)}`} download={name}>
            {t('downloadDo')}
          </a>
        )}
      </div>
    );
  }
  if (url === null) return <span role="progressbar" aria-label={t('loading')} className={styles.wait} />;
  if (type === 'application/pdf') return <iframe className={styles.page} src={url} title={name} />;
  if (type.startsWith('image/')) return <img src={url} alt={name} onError={fail} />;
  // biome-ignore-start lint/a11y/useMediaCaption: The files of an app have no captions that the pages know.
  if (type.startsWith('audio/')) return <audio src={url} controls aria-label={name} onError={fail} />;
  return <video src={url} controls playsInline aria-label={name} onError={fail} />;
  // biome-ignore-end lint/a11y/useMediaCaption: See above.
}

function StripPicture({ bucket, path }: { bucket: string; path: string }) {
  return <Picture url={useThumbnail(bucket, path, { width: 320, height: 240 })} type={typeByName(path)} />;
}
