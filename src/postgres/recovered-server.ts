import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinaries, type ProgramFolders } from './binaries.ts';
import type { DataFolder } from './data-folder.ts';
import { superuser } from './initialise.ts';
import { freePort } from './port.ts';
import type { RunAs } from './run-as.ts';
import { ServerLog } from './server-log.ts';
import { ServerFailure, type ServerPlan, ServerProcess } from './server-process.ts';
import { socketFolderFor } from './settings.ts';
import type { Log } from './shutdown.ts';

/** Where recovery stops: after the last transaction that committed at or before a time, at a position of the WAL, or at its end. */
export type RecoveryTarget = { readonly time: string } | { readonly lsn: string } | { readonly end: true };

export interface RecoveryOptions {
  /** A data folder with the files of a base backup and, in `pg_wal`, the WAL after it. */
  readonly path: string;
  readonly runAs: RunAs;
  readonly programs: ProgramFolders;
  readonly target: RecoveryTarget;
  /** The superuser's password in the backup. */
  readonly password: string;
  /** The file for the server's log. */
  readonly logFile: string;
  readonly log: Log;
}

/** A server that has recovered and accepts connections. */
export interface RecoveredServer {
  /** URL of the superuser. */
  readonly url: string;
  /** Stops the server cleanly. */
  stop(): Promise<void>;
}

/** Error of a target that comes after the end of the WAL. */
export class TargetNotReachedError extends Error {
  override readonly name = 'TargetNotReachedError';
}

/** Error of a target that comes before the end of the base backup. */
export class TargetTooEarlyError extends Error {
  override readonly name = 'TargetTooEarlyError';
}

/** Memory of each process, in bytes. */
const PROCESS_MEMORY = 1024 * 1024 * 1024;
/** A recovered server must allow at least the connections of the server that wrote the WAL. */
const MAX_CONNECTIONS = 400;

/**
 * Recovers a data folder to a target with the WAL in it, and keeps the server running. The server listens on its Unix
 * socket only, where the path allows one. Other users of the machine cannot reach it.
 * @throws TargetNotReachedError, TargetTooEarlyError, or ServerFailure with PostgreSQL's own reason
 */
export async function startRecovered(options: RecoveryOptions): Promise<RecoveredServer> {
  const { path, runAs, programs, password, logFile, log } = options;
  const port = await freePort();
  const socketFolder = socketFolderFor(path, port);
  const plan: ServerPlan = {
    binaries: await findBinaries(runAs, programs),
    folder: { path, runAs, linked: false } satisfies DataFolder,
    port,
    maxConnections: MAX_CONNECTIONS,
    isProxied: socketFolder !== null,
    processMemoryBytes: PROCESS_MEMORY,
    settings: {
      ...targetSettings(options.target),
      ...{ hot_standby: 'off', max_wal_senders: '0', autovacuum: 'off' },
      // A subscription would take the changes that the living server waits for.
      max_logical_replication_workers: '0',
    },
    log: new ServerLog(logFile),
  };
  const signal = join(path, 'recovery.signal');
  await writeFile(signal, '', { mode: 0o600 });
  if (runAs) await chown(signal, runAs.uid, runAs.gid);
  const server = await ServerProcess.start(plan, new AbortController().signal).catch((error: unknown) => {
    throw error instanceof ServerFailure ? toRecoveryError(error) : error;
  });
  const host = socketFolder === null ? '' : `?host=${encodeURIComponent(socketFolder)}`;
  return {
    url: `postgres://${superuser}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres${host}`,
    stop: () => server.stop(log),
  };
}

const targetSettings = (target: RecoveryTarget): Record<string, string> => ({
  restore_command: 'false',
  recovery_target_timeline: 'current',
  recovery_target_action: 'promote',
  ...('time' in target && { recovery_target_time: target.time }),
  ...('lsn' in target && { recovery_target_lsn: target.lsn, recovery_target_inclusive: 'off' }),
});

function toRecoveryError(error: ServerFailure): Error {
  if (error.message.includes('recovery ended before configured recovery target was reached')) {
    return new TargetNotReachedError(error.message, { cause: error });
  }
  if (error.message.includes('requested recovery stop point is before consistent recovery point')) {
    return new TargetTooEarlyError(error.message, { cause: error });
  }
  return error;
}
