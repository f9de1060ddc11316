import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ConnectionConfig } from '../database/connection-config.ts';
import { ReplicationConnection } from '../database/replication.ts';
import { ManifestCheck, ManifestError, readManifest } from './manifest.ts';
import type { SealedStore } from './sealed-store.ts';
import { readTar, type TarSink } from './tar-reader.ts';
import { formatLsn } from './wal-position.ts';

/** Bytes of the archive in one object, so that a target with small objects and a small spool suffice. */
const PART = 64 * 1024 * 1024;
/** Bytes that wait for the target before the server waits. */
const BUFFERED = 1024 * 1024;
/** Number of digits of a part in its name. */
const DIGITS = 5;

/** Facts of a base backup. They are stored last: a backup without them does not count. */
export interface BaseBackup {
  readonly format: 1;
  /** The time of the start, in UTC, and random characters: `20261129T001500Z-1f3a`. */
  readonly id: string;
  readonly startedAt: string;
  /** From this time on, the backup can be restored to any time. */
  readonly finishedAt: string;
  readonly verifiedAt: string;
  readonly systemIdentifier: string;
  readonly timeline: number;
  readonly startLsn: string;
  readonly endLsn: string;
  /** PostgreSQL's version: `18.4`. */
  readonly postgres: string;
  readonly segmentBytes: number;
  readonly parts: number;
  /** Bytes in the target, and bytes and number of the files in the data folder. */
  readonly storedBytes: number;
  readonly bytes: number;
  readonly files: number;
}

export interface BaseBackupOptions {
  /** The superuser's connection parameters. */
  readonly target: ConnectionConfig;
  readonly store: SealedStore;
  readonly bytesPerSecond: number;
  /** True to begin with a checkpoint at once, false to spread it over minutes. */
  readonly isFast: boolean;
  readonly onProgress?: (bytes: number) => void;
}

/**
 * Copies the data folder of a running server with BASE_BACKUP, compressed by the server, and reads the stored copy once to
 * compare each file with the server's manifest.
 * @returns The facts, which the caller stores with `keepBase` once it also has the WAL of the backup.
 * @throws ManifestError, DatabaseError, ConnectionError, or an error of the target; then nothing of the backup is left.
 */
export async function takeBase({ target, store, onProgress, ...options }: BaseBackupOptions): Promise<BaseBackup> {
  const startedAt = new Date();
  const id = `${startedAt.toISOString().replace(/[-:]|\.\d+/g, '')}-${randomBytes(2).toString('hex')}`;
  const parts = new Parts(store, id);
  const connection = await ReplicationConnection.open(target);
  try {
    const manifest: Buffer[] = [];
    let isManifest = false;
    const [segment] = await connection.query('SHOW wal_segment_size');
    const [version] = await connection.query('SHOW server_version');
    await connection.copyOut(command(options), async (data) => {
      const [type, content] = [String.fromCharCode(data[0] as number), data.subarray(1)];
      if (type === 'n') parts.begin(content);
      else if (type === 'm') isManifest = true;
      else if (type === 'p') onProgress?.(Number(content.readBigInt64BE(0)));
      else if (type === 'd' && isManifest) manifest.push(Buffer.from(content));
      else if (type === 'd') await parts.write(content);
    });
    const finishedAt = new Date();
    const storedBytes = await parts.finish();
    const text = Buffer.concat(manifest).toString();
    const { files, systemIdentifier, timeline, startLsn, endLsn } = readManifest(text);
    await store.put(`base/${id}/manifest`, Buffer.from(text));
    const bytes = await readBase(store, { id, parts: parts.count }, null);
    return {
      ...{ format: 1, id, systemIdentifier, timeline, storedBytes, bytes },
      startedAt: startedAt.toISOString(),
      finishedAt: finishedAt.toISOString(),
      verifiedAt: new Date().toISOString(),
      startLsn: formatLsn(startLsn),
      endLsn: formatLsn(endLsn),
      postgres: version?.server_version?.split(' ')[0] ?? '',
      segmentBytes: bytesOf(segment?.wal_segment_size ?? ''),
      parts: parts.count,
      files: files.size,
    };
  } catch (error) {
    await parts.abandon();
    await deleteBase(store, id).catch(() => undefined);
    throw error;
  } finally {
    await connection.end();
  }
}

/** Stores the facts of a backup, which makes it count. */
export const keepBase = (store: SealedStore, backup: BaseBackup): Promise<number> =>
  store.put(`base/${backup.id}/backup`, Buffer.from(JSON.stringify(backup)));

/** Returns the complete base backups of a series, the oldest first. */
export async function listBases(store: SealedStore): Promise<BaseBackup[]> {
  const backups: BaseBackup[] = [];
  for await (const { key } of store.list('base/')) {
    if (key.endsWith('/backup')) backups.push(JSON.parse((await store.readWhole(key)).toString()));
  }
  return backups.sort((a, b) => a.startedAt.localeCompare(b.startedAt));
}

