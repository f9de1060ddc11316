import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'vitest';
import { connected, dataFolderOf, postmasterOf, postmastersOf, query } from '../../test/support/embedded-server.ts';
import { makeTestHome } from '../../test/support/test-folder.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';

/** Starts a server in a separate home until the test ends, because the tests of this file run at the same time. */
async function start({ onTestFinished }: TestContext): Promise<{ home: string; postgres: EmbeddedPostgres }> {
  const home = await makeTestHome('supervisor');
  const postgres = await startEmbeddedPostgres({ home, port: 0, password: 'for-tests-only', log: () => undefined });
  onTestFinished(async () => {
    await postgres.stop();
    await rm(home, { recursive: true });
  });
  return { home, postgres };
}

const logOf = (home: string): Promise<string> => readFile(join(home, 'logs/postgres.log'), 'utf8');

describe.concurrent('Supervisor after a kill of PostgreSQL', () => {
  it('restarts it, notifies listeners, and has every committed row', async (test) => {
    const { home, postgres } = await start(test);
    await query(postgres.url, 'create table kept as select generate_series(1, 1000) as n');
    const restarted = new Promise<void>((resolve) => postgres.onRestart(resolve));
    process.kill(await postmasterOf(home), 'SIGKILL');
    await restarted;
    test.expect(await query(postgres.url, 'select count(*)::int as rows from kept')).toEqual([{ rows: 1000 }]);
    test.expect(await postmastersOf(home)).toBe(1);
  });

  it('ends its busy processes before it restarts it', async (test) => {
    const { home, postgres } = await start(test);
    const busy = query(postgres.url, 'do $$ begin loop perform 1; end loop; end $$').catch(() => 'ended');
    const busyCount = `select count(*)::int as busy from pg_stat_activity where query like 'do %' and state = 'active'`;
    await test.expect.poll(() => query(postgres.url, busyCount)).toEqual([{ busy: 1 }]);
    const restarted = new Promise<void>((resolve) => postgres.onRestart(resolve));
    process.kill(await postmasterOf(home), 'SIGKILL');
    await restarted;
    test.expect(await busy).toBe('ended');
    test.expect(await postmastersOf(home)).toBe(1);
  });
});

describe.concurrent('Supervisor of a server that accepts no connections', () => {
  const strikes: [what: string, strike: (home: string, test: TestContext) => Promise<void>][] = [
    // A smart shutdown waits for the client that stays connected.
    [
      'is shutting down and waits for its clients',
      async (home) => void process.kill(await postmasterOf(home), 'SIGTERM'),
    ],
    ['lost its pid file', async (home) => rm(join(await dataFolderOf(home), 'postmaster.pid'))],
    [
      'lost its socket',
      async (home, { expect }) => {
        const folder = await dataFolderOf(home);
        const names = (await readdir(folder)).filter((name) => /^\.s\.PGSQL\.\d+$/.test(name));
        expect(names).toHaveLength(1);
        await rm(join(folder, names[0] ?? ''));
      },
    ],
  ];

  it.for(strikes)('stops the server cleanly and restarts it when it %s', async ([, strike], test) => {
    const { home, postgres } = await start(test);
    const client = await connected(postgres.url);
    await client.query('create table kept as select 1 as n');
    const restarted = new Promise<void>((resolve) => postgres.onRestart(resolve));
    const before = await postmasterOf(home);
    await strike(home, test);
    await restarted;
    test.expect(await postmasterOf(home)).not.toBe(before);
    test.expect(await query(postgres.url, 'select n from kept')).toEqual([{ n: 1 }]);
    test.expect(await postmastersOf(home)).toBe(1);
    test.expect(await logOf(home)).not.toContain('automatic recovery in progress');
  });

  it('resumes a frozen server, which keeps its sessions', async (test) => {
    const { home, postgres } = await start(test);
    const client = await connected(postgres.url);
    process.kill(await postmasterOf(home), 'SIGSTOP');
    test.expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    test.expect((await client.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
    await client.end();
  });
});
