import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Arrivals } from './arrival.ts';

/** Bytes of each announced body. */
const LENGTH = 80_000;

let server: Server;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

/** Starts a server with short limits that reads each body as a long one or as a short one. */
async function serve({ isLong, reads = true }: { isLong: boolean; reads?: boolean }): Promise<Socket> {
  const arrivals = new Arrivals({ requestMilliseconds: 1500, periodMilliseconds: 1000, bytesPerPeriod: 1000 });
  server = createServer({ requestTimeout: 0 }, (request, response) => {
    const arrival = arrivals.begin(request, response);
    if (isLong) arrival.allowLong();
    if (reads) request.resume().once('end', () => response.end('complete'));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    socket.end(`late: ${error.code}`);
  });
  arrivals.watch(server);
  await once(server.listen(0), 'listening');
  const socket = connect((server.address() as AddressInfo).port);
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${LENGTH}\r\n\r\n`);
  return socket;
}

/** Sends bytes every 100 ms until the server answers. Returns the answer and the milliseconds until then. */
async function trickle(socket: Socket, bytes: number): Promise<{ text: string; after: number }> {
  const started = performance.now();
  let left = LENGTH;
  const timer = setInterval(() => {
    if (left > 0 && socket.writable) socket.write(Buffer.alloc(Math.min(bytes, left)));
    left -= bytes;
  }, 100);
  const [data] = (await once(socket, 'data')) as [Buffer];
  clearInterval(timer);
  return { text: data.toString(), after: performance.now() - started };
}

describe('Arrivals', () => {
  it('ends a body that is too slow, also if it may take long', async () => {
    const { text, after } = await trickle(await serve({ isLong: true }), 50);
    expect(text).toContain('ERR_HTTP_REQUEST_TIMEOUT');
    expect(after).toBeGreaterThan(900);
  });

  it('lets a long body arrive that is fast enough', async () => {
    const { text, after } = await trickle(await serve({ isLong: true }), 4000);
    expect(text).toContain('complete');
    expect(after).toBeGreaterThan(2000);
  });

  it('ends any other body after the time of a request, however fast it is', async () => {
    const { text } = await trickle(await serve({ isLong: false }), 3000);
    expect(text).toContain('ERR_HTTP_REQUEST_TIMEOUT');
  });
});
