import { z } from 'zod';
import { type AppRestoreBody, type BackupPage, backupRequests, type RecoveryPhrase } from '../../../contract/backup.ts';
import { REF } from '../../apps/registry/app-record.ts';
import { timeInUtc } from '../../backup/choose-backup.ts';
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
    const state = (await backups?.home.readState()) ?? null;
    const page: BackupPage = {
      at: new Date().toISOString(),
      state,
      is_target_in_home: state !== null && (backups?.home.hasFolder(state.target) ?? false),
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

const restoreApp = adminCall({
  route: 'POST /backups/app-restores',
  least: 'node owner',
  sensitive: 'bring an app back as it was at an earlier time',
  audit: {
    action: 'app_restored',
    details: ({ ref, at, as }) => ({ ref: String(ref ?? ''), at: String(at ?? ''), as: String(as ?? '') }),
  },
  summary:
    'Starts to restore one app from the backups under another ref, beside the living apps. The copy has keys of its own and no sessions, and its jobs are paused. The state shows the result.',
  returns: '202: empty object',
  errors: ['backups_off', 'app_exists'],
  body: z.strictObject({
    ref: z.string().regex(REF),
    at: z.iso.datetime({ offset: true }),
    as: z.string().regex(REF),
  }) satisfies z.ZodType<AppRestoreBody>,
  handle: async ({ context, caller, body: { ref, at, as } }) => {
    const { home } = requireBackups(context);
    if (await context.registry.find(as)) throw new NinefoldError('app_exists');
    const builder = caller.kind === 'builder' ? caller.userId : null;
    await home.appRestores.add({ ref, at: timeInUtc(at), as, builder });
    return json({}, 202);
  },
});

/** @throws NinefoldError `backups_off` */
function requireBackups({ backups }: AdminContext): NonNullable<AdminContext['backups']> {
  if (backups === null) throw new NinefoldError('backups_off');
  return backups;
}

export const backupCalls: readonly AdminCall[] = [showBackups, requestBackup, createPhrase, restoreApp];
