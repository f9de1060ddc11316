import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AppRestoreBody, BackupRequest, BackupState } from '../../contract/backup.ts';
import {
  BackupHome,
  backupTargetOf,
  listTarget,
  makePhrase,
  type RestoreProgress,
  restoreFailure,
  restoreNode,
  sealSecrets,
  timeInUtc,
} from '../compose/backups.ts';
import {
  type Config,
  ConfigError,
  readConfig,
  readConfigWithTarget,
  readRestoredSecrets,
} from '../compose/configuration.ts';
import { CliError, connect } from './client.ts';
import { bytesInWords, printTable } from './print.ts';

/** Pause between two looks at the state of the backups, and between two lines of progress. */
const LOOK_MILLISECONDS = 500;
const PROGRESS_MILLISECONDS = 1000;
/** Age of a state from which the process that wrote it does not run. */
const SILENT_MILLISECONDS = 10_000;

/** Takes a base backup with the running node, and prints its progress. @throws CliError if it fails. */
export async function takeBackup(): Promise<void> {
  const { backups, target } = await runInNode(
    () => requestWork('base'),
    (state, before) => state.backups[0]?.id !== before.backups[0]?.id,
  );
  const [newest] = backups;
  if (newest) {
    process.stdout.write(
      `${newest.id}: ${bytesInWords(newest.bytes)}, ${bytesInWords(newest.storedBytes)} in ${target}.\n`,
    );
  }
}

/** Runs a drill with the running node, and prints its result. Exits with 1 if a check failed. */
export async function runDrill(): Promise<void> {
  const { drill } = await runInNode(
    () => requestWork('drill'),
    (state, before) => state.drill?.startedAt !== before.drill?.startedAt,
  );
  if (drill === null) return;
  printTable(
    ['app', 'check', 'result', ''],
    drill.checks.map(({ app, check, isPassed, detail }) => [app ?? '', check, isPassed ? 'passed' : 'FAILED', detail]),
  );
  process.stdout.write(`The backup ${drill.backup} was restored to ${drill.restoredTo}.\n`);
  if (!drill.isPassed) process.exitCode = 1;
}

const requestWork = (kind: BackupRequest) => connect().post('/backups/requests', { kind });

/** Restores one app as a copy with the running node, and prints the progress and the result. @throws CliError */
export async function restoreApp({ ref, at, as }: AppRestoreBody): Promise<void> {
  const time = readTime(at);
  const started = Date.now();
  const state = await runInNode(
    () => connect().post('/backups/app-restores', { ref, at: time, as } satisfies AppRestoreBody),
    ({ appRestores }) => appRestores.some((each) => each.as === as && Date.parse(each.finishedAt) >= started),
  );
  const result = state.appRestores.find((each) => each.as === as);
  if (result?.failure) throw new CliError(result.failure);
  process.stdout.write(
    `Restored ${ref} of ${time} as ${as}: ${result?.rows ?? 0} rows. Its jobs are paused, and it has keys of its own: ninefold keys ${as}.\n`,
  );
  if (result && result.missingFiles > 0) process.stdout.write(`${result.missingFiles} files have no bytes.\n`);
}

/** Requests work from the backup process of the running node and waits for its end. @throws CliError if it fails. */
async function runInNode(
  request: () => Promise<unknown>,
  isDone: (state: BackupState, before: BackupState) => boolean,
): Promise<BackupState> {
  // The client reports a node that does not run.
  connect();
  const home = new BackupHome(readConfig().home);
  const before = await home.readState();
  if (before === null) throw new CliError('This node takes no backups: NINEFOLD_BACKUP_URL is off.');
  const startedAt = Date.now();
  await request();
  for (const print = progressPrinter(); ; await delay(LOOK_MILLISECONDS)) {
    const state = await home.readState();
    if (state === null || state.writtenAt < Date.now() - SILENT_MILLISECONDS) continue;
    if (isDone(state, before)) return state;
    if (state.failure && Date.parse(state.failure.at) > startedAt) throw new CliError(state.failure.message);
    if (state.running)
      print(`${bytesInWords(state.running.bytes)} ${state.running.kind === 'base' ? 'read' : 'restored'}`);
  }
}

export interface BackupRow {
  readonly series: string;
  readonly id: string;
  readonly finished_at: string;
  readonly size: string;
  readonly stored: string;
  readonly node: string;
}

/** Returns all backups of the target, the newest first. A series of another node is one row without backups. */
export async function listBackups(): Promise<BackupRow[]> {
  const config = readConfig();
  const listed = await listTarget(
    requireTarget(config, null),
    config.home,
    readRestoredSecrets(config)?.masterKey ?? null,
  );
  return listed.flatMap(({ series, backups }): BackupRow[] =>
    backups === null
      ? [{ series: series.id, id: 'of another node', finished_at: '', size: '', stored: '', node: series.node }]
      : backups.map(({ id, finishedAt, bytes, storedBytes }) => ({
          ...{ series: series.id, id, finished_at: finishedAt, node: series.node },
          size: bytesInWords(bytes),
          stored: bytesInWords(storedBytes),
        })),
  );
}

export async function hasPhrase(): Promise<boolean> {
  return (await new BackupHome(readConfig().home).readSealedSecrets()) !== null;
}