/** Deletes a base backup; its facts first, so that a partly deleted backup does not count. */
export async function deleteBase(store: SealedStore, id: string): Promise<void> {
  await store.delete([`base/${id}/backup`]);
  const names: string[] = [];
  for await (const { key } of store.list(`base/${id}/`)) names.push(key);
  await store.delete(names);
}

/**
 * Reads the files of a stored base backup and compares each with the manifest.
 * @param sink Receives the files; null if they are only compared.
 * @returns The bytes of the files.
 * @throws ManifestError or SealError if the backup is damaged or incomplete.
 */
export async function readBase(
  store: SealedStore,
  { id, parts }: Pick<BaseBackup, 'id' | 'parts'>,
  sink: TarSink | null,
): Promise<number> {
  const check = new ManifestCheck(readManifest((await store.readWhole(`base/${id}/manifest`)).toString()), sink);
  const archive = createGunzip();
  const reading = feed(archive, partsOf(store, id, parts));
  // A failure of the source destroys the archive with it, and `readTar` rejects.
  reading.catch((error: Error) => archive.destroy(error));
  await readTar(archive, check).catch(async (error: unknown) => {
    archive.destroy();
    throw error;
  });
  await reading;
  check.finish();
  return check.bytes;
}

async function* partsOf(store: SealedStore, id: string, parts: number): AsyncGenerator<Buffer> {
  for (let part = 1; part <= parts; part++) yield* store.read(partName(id, part));
}

async function feed(to: NodeJS.WritableStream, source: AsyncIterable<Buffer>): Promise<void> {
  for await (const bytes of source) {
    if (!to.write(bytes)) await once(to, 'drain');
  }
  to.end();
}

const partName = (id: string, part: number): string => `base/${id}/data-${String(part).padStart(DIGITS, '0')}`;

const command = ({ bytesPerSecond, isFast }: Pick<BaseBackupOptions, 'bytesPerSecond' | 'isFast'>): string =>
  `BASE_BACKUP (${[
    `LABEL 'ninefold'`,
    `CHECKPOINT '${isFast ? 'fast' : 'spread'}'`,
    'PROGRESS true',
    'WAL false',
    `MAX_RATE ${Math.floor(bytesPerSecond / 1024)}`,
    `COMPRESSION 'gzip'`,
    `COMPRESSION_DETAIL 'level=1'`,
    `MANIFEST 'yes'`,
    `MANIFEST_CHECKSUMS 'SHA256'`,
  ].join(', ')})`;

/** Parses a size as SHOW prints it: `16MB`, `1GB`. */
export function bytesOf(size: string): number {
  const [, number, unit = ''] = /^(\d+)(kB|MB|GB)?$/.exec(size) ?? [];
  if (number === undefined) throw new TypeError(`“${size}” is no size`);
  return Number(number) * ({ '': 1, kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 }[unit] ?? 1);
}

/** Writes the archive of a backup as objects of at most `PART` bytes, one after the other. */
class Parts {
  readonly #store: SealedStore;
  readonly #id: string;
  #pipe: PassThrough | null = null;
  #bytes = 0;
  #stored = 0;
  #storing: Promise<void> = Promise.resolve();
  count = 0;

  constructor(store: SealedStore, id: string) {
    this.#store = store;
    this.#id = id;
  }

  /** Begins the archive of a tablespace. @throws ManifestError for any but the main tablespace. */
  begin(content: Buffer): void {
    const path = content.toString('utf8', content.indexOf(0) + 1, content.length - 1);
    if (path !== '') throw new ManifestError(`The server has the tablespace ${path}, and backups need one without.`);
  }

  async write(bytes: Buffer): Promise<void> {
    const pipe = this.#pipe ?? this.#open();
    this.#bytes += bytes.length;
    // The bytes belong to the connection.
    if (!pipe.write(Buffer.from(bytes))) await Promise.race([once(pipe, 'drain'), this.#storing]);
    if (this.#bytes >= PART) await this.#close();
  }

  /** Resolves to the number of stored bytes when all parts are stored. */
  async finish(): Promise<number> {
    if (this.#pipe) await this.#close();
    return this.#stored;
  }

  async abandon(): Promise<void> {
    this.#pipe?.destroy(new Error('The backup has failed.'));
    await this.#storing.catch(() => undefined);
  }

  #open(): PassThrough {
    this.count += 1;
    this.#bytes = 0;
    const pipe = new PassThrough({ highWaterMark: BUFFERED });
    this.#pipe = pipe;
    this.#storing = this.#store.put(partName(this.#id, this.count), pipe).then((bytes) => {
      this.#stored += bytes;
    });
    // The next write reports the error. Until then it must not end the process, and nothing must wait for the pipe.
    this.#storing.catch(() => pipe.resume());
    return pipe;
  }

  async #close(): Promise<void> {
    this.#pipe?.end();
    await this.#storing;
    this.#pipe = null;
  }
}
