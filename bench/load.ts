import net from 'node:net';

export interface LoadOptions {
  port: number;
  connections: number;
  milliseconds: number;
  /** Returns the bytes of the next request on a connection. `onBody` receives the body of its response. */
  next: (connection: number) => Buffer;
  onBody?: (connection: number, body: string) => void;
}

export interface LoadResult {
  perSecond: number;
  p50: number;
  p99: number;
  requests: number;
  /** Number of responses with a status other than 2xx. */
  failed: number;
}

/**
 * Keeps every connection busy with one request after the other over plain sockets, and measures each response. The code
 * is small, so that it takes little processor time away from the server on a small machine.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const times: number[] = [];
  let failed = 0;
  const started = performance.now();
  const until = started + options.milliseconds;
  await Promise.all(
    Array.from({ length: options.connections }, (_, id) =>
      runConnection(options, id, until, (milliseconds, ok) => {
        times.push(milliseconds);
        if (!ok) failed++;
      }),
    ),
  );
  const seconds = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), requests: times.length, failed };
}

function runConnection(
  options: LoadOptions,
  id: number,
  until: number,
  measured: (milliseconds: number, ok: boolean) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port: options.port, host: '127.0.0.1', noDelay: true });
    let sentAt = 0;
    let received = Buffer.alloc(0);
    const send = () => {
      sentAt = performance.now();
      socket.write(options.next(id));
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = wholeAnswer(received);
      if (!answer) return;
      measured(performance.now() - sentAt, answer.status >= 200 && answer.status < 300);
      if (options.onBody) options.onBody(id, received.toString('utf8', answer.bodyStart));
      received = Buffer.alloc(0);
      if (performance.now() < until) send();
      else socket.end();
    });
  });
}

const HEAD_END = Buffer.from('\r\n\r\n');
/** The header as Ninefold writes it, and as servers in Go write it. */
const LENGTHS = ['\r\ncontent-length: ', '\r\nContent-Length: '].map((text) => Buffer.from(text));
const CHUNKED_END = Buffer.from('0\r\n\r\n');

/**
 * Returns the status of an HTTP/1.1 response and the position of its body; null until the response is complete. Reads
 * bytes instead of strings, because this process shares the machine with the server and must use little processor time.
 */
function wholeAnswer(bytes: Buffer): { status: number; bodyStart: number } | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const status = digits(bytes, 9);
  const bodyStart = headEnd + HEAD_END.length;
  for (const name of LENGTHS) {
    const length = bytes.subarray(0, headEnd).indexOf(name);
    if (length >= 0)
      return bytes.length >= bodyStart + digits(bytes, length + name.length) ? { status, bodyStart } : null;
  }
  if (!bytes.toString('latin1', 0, headEnd).toLowerCase().includes('transfer-encoding: chunked')) {
    return { status, bodyStart };
  }
  return bytes.subarray(-5).equals(CHUNKED_END) ? { status, bodyStart } : null;
}

/** Returns the decimal number that begins at `offset`. */
function digits(bytes: Buffer, offset: number): number {
  let value = 0;
  for (let at = offset; ; at++) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return value;
    value = value * 10 + digit;
  }
}

/** Returns the bytes of a request as they are sent. */
export function request(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | Uint8Array = '',
): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body.length > 0 || method === 'POST') lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}
