import { join } from 'node:path';
import type { ByteStore } from '../files/byte-store.ts';
import { FolderStore } from '../files/folder-store.ts';
import { S3Client, type S3Location } from '../files/s3-client.ts';
import { S3Store } from '../files/s3-store.ts';
import { Spool } from '../files/spool.ts';

/** Where backups are: a folder, or a bucket with its credentials. */
export type Target =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 's3'; readonly location: S3Location };

/** Opens a target. It sends nothing to an S3 server. @param incoming A folder for objects on their way to a bucket. */
export function openTarget(target: Target, incoming: string): { store: ByteStore; spool: Spool } {
  if (target.kind === 's3')
    return { store: new S3Store(new S3Client(target.location)), spool: new Spool(incoming, false) };
  const { folder } = target;
  // Files move by a rename, so the spool is on the disk of the target.
  const spool = join(folder, 'incoming');
  return { store: new FolderStore(join(folder, 'objects'), spool), spool: new Spool(spool) };
}

/** Returns the name of a target for people, without credentials. */
export const targetInWords = (target: Target): string =>
  target.kind === 'folder'
    ? target.folder
    : `s3://${target.location.bucket}/${target.location.prefix} at ${target.location.endpoint}`;
