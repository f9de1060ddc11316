/**
 * The thread that runs pg_dump, which is compiled to WebAssembly, against a real server. pg_dump waits for each reply, so
 * the thread blocks until the main thread has exchanged the messages with the server.
 */
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { pgDump } from '@electric-sql/pglite-tools/pg_dump';

/** Data with which the thread is started. */
export interface WasmDumpData {
  readonly port: MessagePort;
  /** The first entry becomes 1 when a reply is in `port`. */
  readonly signal: Int32Array<SharedArrayBuffer>;
  /** The settings that the server reported at the login. */
  readonly reportedSettings: ReadonlyMap<string, string>;
  readonly args: string[];
}

/** Messages of the thread: bytes for the server, the dump, or the reason why there is none. */
export type WasmDumpMessage = { send: Uint8Array } | { dump: string } | { failed: string };

const { port, signal, reportedSettings, args } = workerData as WasmDumpData;

/** Type bytes of messages of a client that the server replies to: Query and Sync. */
const REPLIED = new Set([0x51, 0x53]);
const TERMINATE = 0x58;
/** The version of the protocol in a startup message, and the length of the shortest message without a type. */
const START = 196_608;
const START_BYTES = 8;
/** Number of bytes of a message's type and length. */
const HEAD = 5;

/** Returns a message with a type byte and a length. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Returns the replies to a startup message of a session that is logged in already. */
const startReplies = (): Buffer =>
  Buffer.concat([
    message('R', Buffer.alloc(4)),
    ...[...reportedSettings].map(([name, value]) => message('S', Buffer.from(`${name}\0${value}\0`))),
    message('K', Buffer.alloc(8)),
    message('Z', Buffer.from('I')),
  ]);

/** Sends messages to the server and waits for its reply. */
function exchange(bytes: Buffer): Uint8Array {
  Atomics.store(signal, 0, 0);
  port.postMessage({ send: new Uint8Array(bytes) } satisfies WasmDumpMessage);
  Atomics.wait(signal, 0, 0);
  const received: { message: Uint8Array } | undefined = receiveMessageOnPort(port);
  return received?.message ?? new Uint8Array();
}

/** The connection of pg_dump, as it sees it. */
class DumpConnection {
  #unsent: Buffer = Buffer.alloc(0);
  #hasStarted = false;

  /** Takes bytes that pg_dump writes. Returns the reply if they end with a message that has one. */
  reply(bytes: Uint8Array): Uint8Array {
    this.#unsent = Buffer.concat([this.#unsent, bytes]);
    return this.#hasStarted ? this.#replyOfServer() : this.#start();
  }

  #start(): Uint8Array {
    const { length } = this.#unsent;
    if (length < START_BYTES || length < this.#unsent.readInt32BE(0)) return new Uint8Array();
    const code = this.#unsent.readInt32BE(4);
    this.#unsent = Buffer.alloc(0);
    // The server refuses encryption, which a thread of this process does not need.
    if (code !== START) return Buffer.from('N');
    this.#hasStarted = true;
    return startReplies();
  }

  #replyOfServer(): Uint8Array {
    let end = 0;
    let isReplied = false;
    while (this.#unsent.length - end >= HEAD) {
      const next = end + 1 + this.#unsent.readInt32BE(end + 1);
      if (next > this.#unsent.length) break;
      const type = this.#unsent[end] as number;
      if (type === TERMINATE) return new Uint8Array();
      isReplied = REPLIED.has(type);
      end = next;
    }
    if (!isReplied) return new Uint8Array();
    const complete = this.#unsent.subarray(0, end);
    this.#unsent = this.#unsent.subarray(end);
    return exchange(complete);
  }
}

/** Runs pg_dump and sends its result to the main thread. */
async function run(): Promise<void> {
  const connection = new DumpConnection();
  // The functions of PGlite that `pgDump` calls.
  const pg = {
    query: async () => ({ rows: [{ search_path: '' }] }),
    exec: async () => [],
    execProtocolRawStream: (bytes: Uint8Array, options: { onRawData: (bytes: Uint8Array) => void }) => {
      const received = connection.reply(bytes);
      if (received.length > 0) options.onRawData(received);
    },
  };
  try {
    const file = await pgDump({ pg: pg as never, args: [...args] });
    port.postMessage({ dump: await file.text() } satisfies WasmDumpMessage);
  } catch (error) {
    port.postMessage({ failed: error instanceof Error ? error.message : String(error) } satisfies WasmDumpMessage);
  }
  // The thread stays until the main thread has the last message and ends it. The end of a thread may arrive before its messages.
  port.on('message', () => undefined);
}

void run();
