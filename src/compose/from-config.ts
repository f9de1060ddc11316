import { join } from 'node:path';
import type { LimitName } from '../../contract/limits.ts';
import { MAINTENANCE_DATABASE } from '../apps/registry/app-record.ts';
import { Origins } from '../apps/registry/origins.ts';
import type { Server } from '../apps/registry/server.ts';
import { wideDefaults } from '../apps/settings.ts';
import { BackupHome } from '../backup/backup-home.ts';
import { withNewFiles } from '../backup/file-backup.ts';
import type { Config } from '../config/config.ts';
import type { Secrets } from '../config/secrets.ts';
import { type ConnectionConfig, parseConnectionUrl } from '../database/connection-config.ts';
import { DerivedFiles, withDerivedFiles } from '../files/derived-files.ts';
import { openStore } from '../files/open-store.ts';
import { InFlight } from '../limits/in-flight.ts';
import type { StorageNode } from '../storage/context.ts';
import { FreeDisk } from '../storage/free-disk.ts';
import { ImageProcess } from '../storage/images/image-process.ts';
import { Images } from '../storage/images/images.ts';
import { StorageUsage } from '../storage/usage.ts';

/** Returns the superuser's connection parameters for the database that the URL names. */
export const entryTarget = (databaseUrl: string): ConnectionConfig => ({
  ...parseConnectionUrl(databaseUrl, 'ninefold'),
  searchPath: '',
  ignoresLockTimeout: true,
});

/**
 * Returns the PostgreSQL server of the apps.
 * @param entry Connection parameters of the superuser for any database.
 * @param missingRights The rights of a superuser that the login lacks.
 */
export const appServer = (
  entry: ConnectionConfig,
  config: Config,
  secrets: Secrets,
  missingRights: Server['missingRights'] = [],
): Server => ({
  target: { ...entry, database: MAINTENANCE_DATABASE },
  isEmbedded: config.databaseUrl === null,
  masterKey: secrets.masterKey,
  missingRights,
  temporaryBytes: config.limits.sessionTemporaryBytes,
});

/**
 * Returns the origins of a node.
 * @param url The URL at which clients reach the node.
 */
export const originsOf = ({ publicUrl, domain, defaultApp, hosts }: Config, url: string): Origins =>
  new Origins({ url, isNamed: publicUrl !== null, domain, defaultApp, hosts });

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[?::1\]?|localhost|[\w-]+\.localhost)$/;

/** Returns true if other machines cannot reach the node: it listens on a loopback address and has no proxy in front. */
export const servesOwnMachineOnly = ({ host, publicUrl, domain, trustedProxies }: Config): boolean =>
  LOOPBACK.test(host) &&
  domain === null &&
  trustedProxies === 0 &&
  (publicUrl === null || LOOPBACK.test(new URL(publicUrl).hostname));

/** Returns the limits of this node that chapter 9 shows. */
export function nodeLimits(config: Config): Partial<Record<LimitName, number>> {
  const wide = Object.entries(wideDefaults).map(([name, { value }]) => [name, value] as const);
  return {
    ...config.limits,
    ...(servesOwnMachineOnly(config) && Object.fromEntries(wide)),
  };
}

/** Opens the place where the node stores the bytes of files. */
export function openStorage(config: Config): StorageNode {
  const { store: bytes, spool, incoming } = openStore(config);
  // A failure costs disk until the next start.
  spool.removeAbandoned().catch(() => undefined);
  const derived = new DerivedFiles(join(config.home, 'files', 'images'), config.limits.imageCacheBytes);
  const isBackedUp = config.backupTarget.kind !== 'off' && config.storageUrl === null;
  const noted = isBackedUp ? withNewFiles(bytes, new BackupHome(config.home).newFiles) : bytes;
  const store = withDerivedFiles(noted, derived);
  const disk = new FreeDisk(incoming, config.limits.storageFreePercent);
  const entry = new URL('./image-process.js', import.meta.url);
  // Two, so that one app cannot hold all.
  const processes = [new ImageProcess(entry), new ImageProcess(entry)];
  return {
    store,
    spool,
    usage: new StorageUsage(config.limits.appStorageBytes),
    disk,
    images: new Images({ store, spool, disk, derived, processes }),
    uploads: new InFlight(),
  };
}
