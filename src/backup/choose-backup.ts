import type { OpenStore } from '../files/open-store.ts';
import { type BaseBackup, listBases } from './base-backup.ts';
import { openSecrets, type RecoverySecrets } from './recovery-phrase.ts';
import { backupKeyOf, SealError } from './sealed-store.ts';
import { listSeries, type OpenSeries, openSeries, readReach, readSealedSecrets, type Series } from './series.ts';

/** Error of a restore that cannot begin. Its message is written for the operator. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}

/** The means to open backups: the secrets in a home, or a recovery phrase. */
export type Unlock = { readonly secrets: RecoverySecrets } | { readonly phrase: string };

/** A series that was opened, with the secrets of its node. */
export interface Unlocked extends OpenSeries {
  readonly secrets: RecoverySecrets;
  readonly backups: readonly BaseBackup[];
  /** The time until which the WAL is complete, as it was last recorded, in milliseconds since 1970; 0 if it is not known. */
  readonly reachesTo: number;
}

/**
 * Opens a series of a target.
 * @param id The series; null for the newest one that has a backup before the time and fits the secrets.
 * @param at Milliseconds since 1970; null for the latest time.
 * @throws RestoreError, or PhraseError for a phrase that does not fit.
 */
export async function unlockSeries(
  target: Pick<OpenStore, 'store' | 'spool'>,
  unlock: Unlock,
  { id, at }: { readonly id: string | null; readonly at: number | null },
): Promise<Unlocked> {
  const all = await listSeries(target);
  const chosen = id === null ? all : all.filter((series) => series.id === id);
  if (chosen.length === 0) {
    throw new RestoreError(
      id === null ? 'This target has no backups.' : `This target has no series ${id}: ninefold backup list shows all.`,
    );
  }
  let failure: unknown = new RestoreError('This target has no complete backup.');
  for (const series of chosen) {
    try {
      const unlocked = await unlockOne(target, unlock, series);
      const has = (finishedAt: string) => at === null || Date.parse(finishedAt) <= at;
      if (unlocked.backups.some(({ finishedAt }) => has(finishedAt))) return unlocked;
      const [first] = unlocked.backups;
      if (first) failure = new RestoreError(`The first backup ends at ${first.finishedAt}: choose a later time.`);
    } catch (error) {
      failure = error instanceof SealError ? new RestoreError(WRONG_KEY, { cause: error }) : error;
    }
  }
  throw failure;
}

const WRONG_KEY =
  'The secrets of this home do not open these backups: they are from another node. Pass its recovery phrase with --phrase-file.';

async function unlockOne(
  target: Pick<OpenStore, 'store' | 'spool'>,
  unlock: Unlock,
  { id }: Series,
): Promise<Unlocked> {
  const secrets = 'secrets' in unlock ? unlock.secrets : await secretsOf(target, unlock.phrase, id);
  const opened = await openSeries(target, backupKeyOf(Buffer.from(secrets.masterKey, 'base64url')), id);
  if (opened === null) throw new RestoreError(`The series ${id} is gone.`);
  return withSecrets(opened, secrets);
}

/** Reads the backups and the reach of an open series. */
export async function withSecrets(opened: OpenSeries, secrets: RecoverySecrets): Promise<Unlocked> {
  const reach = await readReach(opened.store);
  return {
    ...opened,
    secrets,
    backups: await listBases(opened.store),
    reachesTo: reach === null ? 0 : Date.parse(reach.at),
  };
}

async function secretsOf(
  target: Pick<OpenStore, 'store' | 'spool'>,
  phrase: string,
  id: string,
): Promise<RecoverySecrets> {
  const opened = await openSeries(target, Buffer.alloc(0), id);
  const text = opened && (await readSealedSecrets(opened.store));
  if (text) return openSecrets(phrase, text);
  throw new RestoreError(
    `The series ${id} has no recovery phrase: it can be restored only with the folder secrets of its home.`,
  );
}

/**
 * Returns the base backups from which a time can be restored, the best first.
 * @param at Milliseconds since 1970; null for the latest time.
 */
export const backupsFor = ({ backups }: Pick<Unlocked, 'backups'>, at: number | null): BaseBackup[] =>
  backups.filter(({ finishedAt }) => at === null || Date.parse(finishedAt) <= at).toReversed();

/** Returns a time in UTC as ISO 8601. Keeps up to six digits of a second, because PostgreSQL stops at a microsecond. */
export function timeInUtc(text: string): string {
  const [, fraction = '0'] = /\.(\d+)/.exec(text) ?? [];
  return new Date(text).toISOString().replace(/\.\d+Z/, `.${fraction.padEnd(6, '0').slice(0, 6)}Z`);
}
