import { z } from 'zod';
import { type BackupPage, backupRequests, type RecoveryPhrase } from '../../../contract/backup.ts';
import { makePhrase, sealSecrets } from '../../backup/recovery-phrase.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext } from '../context.ts';
import { json } from '../reply.ts';

const showBackups = adminCall({
  route: 'GET /backups',
  least: 'node owner',
  summary: 'Returns the state of the node’s backups and the result of the last drill.',
  returns: 'BackupPage',
  handle: async ({ context: { backups } }) => {
    const page: BackupPage = {
      state: (await backups?.home.readState()) ?? null,
      restore_points: (await backups?.home.readRestorePoints()) ?? [],
    };
    return json(page);
  },
});

const requestBackup = adminCall({
  route: 'POST /backups/requests',
  least: 'node owner',
  audit: { action: 'backup_requested', details: ({ kind }) => ({ kind: String(kind ?? '') }) },
  summary: 'Starts a base backup or a drill. The state shows its progress and its result.',
  returns: '202: empty object',
  errors: ['backups_off'],
  body: z.strictObject({ kind: z.enum(backupRequests) }),
  handle: async ({ context, body: { kind } }) => {
    await requireBackups(context).home.request(kind);
    return json({}, 202);
  },
});

const createPhrase = adminCall({
  route: 'POST /backups/phrase',
  least: 'node owner',
  sensitive: 'make a phrase that opens all backups of the node',
  audit: { action: 'recovery_phrase_made' },
  summary:
    'Makes a recovery phrase, with which another machine can restore the backups. An earlier phrase becomes invalid. The phrase is not stored.',
  returns: 'RecoveryPhrase',
  errors: ['backups_off'],
  handle: async ({ context }) => {
    const { home, secrets } = requireBackups(context);
    const phrase = makePhrase();
    await home.writeSealedSecrets(await sealSecrets(phrase, secrets));
    return json({ phrase } satisfies RecoveryPhrase);
  },
});

/** @throws NinefoldError `backups_off` */
function requireBackups({ backups }: AdminContext): NonNullable<AdminContext['backups']> {
  if (backups === null) throw new NinefoldError('backups_off');
  return backups;
}

export const backupCalls: readonly AdminCall[] = [showBackups, requestBackup, createPhrase];
