import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionConfig } from '../database/connection-config.ts';
import { DatabaseError } from '../database/database-error.ts';
import { ReplicationConnection } from '../database/replication.ts';
import { bytesOf } from './base-backup.ts';
import type { SealedStore } from './sealed-store.ts';
import { WalArchive } from './wal-archive.ts';
import { formatLsn, type Lsn, parseLsn } from './wal-position.ts';
import { WalProgress } from './wal-progress.ts';

/** Name of the replication slot of a node's backups. */
const SLOT = 'ninefold_backup';
/** Bytes that wait for the target before the server waits. */
const BUFFERED = 32 * 1024 * 1024;
/** The largest segment that is supported, because open segments are in memory. */
const MAX_SEGMENT = 64 * 1024 * 1024;
/** Microseconds from PostgreSQL's epoch, 2000-01-01, to that of Unix. */
const EPOCH_OFFSET = 946_684_800_000_000n;
/** First bytes of the messages in the stream (PostgreSQL manual, "Streaming Replication Protocol"). */
const WAL_DATA = 0x77;
const KEEPALIVE = 0x6b;
const STATUS = 0x72;
const STATUS_BYTES = 34;
const WAL_HEAD = 25;

/** Error of a slot whose WAL the server has removed: the WAL has a gap, and a new base backup is needed. */
export class SlotLostError extends Error {
  override readonly name = 'SlotLostError';
}

/** Error of a server that changed its timeline or is another server. The series ends, and a new one begins. */
export class OtherServerError extends Error {
  override readonly name = 'OtherServerError';
}

/** The identity of a server, as IDENTIFY_SYSTEM reports it, and the size of its segments. */
export interface ServerIdentity {
  readonly systemIdentifier: string;
  readonly timeline: number;
  readonly segmentBytes: number;
}

export interface ReceiverOptions {
  readonly target: ConnectionConfig;
  readonly store: SealedStore;
  /** The server whose WAL the archive has. */
  readonly identity: ServerIdentity;
  readonly flushMilliseconds: number;
  /** Called when the target has all WAL up to a time of the server, in milliseconds since 1970. */
  readonly onComplete: (progress: { storedLsn: Lsn; at: number }) => void;
  /** Called once the server sends. */
  readonly onStreaming: () => void;
}

/** Returns the identity of a server. @throws DatabaseError, ConnectionError, or RangeError for segments that are too large. */
export async function identify(target: ConnectionConfig): Promise<ServerIdentity> {
  const connection = await ReplicationConnection.open(target);
  try {
    const [system] = await connection.query('IDENTIFY_SYSTEM');
    const [size] = await connection.query('SHOW wal_segment_size');
    const segmentBytes = bytesOf(size?.wal_segment_size ?? '');
    if (segmentBytes > MAX_SEGMENT) {
      throw new RangeError(
        `Backups need WAL segments of at most 64 MB, and those of the server have ${size?.wal_segment_size}.`,
      );
    }
    return { systemIdentifier: system?.systemid ?? '', timeline: Number(system?.timeline), segmentBytes };
  } finally {
    await connection.end();
  }
}

/**
 * Receives the write-ahead log of a server through a physical replication slot and stores it, until `signal` aborts. The
 * server keeps the WAL that is not stored, up to its setting max_slot_wal_keep_size.
 * @throws SlotLostError, OtherServerError, DatabaseError, ConnectionError, or an error of the target
 */
export async function receiveWal(options: ReceiverOptions, signal: AbortSignal): Promise<void> {
  const { target, identity } = options;
  const connection = await ReplicationConnection.open(target);
  const close = () => connection.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    await requireServer(connection, identity);
    const first = await slotStart(connection, identity);
    await new Stream(connection, options).run(first, signal);
  } catch (error) {
    if (!signal.aborted)
      throw error instanceof DatabaseError && isLost(error) ? new SlotLostError(error.message) : error;
  } finally {
    signal.removeEventListener('abort', close);
    connection.close();
  }
}

/** Removes the slot of the backups, so that the server keeps no WAL for them. Does nothing if there is none. */
export async function dropSlot(target: ConnectionConfig): Promise<void> {
  const connection = await ReplicationConnection.open(target);
  try {
    const [slot] = await connection.query(`READ_REPLICATION_SLOT ${SLOT}`);
    if (slot?.slot_type) await connection.query(`DROP_REPLICATION_SLOT ${SLOT} WAIT`);
  } finally {
    await connection.end();
  }
}

async function requireServer(connection: ReplicationConnection, identity: ServerIdentity): Promise<void> {
  const [system] = await connection.query('IDENTIFY_SYSTEM');
  if (system?.systemid === identity.systemIdentifier && Number(system?.timeline) === identity.timeline) return;
  throw new OtherServerError('The server is another one, or continues on another timeline.');
}

