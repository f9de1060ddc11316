import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import type { Reply } from '../../contract/call-request.ts';
import { RequestTurns } from './server.ts';
import { type SlowReaderBounds, SlowReaders } from './slow-readers.ts';
import { writeReply } from './write-reply.ts';

const MEBIBYTE = 1024 * 1024;
const patient: SlowReaderBounds = { bytes: 1024 * MEBIBYTE, bytesPerPeriod: 1, periodMilliseconds: 60_000 };

const servers: Server[] = [];
const clients: Socket[] = [];
// Some tests run at the same time, so everything stays open until the end.
afterAll(() => {
  for (const client of clients.splice(0)) client.destroy();
  for (const server of servers.splice(0)) server.close();
});

interface Served {
  port: number;
  answered: () => number;
  /** Returns the number of open connections. */
  connections: () => Promise<number>;
}

/** Starts a server that responds to every request with the number of bytes in its path. */
async function serve(bounds: SlowReaderBounds): Promise<Served> {
  const slowReaders = new SlowReaders(bounds);
  let answered = 0;
  const turns = new RequestTurns();
  const server = createServer((request, response) =>
    turns.take(response, () => {
      answered++;
      const reply: Reply = { status: 200, headers: {}, body: Buffer.alloc(Number(request.url?.slice(1)), 0x61) };
      writeReply(response, reply, ({ headers }) => headers, slowReaders);
    }),
  );
  slowReaders.watch(server);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connections = promisify(server.getConnections.bind(server));
  return { port: (server.address() as AddressInfo).port, answered: () => answered, connections };
}

/** Connects a client that requests responses of `bytes` bytes and does not read them. */
async function ask(port: number, bytes: number, times = 1): Promise<Socket> {
  const client = net.connect(port, '127.0.0.1').pause();
  clients.push(client);
  client.on('error', () => undefined);
  await once(client, 'connect');
  client.write(`GET /${bytes} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(times));
  return client;
}

/** Reads from the client. Resolves to the number of bytes once the connection has ended or `bytes` have arrived. */
async function readAll(client: Socket, bytes = Number.POSITIVE_INFINITY): Promise<number> {
  let read = 0;
  await new Promise<void>((resolve) => {
    client.on('data', (chunk: Buffer) => {
      read += chunk.length;
      if (read >= bytes) resolve();
    });
    client.on('close', () => resolve());
    client.resume();
  });
  return read;
}

describe('SlowReaders', () => {
  it('sends a large response completely, and then the next response on the same connection', async () => {
    const { port } = await serve({ ...patient, bytes: 8 * MEBIBYTE });
    const client = await ask(port, 6 * MEBIBYTE, 2);
    expect(await readAll(client, 12 * MEBIBYTE)).toBeGreaterThan(12 * MEBIBYTE);
    expect(client.destroyed).toBe(false);
  });

  it.concurrent.for([
    ['large', 20 * MEBIBYTE],
    ['of less than a slice', 60_000],
  ] as const)(
    'closes the connection of a client that reads nothing of a response of %s',
    async ([, bytes], { expect }) => {
      const { port, connections } = await serve({ ...patient, bytesPerPeriod: 64 * 1024, periodMilliseconds: 500 });
      // Many small responses also fill the buffers of the operating system.
      await ask(port, bytes, bytes < MEBIBYTE ? 100 : 1);
      await expect.poll(connections).toBe(1);
      await expect.poll(connections, { timeout: 10_000 }).toBe(0);
    },
  );

  it.concurrent('closes the connection of a client that reads fewer than bytesPerPeriod bytes in a period', async ({
    expect,
  }) => {
    const { port, connections } = await serve({ ...patient, bytesPerPeriod: 4 * MEBIBYTE, periodMilliseconds: 1500 });
    const client = await ask(port, 64 * MEBIBYTE);
    const timer = setInterval(() => client.read(10_000), 50);
    await expect.poll(connections, { timeout: 10_000 }).toBe(0);
    clearInterval(timer);
  });

  it.concurrent('keeps the connection of a client that waits for its response', async ({ expect }) => {
    const slowReaders = new SlowReaders({ ...patient, bytesPerPeriod: MEBIBYTE, periodMilliseconds: 100 });
    const server = createServer((_request, response) => {
      setTimeout(
        () => writeReply(response, { status: 200, headers: {}, body: 'late' }, ({ headers }) => headers, slowReaders),
        2500,
      );
    });
    slowReaders.watch(server);
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const client = await ask((server.address() as AddressInfo).port, 0);
    expect(await readAll(client, 1)).toBeGreaterThan(0);
  });

  it('closes the connections without progress for the longest time if all exceed the limit together, and keeps a client that reads', async () => {
    const { port, connections } = await serve({ ...patient, bytes: 64 * MEBIBYTE });
    const idle = await Promise.all(Array.from({ length: 12 }, () => ask(port, 20 * MEBIBYTE)));
    const reader = await ask(port, 20 * MEBIBYTE);
    expect(await readAll(reader, 20 * MEBIBYTE)).toBeGreaterThan(20 * MEBIBYTE);
    await expect.poll(connections, { timeout: 10_000 }).toBeLessThanOrEqual(3 + 1);
    reader.destroy();
    const read = await Promise.all(idle.map((client) => readAll(client, 20 * MEBIBYTE)));
    expect(read.filter((bytes) => bytes >= 20 * MEBIBYTE).length).toBeGreaterThan(0);
  });
});

describe('RequestTurns', () => {
  it('handles the requests of a connection one after the other', async () => {
    const { port, answered } = await serve(patient);
    const client = await ask(port, 20 * MEBIBYTE, 50);
    await expect.poll(answered).toBe(1);
    // A second connection is served although the first one waits.
    expect(await readAll(await ask(port, 1000), 1000)).toBeGreaterThan(1000);
    expect(answered()).toBe(2);
    await readAll(client, 41 * MEBIBYTE);
    expect(answered()).toBeLessThan(6);
  });

  it('closes a connection with too many waiting requests', async () => {
    const { port, answered } = await serve(patient);
    const client = await ask(port, 20 * MEBIBYTE, 1000);
    await readAll(client);
    expect(answered()).toBe(1);
  });
});
