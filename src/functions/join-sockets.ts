import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Time in which the last bytes of a connection are sent after its other side closed. */
const END_MILLISECONDS = 10_000;

/** Passes the bytes of two sockets to each other until one closes. Returns a function that ends this and leaves both open. */
export function joinSockets(near: Socket, far: Socket): () => void {
  const join = (one: Socket, other: Socket) => {
    const end = () => {
      // Bytes that have arrived are still sent, unless the receiver does not read them.
      other.setTimeout(END_MILLISECONDS, () => other.destroy());
      other.destroySoon();
    };
    one.on('error', () => undefined);
    one.once('close', end).pipe(other);
    return () => one.off('close', end).unpipe(other);
  };
  const ends = [join(near, far), join(far, near)];
  return () => {
    for (const end of ends) end();
  };
}

/** A connection of a client that asks for a WebSocket. */
export interface ClientSocket {
  readonly stream: Socket;
  /** Bytes that followed the request. */
  readonly head: Buffer;
}

/**
 * Opens the WebSocket that a function has accepted.
 * @param first The first bytes of the function.
 */
export function openWebSocket(
  { stream, head }: ClientSocket,
  response: IncomingMessage,
  far: Socket,
  first: Buffer,
): void {
  stream.write(switchingLines(response));
  stream.write(first);
  far.write(head);
  joinSockets(stream, far);
}

/** Returns the response that opens a WebSocket (RFC 6455, section 4.2.2), with those headers of the function that belong to it. */
function switchingLines({ headers }: IncomingMessage): string {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('sec-websocket-'));
  const lines = own.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${lines.join('')}\r\n`;
}
