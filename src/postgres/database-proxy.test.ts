import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../test/support/free-port.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { DatabaseProxy, type ProxyOptions } from './database-proxy.ts';

let postgres: TestPostgres;
let socketPath: string;
beforeAll(async () => {
  postgres = await startPostgres('database-proxy');
  const client = new pg.Client(postgres.url);
  await client.connect();
  const { rows } = await client.query(`select current_setting('data_directory') as folder`);
  await client.end();
  socketPath = `${rows[0].folder}/.s.PGSQL.${new URL(postgres.url).port}`;
});
afterAll(() => postgres.stop());

/** Code of a CancelRequest (PostgreSQL manual, "Message Formats"). */
const CANCEL_REQUEST = 80877102;

const standard = {
  maxConnections: 20,
  maxUnauthenticated: 6,
  maxUnauthenticatedOfRole: 3,
  loginMilliseconds: 2000,
  rates: { rolePerSecond: 100, allPerSecond: 400, waitMilliseconds: 1000 },
};

/** Runs `work` with a proxy, and with the superuser's URL for a connection through the proxy. */
async function withProxy(
  work: (url: string, port: number) => Promise<void>,
  options: Partial<ProxyOptions> = {},
): Promise<void> {
  const port = await freePort();
  const proxy = await DatabaseProxy.listen({ ...standard, ...options, port, socketPath });
  const url = new URL(postgres.url);
  url.port = String(port);
  try {
    await work(url.href, port);
  } finally {
    await proxy.close();
  }
}

