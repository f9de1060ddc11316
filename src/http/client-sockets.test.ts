import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limitSockets } from './client-sockets.ts';

const max = 4;
let server: Server;
let mustClose: () => boolean;
let sockets: Socket[];
/** Functions that end the pending requests by sending their responses. */
let waiting: (() => void)[];

beforeEach(async () => {
  sockets = [];
  waiting = [];
  server = createServer((request, response) => {
    if (request.url === '/wait') waiting.push(() => response.end('waited'));
    else response.end('done');
  });
  mustClose = limitSockets(server, max);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.closeAllConnections();
  server.close();
});

async function open(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function request(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
  const [bytes] = await once(socket, 'data');
  return String(bytes).split('\r\n')[0] ?? '';
}

const many = (count: number): Promise<Socket[]> => Promise.all(Array.from({ length: count }, open));

describe('limitSockets', () => {
  it('closes the socket that was silent for longest', async () => {
    const silent = await open();
    const others = await many(max - 1);
    const lost = once(silent, 'close');
    expect(await request(await open(), '/')).toBe('HTTP/1.1 200 OK');
    await lost;
    for (const other of others) expect(await request(other, '/')).toBe('HTTP/1.1 200 OK');
  });

  it('closes sockets that are idle between two requests', async () => {
    const idle = await many(max);
    for (const socket of idle) await request(socket, '/');
    expect(await request(await open(), '/')).toBe('HTTP/1.1 200 OK');
  });

  it('reports that connections must close before the limit is reached', async () => {
    await many(max - 1);
    await expect
      .poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count))))
      .toBe(max - 1);
    expect(mustClose()).toBe(false);
    await request(await open(), '/');
    expect(mustClose()).toBe(true);
  });

  it('refuses a new socket while all others have a request in progress, and keeps the others open', async () => {
    const busy = await many(max);
    const answers = busy.map((socket) => request(socket, '/wait'));
    await expect.poll(() => waiting.length).toBe(max);
    const refused = await open();
    await once(refused, 'close');
    for (const answer of waiting) answer();
    expect(await Promise.all(answers)).toEqual(busy.map(() => 'HTTP/1.1 200 OK'));
  });
});
