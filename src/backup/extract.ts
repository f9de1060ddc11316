import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BaseBackup, readBase } from './base-backup.ts';
import type { SealedStore } from './sealed-store.ts';
import type { TarEntry, TarSink } from './tar-reader.ts';
import { listSegments, readSegment } from './wal-archive.ts';
import { type Lsn, parseLsn, segmentStart } from './wal-position.ts';

/** The user that owns the files of a data folder; null is the user of this process. */
export type Owner = { readonly uid: number; readonly gid: number } | null;

export interface ExtractOptions {
  readonly store: SealedStore;
  readonly backup: BaseBackup;
  /** A folder that exists and is empty. */
  readonly folder: string;
  readonly owner: Owner;
  /** Returns true if no WAL after this is needed. */
  readonly isEnough: (wal: ExtractedWal) => boolean;
  readonly onProgress?: (progress: ExtractProgress) => void;
}

export interface ExtractProgress {
  readonly step: 'files' | 'wal';
  readonly bytes: number;
  /** All bytes of the step; null if they are not known. */
  readonly total: number | null;
}

/** The WAL that a restored folder has. */
export interface ExtractedWal {
  /** The server's time until which the WAL is complete, in milliseconds since 1970. */
  readonly completeAt: number;
  /** The position before which the folder has all WAL. */
  readonly endLsn: Lsn;
}

/**
 * Writes the data folder of a base backup and the WAL after it. Each file is compared with the manifest.
 * @throws ManifestError or SealError if the backup is damaged, RangeError if its own WAL is missing.
 */
export async function extract(options: ExtractOptions): Promise<ExtractedWal> {
  const { store, backup, folder, owner, onProgress } = options;
  const writer = new FolderWriter(folder, owner, (bytes) =>
    onProgress?.({ step: 'files', bytes, total: backup.bytes }),
  );
  await readBase(store, backup, writer);
  return extractWal(options);
}

async function extractWal({
  store,
  backup,
  folder,
  owner,
  isEnough,
  onProgress,
}: ExtractOptions): Promise<ExtractedWal> {
  const { timeline, segmentBytes } = backup;
  const [start, end] = [parseLsn(backup.startLsn), parseLsn(backup.endLsn)];
  const segments = await listSegments(store, timeline, segmentBytes, start);
  const has = segments.reduce((sum, { bytes }) => sum + BigInt(bytes), start - (start % BigInt(segmentBytes)));
  if (has < end) throw new RangeError(`The WAL of the backup ${backup.id} is missing.`);
  let wal: ExtractedWal = { completeAt: 0, endLsn: 0n };
  let count = 0;
  for (const segment of segments) {
    const { bytes, stored, completeAt } = await readSegment(store, segment, segmentBytes);
    const path = join(folder, 'pg_wal', segment.name);
    await writeFile(path, bytes, { mode: 0o600, flush: true });
    if (owner) await chown(path, owner.uid, owner.gid);
    wal = {
      completeAt: Math.max(wal.completeAt, completeAt),
      endLsn: segmentStart(segment.name, segmentBytes) + BigInt(stored),
    };
    count += 1;
    onProgress?.({ step: 'wal', bytes: count * segmentBytes, total: null });
    if (wal.endLsn > end && isEnough(wal)) break;
  }
  return wal;
}

/** Writes the entries of an archive below a folder. */
class FolderWriter implements TarSink {
  readonly #folder: string;
  readonly #owner: Owner;
  readonly #onBytes: (bytes: number) => void;
  #file: WriteStream | null = null;
  #path = '';
  #bytes = 0;

  constructor(folder: string, owner: Owner, onBytes: (bytes: number) => void) {
    this.#folder = folder;
    this.#owner = owner;
    this.#onBytes = onBytes;
  }

  async begin({ path, kind, mode, link }: TarEntry): Promise<void> {
    this.#path = join(this.#folder, path);
    if (kind === 'folder') await mkdir(this.#path, { recursive: true, mode: 0o700 });
    else if (kind === 'link') await symlink(link, this.#path);
    else this.#file = createWriteStream(this.#path, { flags: 'wx', mode: mode & 0o700 });
    if (kind === 'folder') await this.#own(this.#path);
  }

  async data(bytes: Buffer): Promise<void> {
    this.#bytes += bytes.length;
    if (this.#file && !this.#file.write(bytes)) await once(this.#file, 'drain');
    this.#onBytes(this.#bytes);
  }

  async end(): Promise<void> {
    if (!this.#file) return;
    const closed = once(this.#file, 'close');
    this.#file.end();
    await closed;
    this.#file = null;
    await this.#own(this.#path);
  }

  async #own(path: string): Promise<void> {
    if (this.#owner) await chown(path, this.#owner.uid, this.#owner.gid);
  }
}
