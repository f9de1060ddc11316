import { IconDownload, IconMaximize } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { shownAs } from '../../../../files/file-kind.ts';
import { useBlobUrl } from '../../../../files/use-blob-url.ts';
import { Button } from '../../../../ui/button.tsx';
import { classNames } from '../../../../ui/class-names.ts';
import { FailureNote } from '../../../../ui/failure.tsx';
import { Skeleton } from '../../../../ui/table.tsx';
import { bytes } from '../../../format/format.ts';
import { failureFacts } from '../../../queries/api-failure.ts';
import { connection } from '../../../queries/apps.ts';
import { objectBytes, type StoredObject, signedPath } from '../../../queries/files/objects.ts';
import { lastPart } from '../listing/object-table.tsx';
import styles from './object.module.css';

const MB = 1024 * 1024;
/** The most bytes that a preview loads. An image, a video and a sound need all their bytes; a text is cut. */
const most = { image: 25 * MB, video: 50 * MB, audio: 50 * MB, text: 64 * 1024 } as const;

/** Seconds for which the link of the buttons is valid. */
const LINK_SECONDS = 60;

/**
 * Shows an object as far as no part of it can run: images, videos and sounds with a type of a fixed list, and text. Its
 * buttons open and download the object on the app's own origin.
 */
export function Preview({ appRef, bucket, object }: { appRef: string; bucket: string; object: StoredObject }) {
  const shown = shownAs(object.type);
  const isSmall = shown !== null && (shown.as === 'text' || object.size <= most[shown.as]);
  const read = useQuery({
    ...objectBytes(appRef, bucket, object, most[shown?.as ?? 'text']),
    enabled: isSmall && object.size > 0,
  });
  const open = useOpenLink(appRef, bucket, object.name);
  return (
    <figure className={styles.preview} aria-label={`Preview of ${lastPart(object.name)}`}>
      {object.size === 0 ? (
        <p className={styles.none}>The file is empty.</p>
      ) : shown === null ? (
        <p className={styles.none}>
          The console shows images, videos, sounds and texts. Other files are downloads, because they could run a
          program.
        </p>
      ) : !isSmall ? (
        <p className={styles.none}>
          The preview shows up to {bytes(most[shown.as])}. This file has {bytes(object.size)}.
        </p>
      ) : read.error ? (
        <FailureNote facts={failureFacts(read.error)} />
      ) : read.data ? (
        <Shown bytes={read.data} shown={shown} object={object} />
      ) : (
        <p className={styles.none}>
          <Skeleton width={180} />
        </p>
      )}
      {open.error && <FailureNote facts={failureFacts(open.error)} />}
      <span className={classNames(styles.verbs, shown?.as === 'image' && read.data && styles.over)}>
        {shown !== null && (
          <Button
            small
            icon={IconMaximize}
            offBecause={open.offBecause}
            busy={open.isPending && open.variables === false && 'Opening'}
            onClick={() => open.mutate(false)}
          >
            Open
          </Button>
        )}
        <Button
          small
          icon={IconDownload}
          offBecause={open.offBecause}
          busy={open.isPending && open.variables === true && 'Preparing'}
          aria-label={`Download ${lastPart(object.name)}, ${bytes(object.size)}`}
          onClick={() => open.mutate(true)}
        >
          {bytes(object.size)}
        </Button>
      </span>
    </figure>
  );
}

/** The bytes as an image, a video, a sound or a text. */
function Shown({
  bytes: read,
  shown,
  object,
}: {
  bytes: ArrayBuffer;
  shown: NonNullable<ReturnType<typeof shownAs>>;
  object: StoredObject;
}) {
  const url = useBlobUrl(shown.as === 'text' ? undefined : read, shown.as === 'text' ? '' : shown.type);
  const name = lastPart(object.name);
  if (shown.as === 'text') {
    return (
      <>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: The keyboard scrolls the text. */}
        <section className={styles.text} tabIndex={0} aria-label={`Text of ${name}`}>
          {new TextDecoder().decode(read)}
        </section>
        {object.size > read.byteLength && (
          <figcaption className="soft">
            The first {bytes(read.byteLength)} of {bytes(object.size)}
          </figcaption>
        )}
      </>
    );
  }
  if (url === null) return null;
  if (shown.as === 'image') return <img className={styles.image} src={url} alt={name} />;
  if (shown.as === 'audio') {
    // biome-ignore lint/a11y/useMediaCaption: The files of an app have no captions that the console knows.
    return <audio className={styles.audio} src={url} controls aria-label={name} />;
  }
  // biome-ignore lint/a11y/useMediaCaption: The files of an app have no captions that the console knows.
  return <video className={styles.image} src={url} controls aria-label={name} />;
}

/**
 * Opens an object on the app's origin by a signed link, where nothing of it can reach the console. `true` downloads it.
 */
function useOpenLink(ref: string, bucket: string, name: string) {
  const { data } = useQuery(connection(ref));
  const origin = data?.origin ?? null;
  const opening = useMutation({
    mutationFn: async (downloads: boolean) => {
      const path = await signedPath(ref, bucket, name, LINK_SECONDS);
      const link = document.createElement('a');
      link.href = `${origin}/storage/v1${path}${downloads ? `&download=${encodeURIComponent(lastPart(name))}` : ''}`;
      link.rel = 'noopener';
      if (!downloads) link.target = '_blank';
      link.click();
    },
  });
  const offBecause =
    data && origin === null ? 'No host name leads to the app, so a browser cannot open its files.' : null;
  return { ...opening, offBecause };
}