/** Makes a recovery phrase and seals the secrets of the home with it. The backup process stores them in the target. */
export async function makeRecoveryPhrase(): Promise<string> {
  const config = readConfig();
  const { home } = config;
  const secrets = readRestoredSecrets(config);
  if (secrets === null) throw new CliError(`No node was ever started on ${home}.`);
  const phrase = makePhrase();
  await new BackupHome(home).writeSealedSecrets(await sealSecrets(phrase, secrets));
  return phrase;
}

export interface RestoreRequest {
  readonly at: string | null;
  readonly to: string | null;
  readonly from: string | null;
  readonly series: string | null;
  readonly phrase: string | null;
  readonly confirm: (question: string) => Promise<void>;
}

/** Restores a node and prints the progress and the result. @throws CliError */
export async function restore({ at, to, from, series, phrase, confirm }: RestoreRequest): Promise<void> {
  const config = readConfig();
  const home = resolve(to ?? config.home);
  const secrets = readRestoredSecrets(config);
  if (phrase === null && secrets === null) {
    throw new CliError(
      `${config.home} has no secrets that open the backups: pass the recovery phrase with --phrase-file.`,
    );
  }
  const time = at === null ? null : readTime(at);
  if (to !== null && existsSync(home) && readdirSync(home).length > 0) {
    throw new CliError(`The folder ${home} is not empty: choose a new one.`);
  }
  if (existsSync(join(home, 'postgres'))) {
    await confirm(
      `This replaces the databases in ${home} by their state ${time === null ? 'at the end of the backups' : `of ${time}`}.`,
    );
  }
  const print = progressPrinter();
  try {
    const restored = await restoreNode({
      target: requireTarget(config, from),
      unlock: phrase === null && secrets ? { secrets } : { phrase: phrase ?? '' },
      ...{ series, at: time, home, programs: config.postgresPrograms },
      onProgress: (progress) => print(inWords(progress)),
    });
    const lines = [
      `Restored ${restored.home} to ${restored.at} from the backup ${restored.backup}.`,
      ...(restored.files > 0 ? [`${restored.files} files of apps were copied.`] : []),
      ...(restored.earlier === null
        ? []
        : [`The earlier data folder is ${restored.earlier}. Delete it when all is well.`]),
      `Start the node with: ${to === null ? '' : `NINEFOLD_HOME=${home} `}npm start`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  } catch (error) {
    const message = restoreFailure(error);
    throw message === null ? error : new CliError(message);
  }
}

/** Restores the home to the time before the last update. @throws CliError if there was none. */
export async function rollBack(confirm: (question: string) => Promise<void>): Promise<void> {
  const { home } = readConfig();
  const point = (await new BackupHome(home).readRestorePoints()).at(-1);
  if (point === undefined)
    throw new CliError(`${home} has no restore point: no update of Ninefold was made with backups.`);
  await confirm(
    `This returns to ${point.at}, before the update from ${point.from} to ${point.to}. All later changes are left out.`,
  );
  await restore({
    ...{ at: point.at, to: null, from: null, series: null, phrase: null },
    confirm: async () => undefined,
  });
  process.stdout.write(`Start Ninefold ${point.from}; a newer one would update the schemas again.\n`);
}

/**
 * Returns a time as ISO 8601 in UTC. Keeps up to six digits of a second, because PostgreSQL stops at a microsecond.
 * @throws CliError
 */
function readTime(text: string): string {
  const milliseconds = Date.parse(text.trim().replace(' ', 'T'));
  if (Number.isNaN(milliseconds)) {
    throw new CliError(`“${text}” is no time: write it as 2026-11-29T10:15:00Z. Without a zone, it is local time.`);
  }
  if (milliseconds > Date.now()) throw new CliError(`${text} is in the future.`);
  return timeInUtc(text.trim().replace(' ', 'T'));
}

function requireTarget(config: Config, from: string | null) {
  const target = backupTargetOf(from === null ? config : readConfigWithTarget(from));
  // The default of a node with another server is off, but its home may have backups of the embedded one.
  if (target) return target;
  throw new ConfigError('There is no target of backups: pass it with --from, or set NINEFOLD_BACKUP_URL.');
}

function inWords(progress: RestoreProgress): string {
  switch (progress.step) {
    case 'begin':
      return `restoring the backup ${progress.backup.id} of the series ${progress.series}`;
    case 'files':
      return `${bytesInWords(progress.bytes)} of ${bytesInWords(progress.total ?? 0)} written`;
    case 'wal':
      return `${bytesInWords(progress.bytes)} of WAL written`;
    case 'recovery':
      return 'PostgreSQL applies the WAL';
    case 'app files':
      return `${progress.files} files of apps copied (${bytesInWords(progress.bytes)})`;
  }
}

/** Returns a function that prints a line of progress, at most one in each second unless the step changes. */
function progressPrinter(): (line: string) => void {
  let [shownAt, kind] = [0, ''];
  return (line) => {
    const newKind = line.replace(/[\d.,]+ ?\w?B/g, '');
    if (newKind === kind && Date.now() - shownAt < PROGRESS_MILLISECONDS) return;
    [shownAt, kind] = [Date.now(), newKind];
    process.stderr.write(`${line}\n`);
  };
}
