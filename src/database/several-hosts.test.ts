import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import {
  deleteInstalledHome,
  InstalledPostgres,
  makeInstalledHome,
  postgresPrograms,
} from '../../test/support/installed-postgres.ts';
import { poolDefaults, prepared, query, value } from '../../test/support/pools.ts';
import { parseConnectionUrl } from './connection-config.ts';
import type { ConnectionError } from './database-error.ts';
import { Pool } from './pool.ts';

// The PostgreSQL of npm has no TLS and cannot make a standby.
describe.skipIf(postgresPrograms === null)('a server with TLS and a standby', () => {
  let home: string;
  let primary: InstalledPostgres;
  let standby: InstalledPostgres;

  beforeAll(async () => {
    home = await makeInstalledHome('several-hosts');
    primary = await InstalledPostgres.start(home);
    standby = await primary.makeStandby(home);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([primary?.stop(), standby?.stop()]);
    await deleteInstalledHome(home);
  });

  const urlOf = (ports: readonly number[], parameters: string) =>
    `postgres://postgres:for-tests-only@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres?${parameters}`;
  const verified = () => `sslmode=verify-full&sslrootcert=${join(home, 'root.crt')}&channel_binding=require`;

  async function withPool<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
    const pool = new Pool(parseConnectionUrl(url, 'test'), poolDefaults);
    try {
      return await work(pool);
    } finally {
      await pool.close();
    }
  }
  const isEncrypted = (pool: Pool) =>
    value(pool, query('select ssl::text from pg_stat_ssl where pid = pg_backend_pid()'));
  const failure = (url: string) =>
    withPool(url, isEncrypted).then(
      () => 'it connected',
      ({ message }: Error) => message,
    );

  it('uses the primary of several hosts, through TLS whose certificate is checked', async () => {
    const url = urlOf([standby.port, primary.port], `${verified()}&target_session_attrs=read-write`);
    await withPool(url, async (pool) => {
      expect(await isEncrypted(pool)).toBe('true');
      expect(await value(pool, query('show port'))).toBe(String(primary.port));
    });
  });

  it('refuses a standby, a foreign certificate, a name that is not in it, and a login without channel binding', async () => {
    expect(await failure(urlOf([standby.port], 'sslmode=require'))).toContain('is a standby');
    expect(await failure(urlOf([primary.port], 'sslmode=verify-full'))).toMatch(/certificate/);
    const named = urlOf([primary.port], verified()).replace('127.0.0.1', '127.0.0.2');
    expect(await failure(named)).toMatch(/127\.0\.0\.2/);
    await primary.query('create role trusted login');
    const trusted = urlOf([primary.port], verified()).replace('postgres:for-tests-only', 'trusted');
    expect(await failure(trusted)).toMatch(/channel_binding=require/);
  });

  it('sends a cancel request through TLS', async ({ onTestFinished }: TestContext) => {
    const firstBytes: Buffer[] = [];
    const relay = createServer((client) => {
      const server = connect(primary.port, '127.0.0.1');
      client.once('data', (bytes: Buffer) => firstBytes.push(bytes));
      client.pipe(server).pipe(client);
      for (const socket of [client, server]) socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    onTestFinished(() => void relay.close());
    await withPool(urlOf([(relay.address() as AddressInfo).port], verified()), async (pool) => {
      const abort = new AbortController();
      const sleeping = pool.run([query('select pg_sleep(20)')], { signal: abort.signal });
      const cancelled = expect(sleeping).rejects.toMatchObject({ sqlstate: '57014' });
      await expect
        .poll(() => primary.query(`select 1 from pg_stat_activity where query = 'select pg_sleep(20)'`))
        .toHaveLength(1);
      abort.abort();
      await cancelled;
    });
    // PostgreSQL 15 lacks two settings of the startup message, so the login is repeated before the cancel request.
    expect(firstBytes.length).toBeGreaterThan(1);
    expect(new Set(firstBytes.map((bytes) => bytes.readInt32BE(4)))).toEqual(new Set([80_877_103]));
  });

  it('asks for TLS with sslmode=prefer, and does without if the server has none', async () => {
    expect(await withPool(urlOf([primary.port], 'sslmode=prefer'), isEncrypted)).toBe('true');
    await primary.query('alter system set ssl = off');
    await primary.query('select pg_reload_conf()');
    await expect
      .poll(() => withPool(urlOf([primary.port], 'sslmode=prefer'), isEncrypted), { timeout: 10_000 })
      .toBe('false');
  });

  it('changes to the new primary, and reports a statement whose outcome is unknown', async () => {
    await withPool(urlOf([primary.port, standby.port], 'sslmode=disable'), async (pool) => {
      expect(await value(pool, prepared('select 1'))).toBe('1');
      const lost = pool.run([query('select pg_sleep(20)')]).catch((error: ConnectionError) => error);
      const held = pool
        .transaction((tx) => tx.run([query('select pg_sleep(20)')]))
        .catch((error: ConnectionError) => error);
      await expect
        .poll(() => primary.query(`select 1 from pg_stat_activity where query = 'select pg_sleep(20)'`))
        .toHaveLength(2);
      const [session] = await primary.query(
        `select min(pid) as pid from pg_stat_activity where query = 'select pg_sleep(20)'`,
      );
      await primary.kill9();
      process.kill(Number(session?.pid), 'SIGKILL');
      await standby.query('select pg_promote()');
      await expect
        .poll(() => value(pool, query('show port')).catch(() => null), { timeout: 10_000 })
        .toBe(String(standby.port));
      expect((await lost) as ConnectionError).toMatchObject({ mayHaveCommitted: true });
      expect((await held) as ConnectionError).toMatchObject({ mayHaveCommitted: false });
    });
  });
});
