import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { type BackupRequest, type BackupState, backupRequests, type RestorePoint } from '../../contract/backup.ts';
import { errnoOf } from '../files/disk.ts';
import { AppRestoreRequests } from './app-restore.ts';
import { NewFiles } from './file-backup.ts';

/** A version of Ninefold, and what identifies the schemas that it creates. */
export interface SchemaVersion {
  readonly ninefold: string;
  readonly schema: string;
}

/** Number of restore points that are kept. */
const POINTS = 20;

/** The state of one app at a position of the WAL, with which a drill compares a restored copy. */
export interface DrillRecord {
  readonly app: string;
  readonly lsn: string;
  /** ISO 8601. */
  readonly at: string;
  /** The number of rows of each table and the sum of the hashes of its keys, by its quoted name. */
  readonly rows: Readonly<Record<string, string>>;
  /** The hash of the specification. */
  readonly specification: string;
  /** The id of the last row of `node.backup_marks` before the position. */
  readonly mark: number;
}

/** The folder `backup` of a home: what the processes of a node share about its backups. */
export class BackupHome {
  readonly #home: string;
  readonly #folder: string;
  readonly newFiles: NewFiles;
  readonly appRestores: AppRestoreRequests;

  /** @param home The folder for all data of the node. */
  constructor(home: string) {
    this.#home = home;
    this.#folder = join(home, 'backup');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.newFiles = new NewFiles(join(this.#folder, 'new-files'));
    this.appRestores = new AppRestoreRequests(join(this.#folder, 'app-restores'));
  }

  /** The folder for files on their way to the target. */
  get incoming(): string {
    return join(this.#folder, 'incoming');
  }

  /** Returns true if a target is a folder below the home. @param target The target as `targetInWords` names it. */
  hasFolder(target: string): boolean {
    return isAbsolute(target) && !/^\.\.($|[\\/])/.test(relative(this.#home, target));
  }

  /** Returns the state that the backup process wrote last; null if there is none. */
  readState(): Promise<BackupState | null> {
    return this.#read<BackupState>('state.json');
  }

  /** Writes the state without fsync, because the process writes it each second and nothing depends on an old one. */
  writeState(state: BackupState): Promise<void> {
    return this.#write('state.json', JSON.stringify(state), false);
  }

  /** Returns the id of the series that this home writes; null if it has none. */
  readSeries(): Promise<{ id: string } | null> {
    return this.#read<{ id: string }>('series.json');
  }

  writeSeries(id: string): Promise<void> {
    return this.#write('series.json', JSON.stringify({ id }));
  }

  /** Returns the secrets as the recovery phrase sealed them; null if no phrase was made. */
  async readSealedSecrets(): Promise<string | null> {
    return readFile(join(this.#folder, 'recovery.json'), 'utf8').catch(ignoreMissing);
  }

  writeSealedSecrets(text: string): Promise<void> {
    return this.#write('recovery.json', text);
  }

  /** Returns when each warning was last sent to the owners, in milliseconds since 1970, by its id. */
  async readSentWarnings(): Promise<Readonly<Record<string, number>>> {
    return (await this.#read<Record<string, number>>('sent-warnings.json')) ?? {};
  }

  writeSentWarnings(sent: Readonly<Record<string, number>>): Promise<void> {
    return this.#write('sent-warnings.json', JSON.stringify(sent));
  }

  async readRestorePoints(): Promise<readonly RestorePoint[]> {
    return (await this.#read<RestorePoint[]>('restore-points.json')) ?? [];
  }

  /** Returns the records for drills, the oldest first. */
  async readDrillRecords(): Promise<readonly DrillRecord[]> {
    return (await this.#read<DrillRecord[]>('drill-records.json')) ?? [];
  }

  writeDrillRecords(records: readonly DrillRecord[]): Promise<void> {
    return this.#write('drill-records.json', JSON.stringify(records));
  }

  /**
   * Records a restore point if the schemas of this version differ from those that last started with this home. Call it
   * before the schemas are updated, and `noteVersion` after.
   */
  async addRestorePoint(version: SchemaVersion): Promise<void> {
    const last = await this.#read<SchemaVersion>('version.json');
    if (last === null || last.schema === version.schema) return;
    const point: RestorePoint = { at: new Date().toISOString(), from: last.ninefold, to: version.ninefold };
    await this.#write(
      'restore-points.json',
      JSON.stringify([...(await this.readRestorePoints()), point].slice(-POINTS)),
    );
  }

  noteVersion(version: SchemaVersion): Promise<void> {
    return this.#write('version.json', JSON.stringify(version));
  }

  /** Asks the backup process for work. The process looks every second. */
  async request(request: BackupRequest): Promise<void> {
    await mkdir(join(this.#folder, 'requests'), { recursive: true, mode: 0o700 });
    await writeFile(join(this.#folder, 'requests', request), '');
  }

  /** Returns and removes the requests. */
  async takeRequests(): Promise<BackupRequest[]> {
    const folder = join(this.#folder, 'requests');
    const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
    const taken = backupRequests.filter((request) => names.includes(request));
    for (const request of taken) await rm(join(folder, request), { force: true });
    return taken;
  }

  async #read<Value>(name: string): Promise<Value | null> {
    const text = await readFile(join(this.#folder, name), 'utf8').catch(ignoreMissing);
    return text === null ? null : (JSON.parse(text) as Value);
  }

  /** Writes a file so that a reader sees the old or the new content. */
  async #write(name: string, text: string, isDurable = true): Promise<void> {
    const draft = join(this.#folder, `${name}.${randomUUID()}`);
    await writeFile(draft, text, { mode: 0o600, flush: isDurable });
    await rename(draft, join(this.#folder, name));
  }
}

function ignoreMissing(error: unknown): null {
  if (errnoOf(error) === 'ENOENT') return null;
  throw error;
}
