import { join } from 'node:path';
import type { ByteStore } from './byte-store.ts';
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

/** Opens the store that is configured, and the spool. It sends nothing to an S3 server. */
export function openStore({ home, storageUrl, storageKey, storageSecret }: StoreConfig): OpenStore {
  if (storageUrl === null) return openFolder(home);
  const incoming = incomingOf(home);
  const client = new S3Client({ ...storageUrl, accessKey: storageKey ?? '', secret: storageSecret ?? '' });
  return { store: new S3Store(client), spool: new Spool(incoming, false), incoming };
}

/** Opens the store in the folder of the node, which is not the configured one while bytes move to or from a bucket. */
export function openFolder(home: string): OpenStore {
  const incoming = incomingOf(home);
  return { store: new FolderStore(join(home, 'files', 'apps'), incoming), spool: new Spool(incoming), incoming };
}

const incomingOf = (home: string): string => join(home, 'files', 'incoming');