/** Returns the start of the first segment that the slot keeps. Creates the slot if there is none. */
async function slotStart(connection: ReplicationConnection, { segmentBytes }: ServerIdentity): Promise<Lsn> {
  const read = async () => (await connection.query(`READ_REPLICATION_SLOT ${SLOT}`))[0];
  let slot = await read();
  if (!slot?.slot_type) {
    await connection.query(`CREATE_REPLICATION_SLOT ${SLOT} PHYSICAL (RESERVE_WAL)`);
    slot = await read();
  }
  if (!slot?.restart_lsn) throw new SlotLostError('The replication slot of the backups keeps no WAL.');
  const lsn = parseLsn(slot.restart_lsn);
  return lsn - (lsn % BigInt(segmentBytes));
}

/**
 * Returns true if the server has removed WAL that the slot should have kept: 58P01 for a missing segment, 55000 for a
 * slot that was invalidated.
 */
const isLost = ({ sqlstate }: DatabaseError): boolean => sqlstate === '58P01' || sqlstate === '55000';

/** One run of START_REPLICATION. */
class Stream {
  readonly #connection: ReplicationConnection;
  readonly #options: ReceiverOptions;
  #flushing: Promise<void> = Promise.resolve();
  readonly #progress = new WalProgress();

  constructor(connection: ReplicationConnection, options: ReceiverOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  async run(first: Lsn, signal: AbortSignal): Promise<void> {
    const { store, identity, flushMilliseconds, onStreaming } = this.#options;
    const { timeline, segmentBytes } = identity;
    const archive = await WalArchive.open(store, timeline, segmentBytes, first);
    const from = archive.firstLsn;
    const messages = this.#connection.copyBoth(
      `START_REPLICATION SLOT ${SLOT} PHYSICAL ${formatLsn(from)} TIMELINE ${timeline}`,
    );
    const ended = new AbortController();
    const flushes = this.#flushRegularly(archive, AbortSignal.any([signal, ended.signal]), flushMilliseconds);
    // A failed flush closes the connection, and `flushes` has the reason.
    flushes.catch(() => this.#connection.close());
    try {
      onStreaming();
      for await (const message of messages) await this.#take(archive, message);
    } finally {
      ended.abort();
      await flushes;
      await archive.flush();
    }
    if (!signal.aborted) throw new OtherServerError('The server continues on another timeline.');
  }

  async #take(archive: WalArchive, message: Buffer): Promise<void> {
    if (message[0] === WAL_DATA) {
      const [lsn, end, sentAt] = [1, 9, 17].map((offset) => message.readBigUInt64BE(offset)) as [
        bigint,
        bigint,
        bigint,
      ];
      const data = message.subarray(WAL_HEAD);
      archive.append(lsn, data, this.#progress.data(lsn + BigInt(data.length), end, sentAt + EPOCH_OFFSET));
      if (archive.waitingBytes > BUFFERED) await this.#flush(archive);
    } else if (message[0] === KEEPALIVE) {
      const [end, sentAt] = [message.readBigUInt64BE(1), message.readBigUInt64BE(9) + EPOCH_OFFSET];
      if (message[17] === 1) {
        // The server asks before it ends the connection or itself: then everything must be stored at once.
        this.#progress.keepalive(end, sentAt);
        await this.#flush(archive);
      } else {
        if (this.#progress.answer(end, sentAt)) this.#connection.sendCopyData(status(archive.storedLsn, true));
        this.#reportComplete(archive);
      }
    }
  }

  async #flushRegularly(archive: WalArchive, signal: AbortSignal, milliseconds: number): Promise<void> {
    while (!signal.aborted) {
      await this.#flush(archive);
      await delay(milliseconds, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Stores what has arrived, and reports it to the server, whose answers say whether this is everything. */
  #flush(archive: WalArchive): Promise<void> {
    const flush = async () => {
      await archive.flush();
      this.#connection.sendCopyData(status(archive.storedLsn, this.#progress.request()));
      this.#reportComplete(archive);
    };
    this.#flushing = this.#flushing.then(flush);
    return this.#flushing;
  }

  #reportComplete(archive: WalArchive): void {
    const { storedLsn } = archive;
    const at = this.#progress.takeCompleteAt(storedLsn);
    if (at !== null) this.#options.onComplete({ storedLsn, at });
  }
}

/** Returns a Standby status update. */
function status(stored: Lsn, asksForAnswer: boolean): Buffer {
  const message = Buffer.alloc(STATUS_BYTES);
  message[0] = STATUS;
  for (const offset of [1, 9, 17]) message.writeBigUInt64BE(stored, offset);
  message.writeBigInt64BE(BigInt(Date.now()) * 1000n - EPOCH_OFFSET, 25);
  message[33] = asksForAnswer ? 1 : 0;
  return message;
}
