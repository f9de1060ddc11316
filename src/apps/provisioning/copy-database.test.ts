import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { parseConnectionUrl } from '../../database/connection-config.ts';
import { smallPool } from '../registry/server.ts';
import { dropDatabase } from './copy-database.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres('copy-database');
});
afterAll(() => postgres.stop());

/** A text that PostgreSQL reads for hours, in a loop that checks for no interrupt. */
const ENDLESS = `do $$ begin execute repeat('/*', 5000000); end $$`;

it.runIf(process.platform === 'linux')(
  'dropDatabase throws while a session does not end, opens the database again, and works once the session has ended',
  async () => {
    const maintenance = smallPool(parseConnectionUrl(postgres.url, 'test'));
    await maintenance.script('create database app_stuck');
    await maintenance.script('create table public.closed_databases (name name primary key)');
    const url = new URL(postgres.url);
    url.pathname = '/app_stuck';
    const client = new pg.Client(url.href);
    client.on('error', () => undefined);
    await client.connect();
    const { processID } = client as unknown as { processID: number };
    const stuck = client.query(ENDLESS).catch((error: unknown) => error);
    await expect
      .poll(async () => {
        const [found] = await maintenance.script(
          `select from pg_stat_activity where pid = ${processID} and state = 'active' and now() - query_start > '300 ms'`,
        );
        return found?.rowCount;
      })
      .toBe(1);
    // PostgreSQL gives up an attempt after five seconds. This clock then shows that the time is over.
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() * 10);
    await expect(dropDatabase(maintenance, 'app_stuck')).rejects.toMatchObject({
      code: 'app_session_stuck',
      status: 503,
      headers: { 'retry-after': expect.any(String) },
    });
    clock.mockRestore();
    const open = await maintenance.script(`select from pg_database where datname = 'app_stuck' and datallowconn`);
    expect(open[0]?.rowCount).toBe(1);
    process.kill(processID, 'SIGFPE');
    expect(await stuck).toMatchObject({ code: '22P01' });
    await dropDatabase(maintenance, 'app_stuck');
    const left = await maintenance.script(`select from pg_database where datname = 'app_stuck'`);
    expect(left[0]?.rowCount).toBe(0);
    await maintenance.close();
  },
);
