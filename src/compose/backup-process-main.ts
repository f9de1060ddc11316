import { rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import process from 'node:process';
import { MAINTENANCE_DATABASE } from '../apps/registry/app-record.ts';
import { Origins } from '../apps/registry/origins.ts';
import type { Server } from '../apps/registry/server.ts';
import { BackupHome } from '../backup/backup-home.ts';
import type { FromBackupProcess, ToBackupProcess } from '../backup/backup-process.ts';
import { BackupService } from '../backup/backup-service.ts';
import { listBases } from '../backup/base-backup.ts';
import { openTarget, targetInWords } from '../backup/open-target.ts';
import { backupKeyOf } from '../backup/sealed-store.ts';
import { readReach } from '../backup/series.ts';
import { parseConnectionUrl } from '../database/connection-config.ts';
import { Drills, type DrillsOptions } from '../drill/drills.ts';
import { openFolder } from '../files/open-store.ts';
import { locateDataFolder } from '../postgres/data-folder.ts';
import type { Input, Output, TaskName } from '../specification/serve/process/task-result.ts';
import { Tasks } from '../specification/serve/process/tasks.ts';
import { SpecificationService } from '../specification/serve/specification-service.ts';
import type { BackupConfiguration } from './backup-configuration.ts';
import { recover } from './restore.ts';

/** The entry of the backup process. It works until its node tells it to finish, or disconnects. */

/** Lets requests go first, where the system has priorities. */
const PRIORITY = 10;

run();

function run(): void {
  let service: BackupService | null = null;
  process.on('disconnect', () => process.exit());
  process.on('message', (message: ToBackupProcess<BackupConfiguration>) => {
    if (message.type === 'configure') {
      service = backupService(message.configuration);
      service.start();
    } else void (service?.finish() ?? Promise.resolve()).finally(() => process.exit());
  });
  // Ignores signals, because the node ends this process itself. A terminal sends signals to every process of its group.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  setPriority(PRIORITY);
}

const send = (message: FromBackupProcess): void => void process.send?.(message);

function backupService(configuration: BackupConfiguration): BackupService {
  const { home, databaseUrl, target, hasFiles, node, numbers } = configuration;
  const backupHome = new BackupHome(home);
  const { store, spool } = openTarget(target, backupHome.incoming);
  spool.removeAbandoned().catch(() => undefined);
  const live = serverAt(databaseUrl, configuration);
  return new BackupService({
    server: live.target,
    target: { store, spool },
    targetName: targetInWords(target),
    key: backupKeyOf(live.masterKey),
    home: backupHome,
    files: hasFiles ? openFolder(home) : null,
    node,
    numbers,
    drills: new Drills({
      live,
      home: backupHome,
      build: configuration.build,
      isLoopback: configuration.isLoopback,
      specifications: specificationService(configuration),
      restore: restoreScratch(configuration),
    }),
    log: (message, detail) => send({ message, ...(detail && { detail }) }),
    onState: (state) => send({ state }),
  });
}

const serverAt = (url: string, { masterKey, numbers }: BackupConfiguration): Server => ({
  target: {
    ...parseConnectionUrl(url, 'ninefold-backup'),
    ...{ database: MAINTENANCE_DATABASE, searchPath: '', ignoresLockTimeout: true },
  },
  isEmbedded: true,
  masterKey: Buffer.from(masterKey, 'base64url'),
  temporaryBytes: numbers.sessionTemporaryBytes,
});

/** Derives specifications in this process. Their hashes do not depend on the origins. */
function specificationService({ environment }: BackupConfiguration): SpecificationService {
  const tasks = new Tasks();
  const runner = {
    run: async <Name extends TaskName>(name: Name, input: Input<Name>): Promise<Output<Name>> =>
      (tasks[name] as (input: Input<Name>) => Output<Name>).call(tasks, input),
  };
  const url = 'http://127.0.0.1';
  return new SpecificationService(
    runner,
    new Origins({ url, isNamed: false, domain: null, defaultApp: null, hosts: [] }),
    environment,
  );
}

function restoreScratch(configuration: BackupConfiguration): DrillsOptions['restore'] {
  const { home, masterKey, postgresPassword } = configuration;
  return async (series, { at, lsn }, onBytes) => {
    const { path, runAs } = await locateDataFolder(home);
    const folder = `${path}.drill`;
    const reach = await readReach(series.store);
    const unlocked = {
      ...series,
      secrets: { masterKey, postgresPassword },
      backups: await listBases(series.store),
      reachesTo: reach === null ? 0 : Date.parse(reach.at),
    };
    const remove = () => rm(folder, { recursive: true, force: true });
    try {
      const { backup, server } = await recover(
        unlocked,
        { at, lsn, onProgress: (progress) => 'bytes' in progress && onBytes(progress.bytes) },
        { folder, runAs, home, programs: configuration.programs },
      );
      return {
        backup,
        server: serverAt(server.url, configuration),
        remove: () => server.stop().finally(remove),
      };
    } catch (error) {
      await remove();
      throw error;
    }
  };
}
