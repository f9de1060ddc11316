import { rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import process from 'node:process';
import { Apps } from '../apps/apps.ts';
import { ExceededBounds } from '../apps/exceeded-bounds.ts';
import { Lifecycle } from '../apps/provisioning/lifecycle.ts';
import { ServerPools } from '../apps/provisioning/server-pools.ts';
import { CONSOLE_REF, databaseName, MAINTENANCE_DATABASE } from '../apps/registry/app-record.ts';
import { Origins } from '../apps/registry/origins.ts';
import { Registry } from '../apps/registry/registry.ts';
import { type Server, smallPool, superuserIn } from '../apps/registry/server.ts';
import { BackupHome } from '../backup/backup-home.ts';
import type { FromBackupProcess, ToBackupProcess } from '../backup/backup-process.ts';
import { type BackupOptions, BackupService } from '../backup/backup-service.ts';
import { withSecrets } from '../backup/choose-backup.ts';
import { restoreFile } from '../backup/file-backup.ts';
import { openTarget, targetInWords } from '../backup/open-target.ts';
import { backupKeyOf } from '../backup/sealed-store.ts';
import type { OpenSeries } from '../backup/series.ts';
import { parseConnectionUrl } from '../database/connection-config.ts';
import { AppsOfServer } from '../drill/apps-of-server.ts';
import { Drills, type ScratchServer } from '../drill/drills.ts';
import { BytesMissingError } from '../files/byte-store.ts';
import { type OpenStore, openFolder } from '../files/open-store.ts';
import { Events } from '../observe/events.ts';
import { locateDataFolder } from '../postgres/data-folder.ts';
import type { Input, Output, TaskName } from '../specification/serve/process/task-result.ts';
import { Tasks } from '../specification/serve/process/tasks.ts';
import { SpecificationService } from '../specification/serve/specification-service.ts';
import type { BackupConfiguration } from './backup-configuration.ts';
import { recover } from './restore.ts';

/** The entry of the backup process. It works until its node tells it to finish, or disconnects. */

/** Lets requests go first, where the system has priorities. */
const PRIORITY = 10;
/** Characters of a time that the name of a restored app contains: `2026-11-29T10:15`. */
const TIME_CHARACTERS = 16;
/** How long a connection of a copied app stays open, and how long work waits for one. The app serves no requests here. */
const IDLE_MILLISECONDS = 1000;
const WAIT_MILLISECONDS = 10_000;

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
    files: hasFiles ? openFolder(home).store : null,
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
    restoreApp: restoreApp(configuration, live),
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
  missingRights: [],
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

/** Copies an app from a restored scratch server to this node. */
function restoreApp(configuration: BackupConfiguration, live: Server): BackupOptions['restoreApp'] {
  const restore = restoreScratch(configuration);
  const { home, hasFiles, programFolders, isLoopback } = configuration;
  return async (series, { ref, at, as, builder }, onBytes) => {
    const scratch = await restore(series, { at }, onBytes);
    const [maintenance, locks] = [smallPool(live.target), smallPool(live.target)];
    const consoleDatabase = smallPool(superuserIn(live, databaseName(CONSOLE_REF)));
    const restored = new AppsOfServer(scratch.server, isLoopback);
    try {
      const record = await restored.record(ref);
      const registry = new Registry(consoleDatabase, live.masterKey);
      const events = new Events();
      const limits = {
        ...{ connections: 1, idleMilliseconds: IDLE_MILLISECONDS, waitMilliseconds: WAIT_MILLISECONDS },
        isLoopback,
      };
      const apps = new Apps(live, registry, limits, events, new ExceededBounds());
      const files = openFolder(home);
      const lifecycle = new Lifecycle({
        servers: new ServerPools({ server: live, maintenance }, registry),
        ...{ locks, registry, apps, events, store: files.store },
      });
      const { copied, missingFiles } = await lifecycle.copyFromServer(
        {
          ref,
          schemaFile: record.schemaFile,
          connection: superuserIn(scratch.server, record.database),
          tools: { folders: programFolders, thread: new URL('./wasm-dump.js', import.meta.url) },
          ...(hasFiles && { copyBytes: copyFromNodeOrBackup(files, series) }),
        },
        as,
        { name: `${record.name} (${at.slice(0, TIME_CHARACTERS)})`, builder },
      );
      return { rows: copied.rows, missingFiles };
    } finally {
      await Promise.all([restored, maintenance, locks, consoleDatabase].map((each) => each.close()));
      await scratch.remove();
    }
  };
}

/** Copies the bytes of a file from the node, or from the backup if the node has deleted them. */
const copyFromNodeOrBackup =
  ({ store, spool }: OpenStore, { store: backup }: OpenSeries) =>
  async (from: string, to: string): Promise<void> => {
    try {
      await store.copy(from, to);
    } catch (error) {
      if (!(error instanceof BytesMissingError)) throw error;
      await restoreFile(backup, from, { store, spool }, to);
    }
  };

function restoreScratch(
  configuration: BackupConfiguration,
): (
  series: OpenSeries,
  moment: { at: string; lsn?: string },
  onBytes: (bytes: number) => void,
) => Promise<ScratchServer> {
  const { home, masterKey, postgresPassword } = configuration;
  return async (series, { at, lsn }, onBytes) => {
    const { path, runAs } = await locateDataFolder(home);
    const folder = `${path}.drill`;
    const unlocked = await withSecrets(series, { masterKey, postgresPassword });
    const remove = () => rm(folder, { recursive: true, force: true });
    try {
      const { backup, server } = await recover(
        unlocked,
        {
          at,
          ...(lsn !== undefined && { lsn }),
          onProgress: (progress) => 'bytes' in progress && onBytes(progress.bytes),
        },
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
