import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { BytesMissingError } from '../files/byte-store.ts';
import type { SealedStore } from './sealed-store.ts';
import { type Lsn, segmentName, segmentStart, timelineName, timelineOf } from './wal-position.ts';

const compress = promisify<Buffer, { level: number }, Buffer>(gzip);
const decompress = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** Number of pieces of an open segment above which they are replaced by one. */
const MAX_PIECES = 60;
/** Bytes of the time before the content of an object. */
const HEAD = 8;
/** Number of attempts to read a segment whose pieces a node replaces meanwhile. */
const READ_ATTEMPTS = 5;

/** A stored part of a segment: the whole segment, or the bytes from one offset to before another. */
interface Piece {
  readonly name: string;
  readonly segment: string;
  readonly from: number;
  readonly to: number;
}

interface OpenSegment {
  readonly start: Lsn;
  readonly bytes: Buffer;
  /** Number of bytes that have arrived, and that are stored. */
  filled: number;
  stored: number;
  pieces: string[];
  /** The time until which the WAL up to the last byte that has arrived is complete, in microseconds since 1970. */
  completeAt: bigint;
}

/**
 * Stores the write-ahead log in a backup target: a complete segment as one object, and the bytes of the open segment as
 * pieces, so that little is lost if the machine is lost. Each object begins with a time of the server: all WAL until then
 * ends before the end of the object.
 */
export class WalArchive {
  readonly #store: SealedStore;
  readonly #timeline: number;
  readonly #segmentBytes: number;
  #segments: OpenSegment[] = [];
  #completeAt = 0n;
  #storedLsn: Lsn;
  #resumed: { segment: string; stored: number; pieces: string[] } | null;

  private constructor(
    store: SealedStore,
    timeline: number,
    segmentBytes: number,
    resume: { lsn: Lsn; segment: string; stored: number; pieces: string[] },
  ) {
    this.#store = store;
    this.#timeline = timeline;
    this.#segmentBytes = segmentBytes;
    this.#storedLsn = resume.lsn;
    this.#resumed = resume;
  }

  /**
   * Opens the archive of a series at the end of its stored WAL.
   * @param first Where the WAL begins if the archive has none of this timeline; the start of a segment.
   */
  static async open(store: SealedStore, timeline: number, segmentBytes: number, first: Lsn): Promise<WalArchive> {
    const pieces = (await listPieces(store, timeline, segmentBytes)).filter(
      ({ segment }) => segmentStart(segment, segmentBytes) >= first,
    );
    const segment = pieces.at(-1)?.segment;
    if (segment === undefined) {
      return new WalArchive(store, timeline, segmentBytes, { lsn: first, segment: '', stored: 0, pieces: [] });
    }
    const own = pieces.filter((piece) => piece.segment === segment);
    const stored = covered(own);
    return new WalArchive(store, timeline, segmentBytes, {
      lsn: segmentStart(segment, segmentBytes) + BigInt(stored === segmentBytes ? segmentBytes : 0),
      segment,
      stored,
      pieces: own.map(({ name }) => name),
    });
  }

  /** The position from which the server must send: the start of the first segment that is not complete. */
  get firstLsn(): Lsn {
    return this.#segments[0]?.start ?? this.#storedLsn;
  }

  /** The position before which all WAL is stored. */
  get storedLsn(): Lsn {
    return this.#storedLsn;
  }

  /** Bytes that have arrived and are not stored. */
  get waitingBytes(): number {
    return this.#segments.reduce((sum, { filled, stored }) => sum + Math.max(0, filled - stored), 0);
  }

