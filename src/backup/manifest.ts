import { createHash, type Hash } from 'node:crypto';
import type { TarEntry, TarSink } from './tar-reader.ts';
import { type Lsn, parseLsn } from './wal-position.ts';

/** The manifest of a base backup (PostgreSQL manual, "Backup Manifest Format"). */
export interface Manifest {
  readonly systemIdentifier: string;
  readonly timeline: number;
  /** The WAL that a restore needs at least. */
  readonly startLsn: Lsn;
  readonly endLsn: Lsn;
  /** Size and SHA-256 of each file, by path. */
  readonly files: ReadonlyMap<string, { readonly size: number; readonly sha256: string }>;
}

/** Error of a backup whose content does not match its manifest. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

interface ManifestJson {
  'System-Identifier'?: number | string;
  Files: { Path?: string; 'Encoded-Path'?: string; Size: number; 'Checksum-Algorithm'?: string; Checksum?: string }[];
  'WAL-Ranges': { Timeline: number; 'Start-LSN': string; 'End-LSN': string }[];
}

/**
 * Parses a manifest and verifies its own checksum.
 * @throws ManifestError
 */
export function readManifest(text: string): Manifest {
  const checked = text.lastIndexOf('"Manifest-Checksum"');
  const [, checksum] = /^"Manifest-Checksum": "([\da-f]{64})"\}\s*$/.exec(text.slice(checked)) ?? [];
  if (checked < 0 || createHash('sha256').update(text.slice(0, checked)).digest('hex') !== checksum) {
    throw new ManifestError('The manifest of the backup is incomplete or was changed.');
  }
  const json = JSON.parse(text) as ManifestJson;
  const [range, ...others] = json['WAL-Ranges'];
  if (range === undefined || others.length > 0) {
    throw new ManifestError('The backup began and ended on different timelines.');
  }
  const files = json.Files.map((file): [string, { size: number; sha256: string }] => [
    file.Path ?? Buffer.from(file['Encoded-Path'] ?? '', 'hex').toString(),
    { size: file.Size, sha256: file['Checksum-Algorithm'] === 'SHA256' ? (file.Checksum ?? '') : '' },
  ]);
  return {
    // JSON.parse would round the number, which has up to 20 digits.
    systemIdentifier: /"System-Identifier": (\d+)/.exec(text)?.[1] ?? '',
    timeline: range.Timeline,
    startLsn: parseLsn(range['Start-LSN']),
    endLsn: parseLsn(range['End-LSN']),
    files: new Map(files),
  };
}

/** Compares the files of an archive with the manifest while they are read, and passes them on. */
export class ManifestCheck implements TarSink {
  readonly #manifest: Manifest;
  readonly #next: TarSink | null;
  readonly #seen = new Set<string>();
  #entry: TarEntry | null = null;
  #hash: Hash = createHash('sha256');
  #bytes = 0;

  /** @param next Receives the same entries; null if they are only compared. */
  constructor(manifest: Manifest, next: TarSink | null) {
    this.#manifest = manifest;
    this.#next = next;
  }

  /** The bytes of the files so far. */
  get bytes(): number {
    return this.#bytes;
  }

  async begin(entry: TarEntry): Promise<void> {
    this.#entry = entry;
    this.#hash = createHash('sha256');
    await this.#next?.begin(entry);
  }

  async data(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#next?.data(bytes);
  }

  async end(): Promise<void> {
    await this.#next?.end();
    const entry = this.#entry;
    if (entry?.kind !== 'file') return;
    const expected = this.#manifest.files.get(entry.path);
    // PostgreSQL sends a few files after the manifest's list was complete, such as the control file of the WAL.
    if (expected === undefined) return;
    if (expected.size !== entry.size || expected.sha256 !== this.#hash.digest('hex')) {
      throw new ManifestError(`The file ${entry.path} of the backup is damaged.`);
    }
    this.#seen.add(entry.path);
  }

  /** @throws ManifestError if a file of the manifest is missing. */
  finish(): void {
    const missing = [...this.#manifest.files.keys()].find((path) => !this.#seen.has(path));
    if (missing !== undefined) throw new ManifestError(`The file ${missing} of the backup is missing.`);
  }
}
