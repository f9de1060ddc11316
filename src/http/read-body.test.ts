import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { BufferedBodies } from './buffered-bodies.ts';
import { type BodyBounds, boundOf, readBody } from './read-body.ts';

const servers: Server[] = [];
const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  for (const server of servers.splice(0)) server.close();
});

type Outcome = { bytes: number; sum: number } | { code: string; connection: string | undefined };

/** Starts a server that reads bodies and responds with their bytes. `hold` delays the responses. */
async function serve(
  bounds: BodyBounds,
  bufferedBytes = new BufferedBodies(),
  hold: Promise<unknown> = Promise.resolve(),
) {
  const outcomes: Outcome[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const body = await readBody(request, response, bounds, bufferedBytes);
      outcomes.push({ bytes: body?.length ?? 0, sum: (body ?? Buffer.alloc(0)).reduce((sum, byte) => sum + byte, 0) });
      await hold;
      response.end();
    } catch (error) {
      const { code, headers } = error as NinefoldError;
      outcomes.push({ code, connection: headers.connection });
      response.writeHead(413, headers).end();
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connect = async (head: string): Promise<Socket> => {
    const client = net.connect(port, '127.0.0.1').resume();
    clients.push(client);
    client.on('error', () => undefined);
    await once(client, 'connect');
    client.write(`POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`);
    return client;
  };
  return { outcomes, connect, held: bufferedBytes };
}

const announced = (bytes: number): string => `Content-Length: ${bytes}`;
const CHUNKED = 'Transfer-Encoding: chunked';
const MEBIBYTE = 1024 * 1024;

describe('readBody', () => {
  it('reads a body that arrives in one part, in many parts or in chunks of one byte', async () => {
    const { outcomes, connect, held: bufferedBytes } = await serve(boundOf(MEBIBYTE));
    (await connect(announced(3))).write('abc');
    await expect.poll(() => outcomes).toEqual([{ bytes: 3, sum: 294 }]);
    const parts = await connect(announced(200_000));
    for (let i = 0; i < 20; i++) parts.write(Buffer.alloc(10_000, 1));
    await expect.poll(() => outcomes[1]).toEqual({ bytes: 200_000, sum: 200_000 });
    const chunks = await connect(CHUNKED);
    chunks.write(`${'1\r\n\x01\r\n'.repeat(100_000)}0\r\n\r\n`);
    await expect.poll(() => outcomes[2], { timeout: 10_000 }).toEqual({ bytes: 100_000, sum: 100_000 });
    await expect.poll(() => bufferedBytes.bytes).toBe(0);
  });

  it.each([
    ['announced', announced(1000)],
    ['in chunks', CHUNKED],
  ])('authenticates the caller before it reads more than `free` bytes, %s', async (_what, head) => {
    let asked = 0;
    const bounds = (bytes: number): BodyBounds => ({
      free: 500,
      bound: async () => {
        asked++;
        await new Promise((resolve) => setImmediate(resolve));
        if (bytes === 0) throw new NinefoldError('key_unknown');
        return { bytes, code: 'anonymous_body_too_large' };
      },
    });
    const body = head === CHUNKED ? `3e8\r\n${'a'.repeat(1000)}\r\n0\r\n\r\n` : 'a'.repeat(1000);
    for (const [max, expected] of [
      [1000, { bytes: 1000, sum: 97_000 }],
      [999, { code: 'anonymous_body_too_large', connection: 'close' }],
      [0, { code: 'key_unknown', connection: undefined }],
    ] as const) {
      const { outcomes, connect } = await serve(bounds(max));
      (await connect(head)).write(body);
      await expect.poll(() => outcomes).toEqual([expected]);
    }
    expect(asked).toBe(3);
  });

  it('rejects the slowest incomplete body if all bodies together exceed the memory limit', async () => {
    const {
      outcomes,
      connect,
      held: bufferedBytes,
    } = await serve(boundOf(20 * MEBIBYTE), new BufferedBodies(10 * MEBIBYTE));
    const stalled = await connect(announced(9 * MEBIBYTE));
    stalled.write(Buffer.alloc(6 * MEBIBYTE));
    await expect.poll(() => bufferedBytes.bytes).toBeGreaterThan(5 * MEBIBYTE);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const quick = await connect(announced(8 * MEBIBYTE));
    for (let i = 0; i < 8; i++) {
      quick.write(Buffer.alloc(MEBIBYTE));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await expect
      .poll(() => outcomes)
      .toEqual([
        { code: 'too_many_bodies', connection: 'close' },
        { bytes: 8 * MEBIBYTE, sum: 0 },
      ]);
    await expect.poll(() => bufferedBytes.bytes).toBe(0);
  });

  it('counts the memory of a body until its response is sent or its client disconnects', async () => {
    let answer = (): void => undefined;
    const hold = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const {
      outcomes,
      connect,
      held: bufferedBytes,
    } = await serve(boundOf(20 * MEBIBYTE), new BufferedBodies(10 * MEBIBYTE), hold);
    (await connect(announced(6 * MEBIBYTE))).write(Buffer.alloc(6 * MEBIBYTE));
    await expect.poll(() => outcomes.length).toBe(1);
    expect(bufferedBytes.bytes).toBe(6 * MEBIBYTE);
    const refused = await connect(announced(6 * MEBIBYTE));
    refused.write(Buffer.alloc(6 * MEBIBYTE));
    await expect.poll(() => outcomes[1]).toEqual({ code: 'too_many_bodies', connection: 'close' });
    const gone = await connect(announced(4 * MEBIBYTE));
    gone.write(Buffer.alloc(3 * MEBIBYTE));
    await expect.poll(() => bufferedBytes.bytes).toBeGreaterThan(8 * MEBIBYTE);
    gone.destroy();
    await expect.poll(() => bufferedBytes.bytes).toBe(6 * MEBIBYTE);
    answer();
    await expect.poll(() => bufferedBytes.bytes).toBe(0);
  });
});
