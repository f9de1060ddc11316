import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import net from 'node:net';
import type { BenchNode } from '../node.ts';

/** Number of bytes that a client writes at once. */
const PIECE = 1024 * 1024;

/** Yields the pieces of a file of `size` bytes, which is different from every other. The memory of a piece is used for the next one. */
export function* piecesOf(size: number): Generator<Buffer> {
  const piece = Buffer.alloc(PIECE, Math.random().toString(36));
  for (let left = size; left > 0; left -= PIECE) yield left < PIECE ? piece.subarray(0, left) : piece;
}

/** Sends a file of `size` bytes in one request. Resolves after the response. */
export async function send(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  size: number,
  around: { before: Buffer; after: Buffer } = { before: Buffer.alloc(0), after: Buffer.alloc(0) },
): Promise<string> {
  const length = String(size + around.before.length + around.after.length);
  const sent = http.request({
    port,
    host: '127.0.0.1',
    method,
    path,
    agent: false,
    headers: { ...headers, 'content-length': length },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject));
  // A rejection is reported when the response is awaited.
  answered.catch(() => undefined);
  sent.write(around.before);
  for (const piece of piecesOf(size)) if (!sent.write(piece)) await Promise.race([once(sent, 'drain'), answered]);
  sent.end(around.after);
  const answer = await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  if ((answer.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${body}`);
  return body;
}

/** Receives the response to a request with as little processor time as possible, and checks the number of bytes of its body. */
export function receive(port: number, request: Buffer, size: number): Promise<void> {
  const buffer = Buffer.allocUnsafe(PIECE);
  return new Promise((resolve, reject) => {
    let received = 0;
    let headLength = 0;
    const socket = net.connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer,
        callback: (count) => {
          if (received === 0) {
            headLength = buffer.subarray(0, count).indexOf('\r\n\r\n') + 4;
            const isOk = buffer.toString('latin1', 9, 12) === '200' && headLength > 3;
            if (!isOk)
              socket.destroy(new Error(`the response is ${buffer.toString('latin1', 0, Math.min(count, 500))}`));
          }
          received += count;
          if (received - headLength >= size) socket.destroy();
          return true;
        },
      },
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (received - headLength === size) resolve();
      else reject(new Error(`${received - headLength} instead of ${size} bytes`));
    });
    socket.write(request);
  });
}

/**
 * Runs a work, and returns its seconds, the seconds of processor time of the node, and the most by which the memory of one
 * process of the node grew meanwhile.
 */
export async function whileWatched(
  node: BenchNode,
  work: () => Promise<unknown>,
): Promise<{ seconds: number; processor: number; growth: number }> {
  const before = node.residentMemory('node');
  let growth = 0;
  const look = (): void => {
    for (const [pid, bytes] of node.residentMemory('node'))
      growth = Math.max(growth, bytes - (before.get(pid) ?? bytes));
  };
  const timer = setInterval(look, 200);
  const processor = node.allProcessorTime();
  const started = performance.now();
  try {
    await work();
    const seconds = (performance.now() - started) / 1000;
    return { seconds, processor: (node.allProcessorTime() - processor) / 1000, growth };
  } finally {
    clearInterval(timer);
  }
}
