import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { BaseBackup } from '../backup/base-backup.ts';
import { backupsFor, RestoreError, type Unlock, type Unlocked, unlockSeries } from '../backup/choose-backup.ts';
import { type ExtractedWal, type ExtractProgress, extract } from '../backup/extract.ts';
import { restoreFiles } from '../backup/file-backup.ts';
import { openTarget, type Target } from '../backup/open-target.ts';
import type { RecoverySecrets } from '../backup/recovery-phrase.ts';
import { parseLsn } from '../backup/wal-position.ts';
import { replaceSecrets } from '../config/secrets.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { diskSpace, syncFolder } from '../files/disk.ts';
import { openFolder } from '../files/open-store.ts';
import type { ProgramFolders } from '../postgres/binaries.ts';
import { locateDataFolder, makeHome } from '../postgres/data-folder.ts';
import { lockFolder } from '../postgres/home-lock.ts';
import {
  type RecoveredServer,
  type RecoveryTarget,
  startRecovered,
  TargetNotReachedError,
  TargetTooEarlyError,
} from '../postgres/recovered-server.ts';
import type { RunAs } from '../postgres/run-as.ts';

/** Space that a restore needs, in parts of the data folder: with the WAL. */
const SPACE = 1.2;

export interface RestoreOptions {
  readonly target: Target;
  readonly unlock: Unlock;
  /** The series; null for the newest. */
  readonly series: string | null;
  /** ISO 8601 in UTC, with up to six digits of a second; null for the latest time. */
  readonly at: string | null;
  readonly programs: ProgramFolders;
  /** The home to restore into. If it has a data folder, that one is kept beside the new one. */
  readonly home: string;
  readonly onProgress: (progress: RestoreProgress) => void;
}

export type RestoreProgress =
  | ExtractProgress
  | { readonly step: 'begin'; readonly backup: BaseBackup; readonly series: string }
  | { readonly step: 'recovery' }
  | { readonly step: 'app files'; readonly files: number; readonly bytes: number };

/** The result of a restore. */
export interface Restored {
  readonly home: string;
  readonly backup: string;
  /** The time of the restored state, ISO 8601; the end of the WAL if no time was chosen. */
  readonly at: string;
  /** Where the data folder that was in the home is now; null if there was none. */
  readonly earlier: string | null;
  readonly files: number;
}

/**
 * Restores a node into a home: its databases as they were at a time, exact to the transaction, its secrets and the files of
 * its apps. The home is changed only after the recovery has succeeded.
 * @throws RestoreError, PhraseError, StartError, or an error of the target
 */
