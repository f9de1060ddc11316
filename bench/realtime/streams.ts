import net from 'node:net';

/** All sockets read into one buffer, because each chunk is handled before the next read. */
const chunk = Buffer.allocUnsafe(256 * 1024);
const HEAD_END = Buffer.from('\r\n\r\n');
const EVENT_END = Buffer.from('\n\n');

/** A connection that receives messages of a server. It does little work for each message, because it shares the machine with the server. */
abstract class MessageStream {
  /** Receives the bytes of a message between two positions. They are valid during the call. */
  onMessage: (bytes: Buffer, start: number, end: number) => void = () => undefined;
  isClosed = false;
  readonly opened: Promise<void>;
  protected readonly socket: net.Socket;
  #rest: Buffer | null = null;
  #isOpen = false;

  constructor(port: number, request: string) {
    let open: () => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    this.opened = new Promise((resolve, reject) => {
      open = resolve;
      fail = reject;
    });
    this.opened.catch(() => undefined);
    const callback = (length: number): boolean => {
      this.#read(chunk.subarray(0, length), open, fail);
      return true;
    };
    const onread = { buffer: chunk, callback };
    this.socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread }, () => this.socket.write(request));
    this.socket.on('error', fail);
    this.socket.on('close', () => {
      this.isClosed = true;
      fail(new Error('the server closed the connection'));
    });
  }

  close(): void {
    this.socket.destroy();
  }

  /** Passes complete messages to `onMessage`. Returns the number of bytes that they took. */
  protected abstract take(bytes: Buffer): number;

  #read(read: Buffer, open: () => void, reject: (error: Error) => void): void {
    let bytes = this.#rest === null ? read : Buffer.concat([this.#rest, read]);
    if (!this.#isOpen) {
      const end = bytes.indexOf(HEAD_END);
      if (end >= 0) {
        const status = bytes.toString('latin1', 9, 12);
        if (status !== '101' && status !== '200') reject(new Error(bytes.toString('latin1')));
        this.#isOpen = true;
        bytes = bytes.subarray(end + HEAD_END.length);
        open();
      }
    }
    const taken = this.#isOpen ? this.take(bytes) : 0;
    this.#rest = taken === bytes.length ? null : Buffer.from(bytes.subarray(taken));
  }
}

/** A WebSocket (RFC 6455). */
export class WebSocketStream extends MessageStream {
  constructor(port: number, path: string) {
    super(
      port,
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
  }

  /** Sends a message of at most 64 KB. */
  send(text: string): void {
    const length = Buffer.byteLength(text);
    const header = length < 126 ? 6 : 8;
    // The key that masks the bytes is zero, so that they stay as they are.
    const frame = Buffer.alloc(header + length);
    frame[0] = 0x81;
    frame[1] = 0x80 | (length < 126 ? length : 126);
    if (length >= 126) frame.writeUInt16BE(length, 2);
    frame.write(text, header);
    this.socket.write(frame);
  }

  protected take(bytes: Buffer): number {
    let at = 0;
    while (at + 2 <= bytes.length) {
      let length = (bytes[at + 1] as number) & 0x7f;
      let start = at + 2;
      if (length === 126) {
        if (start + 2 > bytes.length) break;
        length = bytes.readUInt16BE(start);
        start += 2;
      } else if (length === 127) {
        if (start + 8 > bytes.length) break;
        length = Number(bytes.readBigUInt64BE(start));
        start += 8;
      }
      const end = start + length;
      if (end > bytes.length) break;
      const opcode = (bytes[at] as number) & 0x0f;
      if (opcode === 8) this.isClosed = true;
      else if (opcode < 3) this.onMessage(bytes, start, end);
      at = end;
    }
    return at;
  }
}

/** A stream of server-sent events, whose chunks of HTTP/1.1 each hold complete events. */
export class EventStream extends MessageStream {
  constructor(port: number, path: string) {
    super(port, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`);
  }

  protected take(bytes: Buffer): number {
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(EVENT_END, at);
      if (end < 0) return at;
      this.onMessage(bytes, at, end);
      at = end + EVENT_END.length;
    }
  }
}
