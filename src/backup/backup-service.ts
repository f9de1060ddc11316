import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AppRestore, BackupState, BackupWork, DrillResult } from '../../contract/backup.ts';
import type { ConnectionConfig } from '../database/connection-config.ts';
import type { ByteStore } from '../files/byte-store.ts';
import type { Spool } from '../files/spool.ts';
import type { AppRestoreRequest } from './app-restore.ts';
import type { BackupHome } from './backup-home.ts';
import { type BaseBackup, deleteBase, keepBase, listBases, takeBase } from './base-backup.ts';
import { FileBackup } from './file-backup.ts';
import { isDue, keptBackups, neededFrom } from './retention.ts';
import {
  createSeries,
  type OpenSeries,
  openSeries,
  readSealedSecrets,
  readWriter,
  registerWriter,
  writeReach,
  writeSealedSecrets,
} from './series.ts';
import { deleteWalBefore } from './wal-archive.ts';
import { formatLsn, type Lsn, parseLsn } from './wal-position.ts';
import { dropSlot, identify, OtherServerError, receiveWal, SlotLostError } from './wal-receiver.ts';

/** Work that the service repeats, as its failures name it. */
type Work = 'reception of WAL' | 'base backup' | 'copies of files' | 'records for drills' | 'state of backups';

/** Interval at which the process looks for work and writes its state. */
const TICK_MILLISECONDS = 1000;
/** Pauses after failures. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;
/** Interval at which the reach and the writer of the series are stored and compared. */
const REGISTER_MILLISECONDS = 60_000;
/** Number of restores of apps whose results are shown. */
const APP_RESTORES = 10;
/** Pause after a failed drill. */
const FAILED_DRILL_MILLISECONDS = 60 * 60_000;
/** How long the WAL of a base backup or of a drill may take to be stored. */
const WAL_MILLISECONDS = 10 * 60_000;
/** How long the last WAL may take to be stored when the node stops. */
const FINISH_MILLISECONDS = 10_000;

/** Proves backups by restoring them. */
export interface Drills {
  /** The version of Ninefold. A drill is due after each change. */
  readonly build: string;
  /** Called each minute while WAL is received. */
  mark(): Promise<void>;
  /** Returns true if there is a moment to which a drill can restore one of these backups. */
  canRun(backups: readonly BaseBackup[]): Promise<boolean>;
  /** @param waitForWal Resolves when the target has the WAL before a position. */
  run(
    series: OpenSeries,
    backups: readonly BaseBackup[],
    waitForWal: (lsn: string) => Promise<void>,
    onBytes: (bytes: number) => void,
  ): Promise<DrillResult>;
}

export interface BackupOptions {
  /** The superuser's connection parameters. */
  readonly server: ConnectionConfig;
  readonly target: { readonly store: ByteStore; readonly spool: Spool };
  /** The name of the target for people. */
  readonly targetName: string;
  /** The key of the backups; 32 bytes. */
  readonly key: Buffer;
  readonly home: BackupHome;
  /** The store of the files of apps; null if the files are in a bucket, which has its own durability. */
  readonly files: ByteStore | null;
  /** The name of the node for people. */
  readonly node: string;
  readonly numbers: {
    readonly backupSeconds: number;
    readonly backupDays: number;
    readonly backupWeeks: number;
    readonly backupFlushMilliseconds: number;
    readonly backupBytesPerSecond: number;
    readonly drillSeconds: number;
  };
  readonly drills: Drills;
  /** Brings one app back as a copy. Throws an error whose message is written for the operator, or a fault. */
  readonly restoreApp: (
    series: OpenSeries,
    request: AppRestoreRequest,
    onBytes: (bytes: number) => void,
  ) => Promise<Pick<AppRestore, 'rows' | 'missingFiles'>>;
  readonly log: (message: string, detail?: Record<string, unknown>) => void;
  /** Receives the state each second. */
  readonly onState: (state: BackupState) => void;
}

/**
 * Backs a server up without an end: receives its WAL, takes base backups, copies files, and deletes what is no longer
 * kept. The WAL comes first: a base backup is taken only while WAL is received.
 */
