import { useQuery } from '@tanstack/react-query';
import { FileIcon } from '../../../../files/file-icon.tsx';
import { shownAs } from '../../../../files/file-kind.ts';
import { useBlobUrl } from '../../../../files/use-blob-url.ts';
import { objectBytes, type StoredObject, thumbnailBytes } from '../../../queries/files/objects.ts';
import styles from './listing.module.css';

/** Size in bytes up to which an image is its own thumbnail, if the node does not scale images. */
const SMALL = 256 * 1024;

/** Small picture of an image, or the icon of another kind of file. */
export function Thumbnail({ appRef, bucket, object }: { appRef: string; bucket: string; object: StoredObject }) {
  const shown = shownAs(object.type);
  const isImage = shown?.as === 'image' && object.size > 0;
  const scaled = useQuery({ ...thumbnailBytes(appRef, bucket, object), enabled: isImage });
  const itself = useQuery({
    ...objectBytes(appRef, bucket, object, SMALL),
    enabled: isImage && scaled.isError && object.size <= SMALL,
  });
  // The node answers with a picture in WebP or in the type of the object. A browser reads an image by its first bytes.
  const url = useBlobUrl(scaled.data ?? itself.data, shown?.as === 'image' ? shown.type : '');
  return (
    <span className={styles.thumbnail}>
      {url ? <img src={url} alt="" decoding="async" /> : <FileIcon type={object.type} />}
    </span>
  );
}