  /**
   * Adds bytes that the server sent. The bytes are copied.
   * @param completeAt The server's time until which the WAL up to the end of these bytes is complete, in microseconds since
   * 1970.
   * @throws RangeError if bytes before `lsn` are missing.
   */
  append(lsn: Lsn, data: Buffer, completeAt: bigint): void {
    for (let offset = 0; offset < data.length; ) {
      const segment = this.#segmentOf(lsn + BigInt(offset));
      const at = Number(lsn + BigInt(offset) - segment.start);
      if (at > segment.filled) throw new RangeError('The server left out a part of the WAL.');
      const copied = data.copy(segment.bytes, at, offset);
      segment.filled = Math.max(segment.filled, at + copied);
      offset += copied;
      // Bytes of the same time are in the next segment.
      segment.completeAt = offset < data.length ? this.#completeAt : completeAt;
    }
    this.#completeAt = completeAt;
  }

  /** Stores all bytes that have arrived. Bytes that arrive meanwhile wait for the next call. */
  async flush(): Promise<void> {
    for (const segment of [...this.#segments]) {
      const { filled, completeAt } = segment;
      const name = this.#name(segment.start);
      if (filled === this.#segmentBytes) {
        if (segment.stored < filled) await this.#put(name, segment.bytes, completeAt);
        await this.#store.delete(segment.pieces);
        this.#segments = this.#segments.filter((open) => open !== segment);
      } else if (filled > segment.stored) {
        const replaced = segment.pieces.length >= MAX_PIECES ? segment.pieces : [];
        const from = replaced.length > 0 ? 0 : segment.stored;
        const piece = `${name}.${offsetName(from)}-${offsetName(filled)}`;
        await this.#put(piece, segment.bytes.subarray(from, filled), completeAt);
        await this.#store.delete(replaced);
        segment.pieces = [...segment.pieces.filter((old) => !replaced.includes(old)), piece];
      }
      segment.stored = Math.max(segment.stored, filled);
      this.#storedLsn = segment.start + BigInt(filled);
    }
  }

  #segmentOf(lsn: Lsn): OpenSegment {
    const start = lsn - (lsn % BigInt(this.#segmentBytes));
    const found = this.#segments.find((segment) => segment.start === start);
    if (found) return found;
    const name = segmentName(this.#timeline, start, this.#segmentBytes);
    const { stored, pieces } = this.#resumed?.segment === name ? this.#resumed : { stored: 0, pieces: [] };
    const opened = { start, bytes: Buffer.alloc(this.#segmentBytes), filled: 0, stored, pieces, completeAt: 0n };
    this.#resumed = null;
    this.#segments.push(opened);
    return opened;
  }

  async #put(name: string, bytes: Buffer, completeAt: bigint): Promise<void> {
    const head = Buffer.alloc(HEAD);
    head.writeBigInt64BE(completeAt);
    await this.#store.put(name, Buffer.concat([head, await compress(bytes, { level: 1 })]));
  }

  #name(lsn: Lsn): string {
    return `wal/${timelineName(this.#timeline)}/${segmentName(this.#timeline, lsn, this.#segmentBytes)}`;
  }
}

/** A contiguous part of the stored WAL. */
export interface WalSegment {
  /** Name of PostgreSQL's file. */
  readonly name: string;
  /** The objects whose contents, one after the other at their offsets, are the segment. */
  readonly pieces: readonly Piece[];
  /** Number of bytes from the start of the segment. */
  readonly bytes: number;
}

/**
 * Returns the segments of a timeline from the one that contains `from`, up to the first gap. Lists the target twice: if a
 * node replaces pieces during the first listing, that listing may have neither the old pieces nor the new one.
 */
export async function listSegments(
  store: SealedStore,
  timeline: number,
  segmentBytes: number,
  from: Lsn,
): Promise<WalSegment[]> {
  const bySegment = new Map<string, Piece[]>();
  const twice = [
    ...(await listPieces(store, timeline, segmentBytes)),
    ...(await listPieces(store, timeline, segmentBytes)),
  ];
  const distinct = new Map(twice.map((piece) => [piece.name, piece])).values();
  for (const piece of [...distinct].sort(bySegmentAndOffset)) {
    bySegment.set(piece.segment, [...(bySegment.get(piece.segment) ?? []), piece]);
  }
  const segments: WalSegment[] = [];
  for (let lsn = from; ; lsn += BigInt(segmentBytes)) {
    const name = segmentName(timeline, lsn, segmentBytes);
    const pieces = bySegment.get(name) ?? [];
    const bytes = covered(pieces);
    if (bytes === 0) return segments;
    segments.push({ name, pieces, bytes });
    if (bytes < segmentBytes) return segments;
  }
}

/** The content of a segment. */
export interface ReadSegment {
  /** A complete segment. The bytes that are not stored are zero, as in a new segment of PostgreSQL. */
  readonly bytes: Buffer;
  /** Number of bytes that are stored. */
  readonly stored: number;
  /** The server's time until which the WAL up to the end of the segment is complete, in milliseconds since 1970. */
  readonly completeAt: number;
}

/**
 * Reads a segment, also while a node replaces its pieces.
 * @throws SealError, or BytesMissingError if the segment was deleted.
 */
export async function readSegment(store: SealedStore, segment: WalSegment, segmentBytes: number): Promise<ReadSegment> {
  for (let attempt = 1, current = segment; ; attempt++) {
    try {
      return await readPieces(store, current, segmentBytes);
    } catch (error) {
      if (!(error instanceof BytesMissingError) || attempt === READ_ATTEMPTS) throw error;
      const { name } = segment;
      const [listed] = await listSegments(store, timelineOf(name), segmentBytes, segmentStart(name, segmentBytes));
      if (listed === undefined) throw error;
      current = listed;
    }
  }
}

async function readPieces(store: SealedStore, segment: WalSegment, segmentBytes: number): Promise<ReadSegment> {
  const bytes = Buffer.alloc(segmentBytes);
  let completeAt = 0n;
  for (const piece of segment.pieces) {
    const object = await store.readWhole(piece.name);
    const content = await decompress(object.subarray(HEAD), { maxOutputLength: segmentBytes });
    content.copy(bytes, piece.from);
    const time = object.readBigInt64BE(0);
    if (time > completeAt) completeAt = time;
  }
  return { bytes, stored: segment.bytes, completeAt: Number(completeAt / 1000n) };
}

/** Deletes the WAL before a position. */
export async function deleteWalBefore(
  store: SealedStore,
  timeline: number,
  segmentBytes: number,
  lsn: Lsn,
): Promise<number> {
  const outdated = (await listPieces(store, timeline, segmentBytes)).filter(
    ({ segment }) => segmentStart(segment, segmentBytes) + BigInt(segmentBytes) <= lsn,
  );
  await store.delete(outdated.map(({ name }) => name));
  return outdated.length;
}

/** Returns all stored parts of a timeline, by segment and offset. */
async function listPieces(store: SealedStore, timeline: number, segmentBytes: number): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const { key } of store.list(`wal/${timelineName(timeline)}/`)) {
    const [, segment = '', from, to] = /\/([\dA-F]{24})(?:\.([\dA-F]{8})-([\dA-F]{8}))?$/.exec(key) ?? [];
    if (segment === '') continue;
    pieces.push({
      name: key,
      segment,
      from: from === undefined ? 0 : Number.parseInt(from, 16),
      to: to === undefined ? segmentBytes : Number.parseInt(to, 16),
    });
  }
  return pieces.sort(bySegmentAndOffset);
}

const bySegmentAndOffset = (a: Piece, b: Piece): number =>
  a.segment.localeCompare(b.segment) || a.from - b.from || a.to - b.to;

/** Returns the number of bytes from the start of a segment that its pieces contain without a gap. */
const covered = (pieces: readonly Piece[]): number =>
  pieces.reduce((end, { from, to }) => (from <= end && to > end ? to : end), 0);

const offsetName = (offset: number): string => offset.toString(16).toUpperCase().padStart(8, '0');
