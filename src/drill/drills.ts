import type { DrillResult } from '../../contract/backup.ts';
import type { Server } from '../apps/registry/server.ts';
import type { BackupHome, DrillRecord } from '../backup/backup-home.ts';
import type { BaseBackup } from '../backup/base-backup.ts';
import type { OpenSeries } from '../backup/series.ts';
import type { SpecificationService } from '../specification/serve/specification-service.ts';
import { AppsOfServer } from './apps-of-server.ts';
import { checkRestored, failedRestore } from './check-restored.ts';
import { recordState, writeMark } from './record-state.ts';

/** Pause between two records, in milliseconds. */
const HOUR = 60 * 60 * 1000;
/** Age above which a record is not used, in milliseconds. */
const DAY = 24 * HOUR;

/** A server that was restored into a scratch folder. */
export interface ScratchServer {
  readonly backup: BaseBackup;
  readonly server: Server;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
}

export interface DrillsOptions {
  readonly live: Server;
  /** True on a node that other machines cannot reach: some defaults of settings depend on it. */
  readonly isLoopback: boolean;
  readonly specifications: SpecificationService;
  readonly home: BackupHome;
  /** The version of Ninefold, with its build. */
  readonly build: string;
  /** Restores a series to the position of a record. */
  readonly restore: (
    series: OpenSeries,
    record: Pick<DrillRecord, 'at' | 'lsn'>,
    onBytes: (bytes: number) => void,
  ) => Promise<ScratchServer>;
}

/**
 * Proves backups: records each hour what a restore must show, and restores a backup to one of these moments to compare.
 */
export class Drills {
  readonly #options: DrillsOptions;
  readonly #live: AppsOfServer;
  /** By the clock that is never changed. */
  #recordedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DrillsOptions) {
    this.#options = options;
    this.#live = new AppsOfServer(options.live, options.isLoopback);
  }

  /** The version of Ninefold that drills are made with. */
  get build(): string {
    return this.#options.build;
  }

  /** Writes the mark of a minute; once an hour, also a record of one app. */
  async mark(): Promise<void> {
    if (performance.now() - this.#recordedAt < HOUR) {
      await writeMark(this.#live);
      return;
    }
    await this.#record();
  }

  /** Returns true if there is a moment to which a drill can restore one of these backups. */
  async canRun(backups: readonly BaseBackup[]): Promise<boolean> {
    return (await this.#usableRecords(backups)).length > 0;
  }

  /**
   * Restores to a random moment of the last day and checks the result. Makes a record if there is none.
   * @throws Error if there is no app, or the server was never idle while it was recorded
   */
  async run(
    series: OpenSeries,
    backups: readonly BaseBackup[],
    waitForWal: (lsn: string) => Promise<void>,
    onBytes: (bytes: number) => void,
  ): Promise<DrillResult> {
    const startedAt = new Date().toISOString();
    if (!(await this.canRun(backups))) await this.#record();
    const records = await this.#usableRecords(backups);
    const record = records[Math.floor(Math.random() * records.length)];
    if (record === undefined) throw new Error('A drill needs an app and a moment without transactions.');
    const facts = { startedAt, backup: '', restoredTo: record.at, ninefold: this.build };
    let scratch: ScratchServer;
    try {
      await waitForWal(record.lsn);
      scratch = await this.#options.restore(series, record, onBytes);
    } catch (error) {
      return failedRestore(facts, error);
    }
    const restored = new AppsOfServer(scratch.server, this.#options.isLoopback);
    try {
      const { specifications, build } = this.#options;
      const checks = await checkRestored({ restored, specifications, record, build });
      return {
        ...facts,
        backup: scratch.backup.id,
        finishedAt: new Date().toISOString(),
        isPassed: checks.every(({ isPassed }) => isPassed),
        checks,
      };
    } finally {
      await restored.close();
      await scratch.remove();
    }
  }

  close(): Promise<void> {
    return this.#live.close();
  }

  async #record(): Promise<void> {
    const record = await recordState(this.#live, this.#options.specifications);
    this.#recordedAt = performance.now();
    if (record === null) return;
    const kept = (await this.#options.home.readDrillRecords()).filter(({ at }) => Date.now() - Date.parse(at) < DAY);
    await this.#options.home.writeDrillRecords([...kept, record]);
  }

  async #usableRecords(backups: readonly BaseBackup[]): Promise<readonly DrillRecord[]> {
    const first = backups[0]?.finishedAt;
    if (first === undefined) return [];
    const records = await this.#options.home.readDrillRecords();
    return records.filter(({ at }) => at > first && Date.now() - Date.parse(at) < DAY);
  }
}
