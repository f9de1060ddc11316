import type { ConnectionConfig } from './connection-config.ts';
import { ConnectionError, DatabaseError } from './database-error.ts';
import { type OpenedSocket, openSocket } from './handshake.ts';
import { readErrorFields, readFields, readRow, readString } from './reader.ts';
import { MessageWriter } from './writer.ts';

/** Type bytes of messages of the server (PostgreSQL manual, "Message Formats"). */
const READY = 0x5a;
const ERROR = 0x45;
const ROW_DESCRIPTION = 0x54;
const ROW = 0x44;
const COMPLETE = 0x43;
const COPY_IN = 0x47;
const COPY_OUT = 0x48;
const COPY_DATA = 0x64;
const COPY_DONE = 0x63;

/** Number of bytes of a message's type and length. */
const HEAD = 5;

/** Time for a login, and for the server to close a connection. */
const LOGIN_MILLISECONDS = 15_000;

/** A row with its values as text, by the names of the columns. */
export type TextRow = Record<string, string | null>;

/** Receives messages of the server while a command runs. */
interface Command {
  /** Receives the bytes of CopyData messages, whole or in parts, with their heads. */
  onCopyData?: (bytes: Buffer) => void;
  onMessage(type: number, body: Buffer): void;
  onEnd(error: Error | null): void;
}

/**
 * A connection that runs one command at a time with the simple query protocol, and copies rows to another server without
 * parsing them. `Connection` serves requests, whose statements share a connection and whose results fit into memory.
 */
export class RawSession {
  readonly #opened: OpenedSocket;
  #command: Command | null = null;
  #pending: Buffer = Buffer.alloc(0);
  /** Number of bytes of the current CopyData message that have not arrived. */
  #copyBytes = 0;
  #closedBy: Error | null = null;

  private constructor(opened: OpenedSocket) {
    this.#opened = opened;
    const { socket } = opened;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error: Error) => this.#fail(new ConnectionError(error.message, { cause: error })));
    socket.on('close', () => this.#fail(new ConnectionError('the database closed the connection')));
    if (socket.destroyed) this.#fail(new ConnectionError('the database closed the connection'));
  }

  /** @throws ConnectionError, with a `sqlstate` if PostgreSQL refuses the login. */
  static async open(target: ConnectionConfig): Promise<RawSession> {
    return new RawSession(await openSocket(target, LOGIN_MILLISECONDS));
  }

  /** The values of the settings that PostgreSQL reports, by name, after the login. */
  get reportedSettings(): ReadonlyMap<string, string> {
    return this.#opened.reportedSettings;
  }

