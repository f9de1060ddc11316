import type { StorageSettings } from '../../contract/settings-storage.ts';
import type { App } from '../apps/app.ts';
import type { Origins } from '../apps/registry/origins.ts';
import type { ByteStore } from '../files/byte-store.ts';
import type { Spool } from '../files/spool.ts';
import type { Identity } from '../identity/identity.ts';
import type { InFlight } from '../limits/in-flight.ts';
import type { TraceRecorder } from '../observe/events.ts';
import type { FreeDisk } from './free-disk.ts';
import type { Images } from './images/images.ts';
import type { StorageUsage } from './usage.ts';

/** The parts that the apps of a worker share. */
export interface StorageNode {
  readonly store: ByteStore;
  readonly spool: Spool;
  readonly usage: StorageUsage;
  readonly disk: FreeDisk;
  readonly images: Images;
  /** Counts the uploads of each app that run in this worker. */
  readonly uploads: InFlight;
}

/** The dependencies of a call of `/storage/v1`. */
export interface StorageContext extends StorageNode {
  readonly app: Pick<App, 'ref' | 'record' | 'database' | 'serverDatabase' | 'isFull'>;
  readonly settings: StorageSettings;
  readonly origins: Pick<Origins, 'urlAt'>;
  /** Time limit of statements in milliseconds; null for none. */
  readonly statementMilliseconds: number | null;
  /** Returns the caller, or throws an error of the key or token. */
  readonly identity: () => Promise<Identity>;
  readonly trace?: TraceRecorder;
}