export class BackupService {
  readonly #options: BackupOptions;
  readonly #writer = randomUUID();
  readonly #stopping = new AbortController();
  /** Ends the reception of WAL for the current series. */
  #receiving = new AbortController();
  #isFinishing = false;
  #series: OpenSeries | null = null;
  #backups: BaseBackup[] = [];
  #isStreaming = false;
  #needsBase = false;
  #complete: { storedLsn: Lsn; at: number } | null = null;
  /** The last failure of each kind of work that has not succeeded since. */
  readonly #failures = new Map<Work, NonNullable<BackupState['failure']>>();
  #work: BackupWork | null = null;
  #drill: DrillResult | null = null;
  #appRestores: readonly AppRestore[] = [];
  #sealedSecrets: string | null = null;
  #received: Promise<void> = Promise.resolve();
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: BackupOptions) {
    this.#options = options;
  }

  start(): void {
    this.#received = this.#repeat('reception of WAL', () => this.#receive());
    this.#ended = Promise.all([
      this.#received,
      this.#repeat('base backup', () => this.#maintain()),
      this.#repeat('copies of files', () => this.#copyNewFiles()),
      this.#repeat('records for drills', () => this.#mark()),
      this.#repeat('state of backups', () => this.#writeState()),
    ]);
  }

  /** Stops once the server, which is about to shut down, has sent its last WAL, or after a bounded time. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    setTimeout(() => this.#stopping.abort(), FINISH_MILLISECONDS).unref();
    await this.#received;
    await this.stop();
  }

  /** Stops at once. What was not stored is received again after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  /** Runs work again and again, with growing pauses after failures. */
  async #repeat(work: Work, run: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    let pause = FIRST_PAUSE;
    while (!signal.aborted) {
      try {
        await run();
        pause = FIRST_PAUSE;
      } catch (error) {
        if (signal.aborted || this.#isFinishing) return;
        const message = error instanceof Error ? error.message : String(error);
        this.#failures.set(work, { at: new Date().toISOString(), message });
        this.#options.log(`Backup: ${work} failed`, { reason: message, nextTryMilliseconds: pause });
        await delay(pause, undefined, { signal }).catch(() => undefined);
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      }
    }
  }

  async #receive(): Promise<void> {
    const { server, numbers, log } = this.#options;
    const identity = await identify(server);
    this.#receiving = new AbortController();
    const opened = await this.#openSeries(identity);
    try {
      await receiveWal(
        {
          target: server,
          store: opened.store,
          identity,
          flushMilliseconds: numbers.backupFlushMilliseconds,
          onStreaming: () => {
            this.#isStreaming = true;
          },
          onComplete: (progress) => {
            this.#complete = progress;
            this.#failures.delete('reception of WAL');
          },
        },
        AbortSignal.any([this.#stopping.signal, this.#receiving.signal]),
      );
    } catch (error) {
      if (error instanceof SlotLostError) {
        log('Backup: PostgreSQL has removed WAL that was not stored; taking a new base backup', {
          reason: error.message,
        });
        await dropSlot(server);
        this.#needsBase = true;
      } else if (error instanceof OtherServerError) this.#series = null;
      else throw error;
    } finally {
      this.#isStreaming = false;
    }
  }

  /** Opens the series of this home if it belongs to this server; otherwise begins one. */
  async #openSeries(identity: Parameters<typeof createSeries>[2]): Promise<OpenSeries> {
    if (this.#series) return this.#series;
    const { target, key, home, node } = this.#options;
    const known = await home.readSeries();
    const found = known?.id ? await openSeries(target, key, known.id) : null;
    const isOwn =
      found?.series.systemIdentifier === identity.systemIdentifier && found.series.timeline === identity.timeline;
    const opened = found && isOwn ? found : await createSeries(target, key, identity, node);
    if (opened !== found) await home.writeSeries(opened.series.id);
    await registerWriter(opened.store, this.#writer);
    this.#sealedSecrets = await readSealedSecrets(opened.store);
    this.#backups = await listBases(opened.store);
    const earlier = await home.readState();
    this.#drill = earlier?.drill ?? null;
    this.#appRestores = earlier?.appRestores ?? [];
    this.#series = opened;
    return opened;
  }

  /** Waits for the next tick, then does what is due. */
  async #maintain(): Promise<void> {
    let registeredAt = 0;
    for (const { signal } = this.#stopping; !signal.aborted; ) {
      await delay(TICK_MILLISECONDS, undefined, { signal }).catch(() => undefined);
      const series = this.#series;
      if (signal.aborted || this.#isFinishing || series === null || !this.#isStreaming) continue;
      await this.#passOnSecrets(series);
      const requests = await this.#options.home.takeRequests();
      if (requests.includes('base') || this.#isBaseDue()) await this.#takeBase(series, requests.includes('base'));
      if (Date.now() - registeredAt >= REGISTER_MILLISECONDS) {
        await this.#register(series);
        registeredAt = Date.now();
      }
      if (requests.includes('drill') || (await this.#isDrillDue())) await this.#runDrill(series);
      const restore = await this.#options.home.appRestores.take();
      if (restore) await this.#restoreApp(series, restore);
      this.#failures.delete('base backup');
    }
  }

  #isBaseDue(): boolean {
    const startedAt = this.#backups.map((backup) => backup.startedAt);
    return this.#needsBase || isDue(startedAt, this.#options.numbers.backupSeconds * 1000, Date.now());
  }

  /** Runs work whose progress the state shows. @param run Receives a function for the bytes so far. */
  async #running<Result>(
    kind: BackupWork['kind'],
    run: (show: (bytes: number) => void) => Promise<Result>,
  ): Promise<Result> {
    const startedAt = new Date().toISOString();
    const show = (bytes: number) => {
      this.#work = { kind, startedAt, bytes, total: this.#backups.at(-1)?.bytes ?? null };
    };
    show(0);
    try {
      return await run(show);
    } finally {
      this.#work = null;
    }
  }

  #takeBase(series: OpenSeries, isRequested: boolean): Promise<void> {
    const { server, numbers, files, log } = this.#options;
    return this.#running('base', async (onProgress) => {
      const backup = await takeBase({
        target: server,
        store: series.store,
        bytesPerSecond: numbers.backupBytesPerSecond,
        isFast: isRequested || this.#backups.length === 0,
        onProgress,
      });
      await this.#waitForWal(parseLsn(backup.endLsn));
      if (files) await new FileBackup(files, series.store).copyAll(this.#backups[0]?.startedAt ?? null);
      await keepBase(series.store, backup);
      this.#needsBase = false;
      this.#backups = await listBases(series.store);
      log('Backup: took a base backup', { id: backup.id, bytes: backup.bytes, stored: backup.storedBytes });
      await this.#prune(series);
    });
  }

  async #waitForWal(lsn: Lsn): Promise<void> {
    const until = Date.now() + WAL_MILLISECONDS;
    while ((this.#complete?.storedLsn ?? 0n) < lsn) {
      if (Date.now() > until || !this.#isStreaming) throw new Error('The WAL was not stored in time.');
      await delay(TICK_MILLISECONDS / 10, undefined, { signal: this.#stopping.signal });
    }
  }

  async #prune({ store, series }: OpenSeries): Promise<void> {
    const { backupDays: days, backupWeeks: weeks } = this.#options.numbers;
    const proven = this.#drill?.isPassed ? [this.#drill.backup] : [];
    const kept = keptBackups(this.#backups, { days, weeks }, proven);
    for (const backup of this.#backups) if (!kept.includes(backup)) await deleteBase(store, backup.id);
    this.#backups = kept;
    const from = neededFrom(kept);
    if (from !== null) await deleteWalBefore(store, series.timeline, series.segmentBytes, from);
  }

  async #isDrillDue(): Promise<boolean> {
    const { drills, numbers } = this.#options;
    const last = this.#drill;
    const pause = last === null || last.isPassed ? numbers.drillSeconds * 1000 : FAILED_DRILL_MILLISECONDS;
    const isRecent = last !== null && last.ninefold === drills.build && !isDue([last.startedAt], pause, Date.now());
    return !isRecent && drills.canRun(this.#backups);
  }

  async #runDrill(series: OpenSeries): Promise<void> {
    if (this.#backups.length === 0) return;
    const { drills, log } = this.#options;
    const result = await this.#running('drill', (show) =>
      drills.run(series, this.#backups, (lsn) => this.#waitForWal(parseLsn(lsn)), show),
    );
    this.#drill = result;
    const failed = result.checks.filter(({ isPassed }) => !isPassed);
    log(`Backup: the drill has ${result.isPassed ? 'passed' : 'failed'}`, { restoredTo: result.restoredTo, failed });
  }

  async #restoreApp(series: OpenSeries, request: AppRestoreRequest): Promise<void> {
    const { restoreApp, log } = this.#options;
    const copied = await this.#running('app', (show) => restoreApp(series, request, show)).then(
      (result) => ({ ...result, failure: null }),
      (error: unknown) => ({
        rows: 0,
        missingFiles: 0,
        failure: error instanceof Error ? error.message : String(error),
      }),
    );
    const { ref, at, as } = request;
    const restore = { ref, at, as, finishedAt: new Date().toISOString(), ...copied };
    this.#appRestores = [restore, ...this.#appRestores].slice(0, APP_RESTORES);
    log(`Backup: the restore of an app has ${copied.failure === null ? 'ended' : 'failed'}`, restore);
  }

  /** Stores the reach, and notices another process that writes the same series, for example that of a copied home. */
  async #register({ store }: OpenSeries): Promise<void> {
    if ((await readWriter(store)) !== this.#writer) {
      this.#series = null;
      await this.#options.home.writeSeries('');
      this.#receiving.abort();
      throw new Error('Another node writes to the backups of this home. This node begins a new series.');
    }
    const complete = this.#complete;
    if (complete)
      await writeReach(store, { lsn: formatLsn(complete.storedLsn), at: new Date(complete.at).toISOString() });
  }

  /** Stores the sealed secrets in the series after a recovery phrase was made. */
  async #passOnSecrets({ store }: OpenSeries): Promise<void> {
    const text = await this.#options.home.readSealedSecrets();
    if (text === null || text === this.#sealedSecrets) return;
    await writeSealedSecrets(store, text);
    this.#sealedSecrets = text;
  }

  async #mark(): Promise<void> {
    if (this.#isStreaming && this.#backups.length > 0 && this.#work === null) {
      await this.#options.drills.mark();
      this.#failures.delete('records for drills');
      await delay(REGISTER_MILLISECONDS, undefined, { signal: this.#stopping.signal });
    } else await delay(TICK_MILLISECONDS, undefined, { signal: this.#stopping.signal });
  }

  async #copyNewFiles(): Promise<void> {
    const { files, home } = this.#options;
    await delay(TICK_MILLISECONDS, undefined, { signal: this.#stopping.signal });
    if (files === null || this.#series === null) return;
    const { keys, done } = await home.newFiles.take();
    await new FileBackup(files, this.#series.store).copy(keys);
    await done();
    this.#failures.delete('copies of files');
  }

  async #writeState(): Promise<void> {
    const state = this.#state();
    this.#options.onState(state);
    await this.#options.home.writeState(state);
    await delay(TICK_MILLISECONDS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  #state(): BackupState {
    const proven = this.#drill?.isPassed ? this.#drill.backup : null;
    return {
      target: this.#options.targetName,
      writtenAt: Date.now(),
      isStreaming: this.#isStreaming,
      completeAt: this.#complete ? new Date(this.#complete.at).toISOString() : null,
      failure: [...this.#failures.values()].at(-1) ?? null,
      running: this.#work,
      backups: this.#backups.toReversed().map(({ id, startedAt, finishedAt, bytes, storedBytes }) => ({
        ...{ id, startedAt, finishedAt, bytes, storedBytes },
        isProven: id === proven,
      })),
      restorableFrom: this.#backups[0]?.finishedAt ?? null,
      hasPhrase: this.#sealedSecrets !== null,
      drill: this.#drill,
      appRestores: this.#appRestores,
    };
  }
}
