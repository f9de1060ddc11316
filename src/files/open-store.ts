import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ByteStore } from './byte-store.ts';
import { FallbackStore } from './fallback-store.ts';
import { FolderStore } from './folder-store.ts';
import { S3Client, type S3Location } from './s3-client.ts';
import { S3Store } from './s3-store.ts';
import { Spool } from './spool.ts';

/** The values of the configuration that say where bytes are. */
export interface StoreConfig {
  /** The folder for all data of the node. */
  readonly home: string;
  /** The bucket; null for the folder `files` of `home`. */
  readonly storageUrl: Omit<S3Location, 'accessKey' | 'secret'> | null;
  /** An earlier bucket, whose bytes have not moved yet. */
  readonly storageFrom: Omit<S3Location, 'accessKey' | 'secret'> | null;
  readonly storageKey: string | null;
  readonly storageSecret: string | null;
}

export interface OpenStore {
  readonly store: ByteStore;
  /** The only spool whose files this store takes: it knows whether they need fsync. */
  readonly spool: Spool;
  /** The folder of the spool: every upload needs space on its disk. */
  readonly incoming: string;
}

/**
 * Opens the store that is configured, and the spool. It sends nothing to an S3 server. If bytes are still in an earlier
 * store, the store reads from both.
 */
export function openStore(config: StoreConfig): OpenStore {
  const opened = openTarget(config);
  const earlier = openEarlier(config);
  return earlier === null ? opened : { ...opened, store: new FallbackStore(opened.store, earlier) };
}

/** Opens the store to which the node writes. */
export function openTarget(config: StoreConfig): OpenStore {
  const { home, storageUrl } = config;
  if (storageUrl === null) return openFolder(home);
  const incoming = incomingOf(home);
  return { store: openBucket(storageUrl, config), spool: new Spool(incoming, false), incoming };
}

/** Opens the store from which bytes move: the earlier bucket, or the folder of a node that has a bucket now. */
export function openEarlier(config: StoreConfig): ByteStore | null {
  const { home, storageUrl, storageFrom } = config;
  if (storageFrom !== null) return openBucket(storageFrom, config);
  const folder = folderOf(home);
  const hasFolder = storageUrl !== null && existsSync(folder) && readdirSync(folder).length > 0;
  return hasFolder ? new FolderStore(folder, incomingOf(home)) : null;
}

/** Opens the folder of the files of a node that stores them on its own disk. @param home The folder for all data. */
export function openFolder(home: string): OpenStore {
  const incoming = incomingOf(home);
  return { store: new FolderStore(folderOf(home), incoming), spool: new Spool(incoming), incoming };
}

const incomingOf = (home: string): string => join(home, 'files', 'incoming');

const folderOf = (home: string): string => join(home, 'files', 'apps');

const openBucket = (
  bucket: NonNullable<StoreConfig['storageUrl']>,
  { storageKey, storageSecret }: StoreConfig,
): ByteStore => new S3Store(new S3Client({ ...bucket, accessKey: storageKey ?? '', secret: storageSecret ?? '' }));