  /**
   * Runs SQL text with any number of statements: one implicit transaction. Returns the rows of all statements.
   * @throws DatabaseError with the position within the whole text.
   * @throws ConnectionError
   */
  async query(sql: string): Promise<TextRow[]> {
    const rows: TextRow[] = [];
    let names: string[] = [];
    await this.#run(query(sql), (type, body) => {
      if (type === ROW_DESCRIPTION) names = readFields(body).map((field) => field.name);
      if (type === ROW) {
        const values = readRow(body);
        rows.push(Object.fromEntries(names.map((name, i) => [name, values[i]?.toString() ?? null])));
      }
    });
    return rows;
  }

  /**
   * Sends messages of a client of the simple query protocol. Returns all messages of the server up to ReadyForQuery,
   * errors included.
   * @throws ConnectionError
   */
  async exchange(messages: Uint8Array): Promise<Buffer> {
    const parts: Buffer[] = [];
    const collect = (type: number, body: Buffer) => {
      const head = Buffer.alloc(HEAD);
      head[0] = type;
      head.writeInt32BE(body.length + 4, 1);
      parts.push(head, body);
    };
    await this.#run(Buffer.from(messages), collect, { onCopyData: (bytes) => parts.push(bytes), reportsErrors: true });
    return Buffer.concat(parts);
  }

  /**
   * Runs `COPY … TO STDOUT`.
   * @param receive Receives the bytes of CopyData messages, whole or in parts, with their heads.
   * @throws DatabaseError, ConnectionError
   */
  copyOut(sql: string, receive: (bytes: Buffer) => void): Promise<void> {
    return this.#run(query(sql), () => undefined, { onCopyData: receive });
  }

  /**
   * Copies rows to another server: the bytes of `COPY … TO STDOUT` here become those of `COPY … FROM STDIN` there. Reads no
   * faster than the other server writes.
   * @returns The number of rows that the other server stored, and the number of bytes.
   * @throws DatabaseError, ConnectionError of either server. Both sessions are usable afterwards unless their connection was lost.
   */
  async copyTo(
    target: RawSession,
    sql: { readonly from: string; readonly to: string },
  ): Promise<{ rows: number; bytes: number }> {
    let bytes = 0;
    let rows = 0;
    const { socket: source } = this.#opened;
    const { socket: sink } = target.#opened;
    const resume = () => source.resume();
    let ready: (accepts: boolean) => void = () => undefined;
    const isReady = new Promise<boolean>((resolve) => {
      ready = resolve;
    });
    const stored = target.#run(query(sql.to), (type, body) => {
      if (type === COPY_IN) ready(true);
      if (type === COMPLETE) rows = Number(readString(body).split(' ').at(-1));
    });
    const failure = stored.then(
      () => null,
      (error: unknown) => error,
    );
    void failure.then(() => ready(false));
    if (!(await isReady)) throw (await failure) ?? new Error(`“${sql.to}” copies no rows`);
    sink.on('drain', resume);
    try {
      await this.#run(query(sql.from), () => undefined, {
        onCopyData: (part) => {
          bytes += part.length;
          // If the other server has refused the rows, it discards the rest.
          if (!target.#closedBy && !sink.write(part)) source.pause();
        },
      });
      target.#write(emptyMessage(COPY_DONE));
    } catch (error) {
      target.#write(copyFail());
      await failure;
      throw error;
    } finally {
      sink.off('drain', resume);
      source.resume();
    }
    const error = await failure;
    if (error) throw error;
    return { rows, bytes };
  }

  /** Closes the connection. Resolves once the socket is closed. */
  async close(): Promise<void> {
    const { socket } = this.#opened;
    if (socket.destroyed) return;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const writer = new MessageWriter();
    writer.terminate();
    socket.end(writer.take());
    const timer = setTimeout(() => socket.destroy(), LOGIN_MILLISECONDS);
    await closed;
    clearTimeout(timer);
  }

  #write(bytes: Buffer): void {
    if (!this.#closedBy) this.#opened.socket.write(bytes);
  }

  #run(
    bytes: Buffer,
    onMessage: (type: number, body: Buffer) => void,
    { onCopyData, reportsErrors = false }: { onCopyData?: (bytes: Buffer) => void; reportsErrors?: boolean } = {},
  ): Promise<void> {
    if (this.#command) throw new Error('the session runs another command');
    if (this.#closedBy) return Promise.reject(this.#closedBy);
    return new Promise((resolve, reject) => {
      let refusal: Error | null = null;
      this.#command = {
        ...(onCopyData && { onCopyData }),
        onMessage: (type, body) => {
          if (type === ERROR && !reportsErrors) refusal ??= new DatabaseError(readErrorFields(body));
          onMessage(type, body);
        },
        onEnd: (error) => {
          const failure = error ?? refusal;
          if (failure) reject(failure);
          else resolve();
        },
      };
      this.#opened.socket.write(bytes);
    });
  }

  #receive(chunk: Buffer): void {
    let data = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    this.#pending = Buffer.alloc(0);
    while (data.length > 0) {
      const copied = this.#copyPart(data);
      if (copied > 0) {
        this.#command?.onCopyData?.(data.subarray(0, copied));
        data = data.subarray(copied);
        continue;
      }
      const end = data.length < HEAD ? Number.POSITIVE_INFINITY : 1 + data.readUInt32BE(1);
      if (data.length < end) {
        this.#pending = data;
        return;
      }
      this.#handle(data[0] as number, data.subarray(HEAD, end));
      data = data.subarray(end);
    }
  }

  /** Returns the number of bytes at the start of `data` that belong to CopyData messages. */
  #copyPart(data: Buffer): number {
    let offset = Math.min(this.#copyBytes, data.length);
    this.#copyBytes -= offset;
    while (this.#copyBytes === 0 && data.length - offset >= HEAD && data[offset] === COPY_DATA) {
      const length = 1 + data.readUInt32BE(offset + 1);
      const here = Math.min(length, data.length - offset);
      this.#copyBytes = length - here;
      offset += here;
    }
    return offset;
  }

  #handle(type: number, body: Buffer): void {
    const command = this.#command;
    if (!command || type === COPY_OUT) return;
    command.onMessage(type, body);
    if (type !== READY) return;
    this.#command = null;
    command.onEnd(null);
  }

  #fail(error: Error): void {
    if (this.#closedBy) return;
    this.#closedBy = error;
    const command = this.#command;
    this.#command = null;
    command?.onEnd(error);
  }
}

function query(sql: string): Buffer {
  const writer = new MessageWriter();
  writer.query(sql);
  return writer.take();
}

function copyFail(): Buffer {
  const writer = new MessageWriter();
  writer.copyFail('the other server failed');
  return writer.take();
}

function emptyMessage(type: number): Buffer {
  const message = Buffer.alloc(HEAD);
  message[0] = type;
  message.writeInt32BE(4, 1);
  return message;
}
