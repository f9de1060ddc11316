import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BaseBackup, listBases } from '../backup/base-backup.ts';
import { openTarget, type Target } from '../backup/open-target.ts';
import { backupKeyOf, SealError } from '../backup/sealed-store.ts';
import { listSeries, openSeries, type Series } from '../backup/series.ts';

/** A series of a target with its backups; null if the key does not open them. */
export interface ListedSeries {
  readonly series: Series;
  readonly backups: readonly BaseBackup[] | null;
}

/**
 * Returns all series of a target with their base backups, the newest first.
 * @param home A folder for objects on their way.
 * @param masterKey In base64url; null if the home has none.
 */
export async function listTarget(target: Target, home: string, masterKey: string | null): Promise<ListedSeries[]> {
  const incoming = join(home, 'backup', 'incoming');
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const opened = openTarget(target, incoming);
  const key = masterKey === null ? null : backupKeyOf(Buffer.from(masterKey, 'base64url'));
  const listed: ListedSeries[] = [];
  for (const series of await listSeries(opened)) {
    const open = key && (await openSeries(opened, key, series.id));
    const backups = open ? await listBases(open.store).catch(nullIfSealed) : null;
    listed.push({ series, backups: backups?.toReversed() ?? null });
  }
  return listed;
}

function nullIfSealed(error: unknown): null {
  if (error instanceof SealError) return null;
  throw error;
}

export { BackupHome } from '../backup/backup-home.ts';
export { timeInUtc } from '../backup/choose-backup.ts';
export { makePhrase, sealSecrets } from '../backup/recovery-phrase.ts';
export { backupTargetOf } from './backup-configuration.ts';
export { type RestoreProgress, restoreFailure, restoreNode } from './restore.ts';