export async function restoreNode(options: RestoreOptions): Promise<Restored> {
  const { target } = options;
  // Opening a folder creates it.
  if (target.kind === 'folder' && !existsSync(target.folder)) {
    throw new RestoreError(`The folder ${target.folder} of the backups does not exist.`);
  }
  const isNew = !existsSync(options.home);
  const incoming = await mkdtemp(join(tmpdir(), 'ninefold-restore-'));
  try {
    const at = options.at === null ? null : Date.parse(options.at);
    const unlocked = await unlockSeries(openTarget(target, incoming), options.unlock, { id: options.series, at });
    return await restoreUnlocked(unlocked, options);
  } catch (error) {
    if (isNew) await rm(options.home, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
}

async function restoreUnlocked(unlocked: Unlocked, options: RestoreOptions): Promise<Restored> {
  const home = await makeHome(resolve(options.home));
  const release = await lockFolder(join(home, 'ninefold.lock'), home);
  let scratch: string | null = null;
  try {
    const { path, runAs } = await locateDataFolder(home);
    scratch = `${path}.restoring`;
    const { backup, at, server } = await recover(unlocked, options, {
      ...{ folder: scratch, runAs, home, programs: options.programs },
    });
    await server.stop();
    const { files } = await restoreFiles(unlocked.store, openFolder(home), (count, bytes) =>
      options.onProgress({ step: 'app files', files: count, bytes }),
    );
    replaceSecrets(home, unlocked.secrets);
    // The restored server has a timeline that another restore may have too, so it begins a series of its own.
    await rm(join(home, 'backup', 'series.json'), { force: true });
    const earlier = await replaceFolder(path, scratch);
    return { home, backup: backup.id, at, earlier, files };
  } finally {
    if (scratch !== null) await rm(scratch, { recursive: true, force: true });
    await release();
  }
}

export interface RecoverInto {
  /** A folder that does not exist. */
  readonly folder: string;
  readonly runAs: RunAs;
  readonly programs: ProgramFolders;
  /** The home whose folder `logs` gets the log of the server. */
  readonly home: string;
}

/**
 * Restores the databases of a series into a folder and starts a server there, which the caller stops. With a position of
 * the WAL, the state is that before the position, which was reached at the time. Tries earlier base
 * backups if the time comes before the end of the best one, for example after the clock was changed.
 * @throws RestoreError if the time cannot be reached
 */
export async function recover(
  unlocked: Unlocked,
  { at, lsn, onProgress }: Pick<RestoreOptions, 'at' | 'onProgress'> & { readonly lsn?: string },
  into: RecoverInto,
): Promise<{ backup: BaseBackup; at: string; server: RecoveredServer }> {
  const until = at === null ? null : Date.parse(at);
  for (const backup of backupsFor(unlocked, until)) {
    onProgress({ step: 'begin', backup, series: unlocked.series.id });
    await rm(into.folder, { recursive: true, force: true });
    await requireSpace(dirname(into.folder), backup);
    await makeOwned(into.folder, into.runAs);
    const wal = await extract({
      ...{ store: unlocked.store, backup, folder: into.folder, onProgress, owner: into.runAs },
      isEnough: ({ completeAt, endLsn }) =>
        lsn === undefined ? until !== null && completeAt > until : endLsn > parseLsn(lsn),
    });
    const completeAt = Math.max(wal.completeAt, unlocked.reachesTo);
    onProgress({ step: 'recovery' });
    try {
      const server = await startOnceRecovered(unlocked.secrets, { at, lsn }, { ...wal, completeAt }, into);
      return { backup, at: at ?? new Date(completeAt).toISOString(), server };
    } catch (error) {
      if (!(error instanceof TargetTooEarlyError)) throw error;
    }
  }
  throw new RestoreError('No backup ends before this time: choose a later one.');
}

async function startOnceRecovered(
  { postgresPassword: password }: RecoverySecrets,
  { at, lsn }: { at: string | null; lsn: string | undefined },
  wal: ExtractedWal,
  { folder: path, runAs, programs, home }: RecoverInto,
): Promise<RecoveredServer> {
  await mkdir(join(home, 'logs'), { recursive: true, mode: 0o700 });
  const start = (target: RecoveryTarget) =>
    startRecovered({
      path,
      runAs,
      programs,
      target,
      password,
      logFile: join(home, 'logs', 'restore.log'),
      log: () => undefined,
    });
  if (at === null) return start({ end: true });
  try {
    return await start(lsn === undefined ? { time: at.replace('T', ' ').replace('Z', '+00') } : { lsn });
  } catch (error) {
    if (!(error instanceof TargetNotReachedError)) throw error;
    // The WAL contains everything before the target and no transaction after it, so the state at its end is that of the target.
    const hasAll = lsn === undefined ? Date.parse(at) <= wal.completeAt : parseLsn(lsn) <= wal.endLsn;
    if (hasAll) return start({ end: true });
    throw new RestoreError(
      `The backups reach until ${new Date(wal.completeAt).toISOString()}: choose an earlier time, or none for the latest.`,
      {
        cause: error,
      },
    );
  }
}

/** @throws RestoreError if the disk has less space than the data folder takes. */
async function requireSpace(folder: string, { bytes }: BaseBackup): Promise<void> {
  const { free } = await diskSpace(folder);
  if (free >= bytes * SPACE) return;
  const megabytes = (count: number) => Math.ceil(count / 1_000_000);
  throw new RestoreError(
    `The disk of ${folder} has ${megabytes(free)} MB free, and the restore needs ${megabytes(bytes * SPACE)} MB.`,
  );
}

async function makeOwned(folder: string, runAs: RunAs): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (runAs) await chown(folder, runAs.uid, runAs.gid);
}

/** Puts the restored folder in place of the old one, which is kept. Returns the new path of the old one. */
async function replaceFolder(path: string, restored: string): Promise<string | null> {
  const hasOld = existsSync(path) && (await readdir(path)).length > 0;
  const earlier = hasOld ? `${path}.before-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}` : null;
  if (earlier !== null) await rename(path, earlier);
  else await rm(path, { recursive: true, force: true });
  await rename(restored, path);
  await syncFolder(dirname(path));
  return earlier;
}

/** Names of the errors of a restore whose message is written for the operator. */
const forOperator = ['RestoreError', 'PhraseError', 'StartError', 'SealError', 'ManifestError', 'ServerFailure'];

/** Returns the message of an error of a restore for the operator; null for a fault. */
export const restoreFailure = (error: unknown): string | null =>
  error instanceof Error && (error instanceof NinefoldError || forOperator.includes(error.name)) ? error.message : null;
