import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionConfig } from './connection-config.ts';
import { ConnectionError, DatabaseError } from './database-error.ts';
import { type OpenedSocket, openSocket } from './handshake.ts';
import { MessageReader, readErrorFields, readFields, readRow } from './reader.ts';
import { MessageWriter } from './writer.ts';

/** Bytes of a chunk below which `copyBoth` waits, because the server sends a message for each commit. */
const SMALL_CHUNK = 32 * 1024;
/** How long `copyBoth` waits for more bytes, in milliseconds. */
const COLLECT_MILLISECONDS = 100;
/** How long the server may take to answer a login, in milliseconds. */
const OPEN_MILLISECONDS = 10_000;

/** Types of messages of the server (PostgreSQL manual, "Message Formats"). */
const Message = {
  CopyData: 0x64,
  CopyDone: 0x63,
  DataRow: 0x44,
  ErrorResponse: 0x45,
  ReadyForQuery: 0x5a,
  RowDescription: 0x54,
} as const;

interface Received {
  readonly type: number;
  readonly body: Buffer;
}

/** One row of a result, by the names of its columns. */
export type ReplicationRow = Readonly<Record<string, string | null>>;

/**
 * A connection of the streaming replication protocol. It runs one command at a time with the simple query protocol
 * (PostgreSQL manual, "Streaming Replication Protocol").
 */
export class ReplicationConnection {
  readonly #opened: OpenedSocket;
  readonly #writer = new MessageWriter();
  readonly #messages: AsyncGenerator<Received>;
  /** True while messages of `copyBoth` arrive. */
  #collects = false;

  private constructor(opened: OpenedSocket) {
    this.#opened = opened;
    // An error ends the messages, which report it.
    opened.socket.on('error', () => undefined);
    opened.socket.pause();
    this.#messages = readMessages(opened, () => this.#collects);
  }

  /**
   * Connects and logs in. The role needs the attribute REPLICATION.
   * @throws ConnectionError
   */
  static async open(target: ConnectionConfig): Promise<ReplicationConnection> {
    return new ReplicationConnection(await openSocket({ ...target, isReplication: true }, OPEN_MILLISECONDS));
  }

  /**
   * Runs a command and returns the rows of all its results, in their order.
   * @throws DatabaseError or ConnectionError
   */
  async query(command: string): Promise<ReplicationRow[]> {
    return this.copyOut(command, () => {
      throw new ConnectionError(`the database sent data for “${command.split(' ')[0]}”`);
    });
  }

  /**
   * Runs a command that sends data, such as BASE_BACKUP. The server waits while `receive` works.
   * @param receive Receives the content of each CopyData message. The bytes are valid until it returns or resolves.
   * @returns The rows of the results before and after the data.
   * @throws DatabaseError or ConnectionError, or the error of `receive`, which closes the connection.
   */
  async copyOut(command: string, receive: (data: Buffer) => void | Promise<void>): Promise<ReplicationRow[]> {
    this.#send(command);
    const rows: ReplicationRow[] = [];
    let names: string[] = [];
    let failure: DatabaseError | null = null;
    try {
      for (;;) {
        const { type, body } = await this.#next();
        if (type === Message.RowDescription) names = readFields(body).map(({ name }) => name);
        else if (type === Message.DataRow) rows.push(toRow(names, body));
        else if (type === Message.CopyData) await receive(body);
        else if (type === Message.ErrorResponse) failure = new DatabaseError(readErrorFields(body));
        else if (type === Message.ReadyForQuery) break;
      }
    } catch (error) {
      this.close();
      throw error;
    }
    if (failure !== null) throw failure;
    return rows;
  }

  /**
   * Runs START_REPLICATION and yields the content of each CopyData message, until the server ends the stream. Then the
   * generator returns. Use `sendCopyData` in the meantime. Small messages arrive up to 100 ms late, because reading each on
   * its own would cost a server with many small transactions a quarter of its processor time.
   * @throws DatabaseError or ConnectionError
   */
  async *copyBoth(command: string): AsyncGenerator<Buffer, void> {
    this.#collects = true;
    this.#send(command);
    for (;;) {
      const { type, body } = await this.#next();
      if (type === Message.CopyData) yield body;
      else if (type === Message.CopyDone) return;
      else if (type === Message.ErrorResponse) throw new DatabaseError(readErrorFields(body));
    }
  }

  /** Sends a CopyData message to the server during `copyBoth`. */
  sendCopyData(data: Buffer): void {
    const message = Buffer.allocUnsafe(5 + data.length);
    message[0] = Message.CopyData;
    message.writeUInt32BE(4 + data.length, 1);
    data.copy(message, 5);
    this.#opened.socket.write(message);
  }

  /** Closes the connection at once. A running command fails with a ConnectionError. */
  close(): void {
    this.#opened.socket.destroy();
  }

  /** Asks the server to end the session, and resolves when the socket is closed. */
  async end(): Promise<void> {
    const { socket } = this.#opened;
    if (socket.destroyed) return;
    const closed = once(socket, 'close');
    this.#writer.terminate();
    socket.end(this.#writer.take());
    socket.resume();
    await closed;
  }

  #send(command: string): void {
    this.#writer.query(command);
    this.#opened.socket.write(this.#writer.take());
  }

  async #next(): Promise<Received> {
    const { value, done } = await this.#messages.next();
    if (done) throw new ConnectionError('the database closed the connection');
    return value;
  }
}

/** Yields the messages of the server. Reads the socket no faster than the caller asks for messages. */
async function* readMessages({ socket }: OpenedSocket, collects: () => boolean): AsyncGenerator<Received> {
  const received: Received[] = [];
  const reader = new MessageReader((type, data, start, end) => {
    received.push({ type, body: data.subarray(start, end) });
  });
  try {
    for await (const chunk of socket) {
      reader.push(chunk as Buffer);
      yield* received.splice(0);
      if (collects() && (chunk as Buffer).length < SMALL_CHUNK) await delay(COLLECT_MILLISECONDS);
    }
  } catch (cause) {
    throw new ConnectionError('the connection to the database was lost', { cause });
  }
}

const toRow = (names: readonly string[], body: Buffer): ReplicationRow =>
  Object.fromEntries(readRow(body).map((value, column) => [names[column] ?? '', value?.toString() ?? null]));