async function logIn(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/**
 * Sends a StartupMessage but no password. Resolves to all bytes that were received until the proxy closed the
 * connection.
 */
function stall(port: number, user: string): Promise<string> {
  const words = Buffer.from(`user\0${user}\0database\0postgres\0\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + words.length, 0);
  head.writeUInt32BE(3 << 16, 4);
  return sendRaw(port, Buffer.concat([head, words]));
}

function sendRaw(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
}

describe('DatabaseProxy', () => {
  it('connects clients to the server, which asks for the password, and passes on large values and cancel requests', () =>
    withProxy(async (url, port) => {
      const client = await logIn(url);
      const { rows } = await client.query(`select length($1::text) as sent, repeat('y', 3000000) as value`, [
        'x'.repeat(3_000_000),
      ]);
      expect([rows[0].sent, rows[0].value.length]).toEqual([3_000_000, 3_000_000]);
      const sleeping = expect(client.query('select pg_sleep(60)')).rejects.toMatchObject({ code: '57014' });
      const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
      const other = await logIn(url);
      const state = async () =>
        (await other.query('select wait_event from pg_stat_activity where pid = $1', [processID])).rows[0].wait_event;
      await expect.poll(state, { timeout: 10_000 }).toBe('PgSleep');
      await other.end();
      const cancel = Buffer.alloc(16);
      for (const [i, word] of [cancel.length, CANCEL_REQUEST, processID].entries()) cancel.writeUInt32BE(word, 4 * i);
      cancel.writeInt32BE(secretKey, 12);
      expect(await sendRaw(port, cancel)).toBe('');
      await sleeping;
      await client.end();
      const wrong = new URL(url);
      wrong.password = 'wrong';
      await expect(logIn(wrong.href)).rejects.toMatchObject({ code: '28P01' });
    }));

  it('lets logins of one role wait while the role has too many unauthenticated connections, and other roles log in', () =>
    withProxy(async (url, port) => {
      const started = performance.now();
      const stalled = Array.from({ length: 3 }, () => stall(port, 'somebody'));
      const waiting = Array.from({ length: 4 }, () => stall(port, 'somebody'));
      const client = await logIn(url);
      const { rows } = await client.query(
        `select count(*)::int as connections from pg_stat_activity where usename is null and backend_type = 'client backend'`,
      );
      expect(rows[0].connections).toBeLessThanOrEqual(3);
      await client.end();
      // The proxy closes the connections that do not authenticate in time, and then lets the waiting logins continue.
      await Promise.all(stalled);
      const { loginMilliseconds } = standard;
      expect(performance.now() - started).toBeGreaterThan(loginMilliseconds - 50);
      await Promise.all(waiting);
      const many = await Promise.all(Array.from({ length: 12 }, () => logIn(url)));
      for (const each of many) await each.end();
    }));

  it('refuses statements that PostgreSQL would read for minutes, of both protocols and any size, and the session goes on', () =>
    withProxy(async (url) => {
      const client = await logIn(url);
      const refused = {
        code: '54001',
        severity: 'ERROR',
        detail: expect.stringContaining('sqlRescans'),
        hint: 'Remove the run, or divide it with spaces.',
      };
      for (const run of [
        '/*'.repeat(100_000),
        `select 1 ${'+'.repeat(100_000)}`,
        `do $$${'/**/'.repeat(2_000_000)}$$`,
      ]) {
        await expect(client.query(run)).rejects.toMatchObject(refused);
        await expect(client.query({ name: 'named', text: run })).rejects.toMatchObject(refused);
        await expect(client.query(`select $1::int ${run}`, [1])).rejects.toMatchObject(refused);
        expect((await client.query('select $1::int as one', [1])).rows).toEqual([{ one: 1 }]);
      }
      await client.query('begin');
      await expect(client.query('+-'.repeat(10_000))).rejects.toMatchObject(refused);
      await expect(client.query('select 1')).rejects.toMatchObject({ code: '25P02' });
      await client.query('rollback');
      // An error of another cause after a refusal keeps its own text, though its SQLSTATE is that of the protocol.
      const other = client.query({ name: 'other', text: 'select $1::int', values: [1, 2] });
      await expect(other).rejects.toMatchObject({ code: '08P01', message: expect.stringContaining('2 parameters') });
      await client.end();
    }));

  it('passes on values with operator characters, and statements in many small parts', () =>
    withProxy(async (url) => {
      const client = await logIn(url);
      const value = '+-/*'.repeat(100_000);
      const { rows } = await client.query('select $1::text as value', [value]);
      expect(rows[0].value === value).toBe(true);
      const socket = (client as unknown as { connection: { stream: Socket } }).connection.stream;
      const write = socket.write.bind(socket);
      const parts = vi.spyOn(socket, 'write').mockImplementation((bytes) => {
        for (const byte of bytes as Buffer) write(Buffer.from([byte]));
        return true;
      });
      const small = await client.query(`select 'a${'-'.repeat(1000)}' as value`);
      parts.mockRestore();
      expect(small.rows).toEqual([{ value: `a${'-'.repeat(1000)}` }]);
      await client.end();
    }));

  it.concurrent('answers a request for encryption with the refusal that clients expect', () =>
    withProxy(async (_, port) => {
      const request = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
      expect(await sendRaw(port, request)).toBe('N');
    }));

  it.concurrent('closes connections that send nothing or a message of no client', () =>
    withProxy(
      async (url, port) => {
        expect(await sendRaw(port, Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toBe('');
        const silent = Array.from({ length: standard.maxConnections }, () => sendRaw(port, Buffer.from([0])));
        await expect(logIn(url)).rejects.toMatchObject({ code: '53300' });
        expect(await Promise.all(silent)).toEqual(silent.map(() => ''));
        await (await logIn(url)).end();
      },
      { loginMilliseconds: 1000 },
    ));

  it.concurrent('delays logins above the rate, and refuses those that would wait too long', () =>
    withProxy(
      async (url) => {
        const logins = await Promise.allSettled(Array.from({ length: 12 }, () => logIn(url)));
        const refused = logins.filter((login) => login.status === 'rejected');
        expect(refused.map(({ reason }) => reason.code)).toEqual(Array(refused.length).fill('53300'));
        expect(logins.length - refused.length).toBeGreaterThanOrEqual(5);
        expect(refused.length).toBeGreaterThanOrEqual(3);
        for (const login of logins) if (login.status === 'fulfilled') await login.value.end();
      },
      { rates: { rolePerSecond: 2, allPerSecond: 10, waitMilliseconds: 1000 } },
    ));

  it('reports a port that another program uses', () =>
    withProxy(async (_, port) => {
      const listening = DatabaseProxy.listen({ ...standard, port, socketPath });
      await expect(listening).rejects.toMatchObject({ code: 'EADDRINUSE' });
    }));
});
