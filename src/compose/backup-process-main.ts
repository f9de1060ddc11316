import process from 'node:process';
import { BackupHome } from '../backup/backup-home.ts';
import type { ToBackupProcess } from '../backup/backup-process.ts';
import { BackupService } from '../backup/backup-service.ts';
import { openTarget, targetInWords } from '../backup/open-target.ts';
import { backupKeyOf } from '../backup/sealed-store.ts';
import { parseConnectionUrl } from '../database/connection-config.ts';
import { openFolder } from '../files/open-store.ts';
import type { BackupConfiguration } from './backup-configuration.ts';

/** The entry of the backup process. It works until its node tells it to finish, or disconnects. */

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

function backupService({
  home,
  databaseUrl,
  target,
  hasFiles,
  node,
  numbers,
  ...secrets
}: BackupConfiguration): BackupService {
  const backupHome = new BackupHome(home);
  const { store, spool } = openTarget(target, backupHome.incoming);
  spool.removeAbandoned().catch(() => undefined);
  return new BackupService({
    server: { ...parseConnectionUrl(databaseUrl, 'ninefold-backup'), searchPath: '', ignoresLockTimeout: true },
    target: { store, spool },
    targetName: targetInWords(target),
    key: backupKeyOf(Buffer.from(secrets.masterKey, 'base64url')),
    home: backupHome,
    files: hasFiles ? openFolder(home) : null,
    node,
    numbers,
    drill: null,
    log: (message, detail) => process.stderr.write(`${message}${detail ? ` ${JSON.stringify(detail)}` : ''}\n`),
  });
}
