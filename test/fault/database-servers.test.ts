import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from '../support/apps.ts';
import { freePort } from '../support/free-port.ts';
import {
  deleteInstalledHome,
  InstalledPostgres,
  makeInstalledHome,
  postgresPrograms,
  user,
} from '../support/installed-postgres.ts';
import { deleteHome, startNode, type TestNode } from '../support/node.ts';
import { makeTestHome } from '../support/test-folder.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';

/** A node on a PostgreSQL that its operator runs, and what such a URL can lead to instead. */
describe.skipIf(postgresPrograms === null)('a node with NINEFOLD_DATABASE_URL', () => {
  let serverHome: string;
  let home: string;
  let server: InstalledPostgres;
  let node: TestNode;
  let app: AppConnection;

  const startWith = (url: string) => startNode({ home, env: { NINEFOLD_DATABASE_URL: url, NINEFOLD_WORKERS: '1' } });

  beforeAll(async () => {
    serverHome = await makeInstalledHome('database-servers');
    home = await makeTestHome('database-servers-node');
    server = await InstalledPostgres.start(serverHome);
    node = await startWith(server.url);
    app = await createAppWith(
      node,
      `create table notes (id int primary key);
       create function slow_write() returns void language sql volatile as 'insert into notes values (1); select pg_sleep(30)';
       create function slow_read() returns int language sql stable as 'select 1 from pg_sleep(30)';
       grant all on notes to anon`,
    );
  });
  afterAll(async () => {
    await node?.stop();
    await server?.stop();
    await deleteHome(home);
    await deleteInstalledHome(serverHome);
  });

  /** Returns the output of a node that did not start, which must be one sentence without a stack trace. */
  async function refusal(url: string): Promise<string> {
    const other = await makeTestHome('refused');
    const output = await startNode({ home: other, env: { NINEFOLD_DATABASE_URL: url, NINEFOLD_WORKERS: '1' } }).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    await deleteHome(other);
    expect(output).not.toMatch(/\n\s+at /);
    return output;
  }

  const publicAccess = () =>
    server.query(`select datname from pg_database d where datname in ('postgres', 'template1', 'ninefold_maintenance')
      and exists (select from aclexplode(coalesce(datacl, acldefault('d', datdba))) where grantee = 0 and privilege_type = 'CONNECT')
      order by datname`);

  it('leaves the databases postgres and template1 open, and opens those that an earlier version closed', async () => {
    const open = [{ datname: 'postgres' }, { datname: 'template1' }];
    expect(await publicAccess()).toEqual(open);
    await node.stop();
    await server.query('revoke connect, temporary on database postgres from public');
    await server.query('revoke connect, temporary on database template1 from public');
    await server.query('drop database ninefold_maintenance');
    node = await startWith(server.url);
    expect(await publicAccess()).toEqual(open);
  });

  it('reports a write whose outcome is unknown without Retry-After, and a read with it', async () => {
    const call = (method: string, name: string) =>
      fetch(`${node.url}/apps/${app.ref}/rest/v1/rpc/${name}`, { method, headers: { apikey: app.publishable_key } });
    const replies = [call('POST', 'slow_write'), call('GET', 'slow_read')];
    const running = `select pid from pg_stat_activity where query like '%slow_%' and wait_event = 'PgSleep'`;
    await expect.poll(() => server.query(running)).toHaveLength(2);
    // PostgreSQL ends all sessions after one of its processes was killed.
    const [session] = await server.query(running);
    process.kill(Number(session?.pid), 'SIGKILL');
    const results = await Promise.all(
      replies.map(async (reply) => {
        const { status, headers, ...response } = await reply;
        const { code } = (await (await reply).json()) as { code: string };
        return { status, code, retryAfter: headers.get('retry-after'), ...response };
      }),
    );
    expect(results).toMatchObject([
      { status: 503, code: 'outcome_unknown', retryAfter: null },
      { status: 503, code: 'PGRST000', retryAfter: '1' },
    ]);
    await expect.poll(async () => (await fetch(`${node.url}/health`)).status).toBe(200);
  });

  it('does not start with a standby, and says so', async () => {
    const standby = await server.makeStandby(serverHome);
    expect(await refusal(standby.url)).toContain('is a standby, which accepts no writes');
    await standby.stop();
  });

  it('does not start with a parameter in the URL that has no effect, and names it', async () => {
    expect(await refusal(`${server.url}?statement_cache=off`)).toContain('parameter “statement_cache”');
  });

  it.skipIf(!existsSync(PGBOUNCER))('does not start behind a connection pooler, and says so', async () => {
    for (const ignored of ['', 'ignore_startup_parameters = options,extra_float_digits']) {
      const pooler = await startPooler(ignored);
      const url = new URL(server.url);
      url.port = String(pooler.port);
      expect(await refusal(url.href)).toContain('is a connection pooler');
      pooler.process.kill('SIGKILL');
    }
  });

  async function startPooler(line: string): Promise<{ port: number; process: ChildProcess }> {
    const port = await freePort();
    const path = join(serverHome, `pgbouncer-${port}.ini`);
    const lines = [
      '[databases]',
      `* = host=127.0.0.1 port=${server.port} user=postgres password=for-tests-only`,
      '[pgbouncer]',
      `listen_port = ${port}`,
      'listen_addr = 127.0.0.1',
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = session',
      line,
    ];
    await writeFile(path, lines.join('\n'));
    await chmod(path, 0o644);
    const pooler = spawn(PGBOUNCER, ['-q', path], { ...user, stdio: 'ignore' });
    await expect
      .poll(
        () =>
          new Promise((resolve) => connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))),
      )
      .toBe(true);
    return { port, process: pooler };
  }
});
