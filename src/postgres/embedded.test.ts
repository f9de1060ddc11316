import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { Client } from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connected, dataFolderOf, postmasterOf, postmastersOf, query } from '../../test/support/embedded-server.ts';
import { makeTestFolder, makeTestHome } from '../../test/support/test-folder.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';
import { serverProcesses } from './process-table.ts';
import { isRoot, nobody } from './run-as.ts';

const password = "p'w/ü%";
let home: string;
let running: EmbeddedPostgres[];
let children: ChildProcess[];
let childProgram: string;

beforeAll(async () => {
  childProgram = join(await makeTestFolder('postgres-child'), 'child.mjs');
  const entryPoints = ['test/support/postgres-child.ts'];
  await build({
    entryPoints,
    outfile: childProgram,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    loader: { '.sql': 'text' },
  });
});

beforeEach(async () => {
  home = join(await makeTestHome('embedded'), "a home, it's \\ odd");
  running = [];
  children = [];
});

afterEach(async () => {
  for (const postgres of running) await postgres.stop();
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await rm(dirname(home), { recursive: true });
});

async function start(
  options: { port?: number; home?: string; log?: (message: string) => void } = {},
): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ home, port: 0, password, log: () => undefined, ...options });
  running.push(postgres);
  return postgres;
}

/** Starts PostgreSQL in a child process. Returns that process and the line that it prints. */
async function startChild(user = {}): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [childProgram, home, password], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...user,
  });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, line };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const dataFolder = () => dataFolderOf(home);
const postmaster = () => postmasterOf(home);
const postmastersRunning = () => postmastersOf(home);

describe('startEmbeddedPostgres with a new home', () => {
  it('creates a server with UTF-8, checksums, durable writes and passwords that listens only on this machine', async () => {
    const { url, version } = await start();
    const rows = await query(
      url,
      "select name, setting from pg_settings where name in ('data_checksums', 'fsync', 'full_page_writes', 'synchronous_commit', 'server_encoding', 'listen_addresses', 'password_encryption', 'TimeZone', 'server_version', 'max_connections') order by name",
    );
    expect(Object.fromEntries(rows.map((row) => [row.name, row.setting]))).toEqual({
      data_checksums: 'on',
      fsync: 'on',
      full_page_writes: 'on',
      listen_addresses: '127.0.0.1',
      max_connections: '400',
      password_encryption: 'scram-sha-256',
      server_encoding: 'UTF8',
      server_version: version,
      synchronous_commit: 'on',
      TimeZone: 'UTC',
    });
    expect(await query(url, "select upper('é') as upper, 'ä' ~ '\\w' as word")).toEqual([{ upper: 'É', word: true }]);
  });

  it('requires the password over TCP and over the socket', async () => {
    const { url, socketFolder } = await start();
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    if (socketFolder === null) return;
    const { port } = new URL(url);
    const local = (secret: string) =>
      new Client({ host: socketFolder, port: Number(port), user: 'ninefold', password: secret, database: 'postgres' });
    await expect(local('wrong').connect()).rejects.toMatchObject({ code: '28P01' });
    const client = local(password);
    await client.connect();
    await client.end();
  });

  it('writes neither statements nor values to its log', async () => {
    const { url } = await start();
    await query(url, 'create table secrets (value text unique)');
    await query(url, "insert into secrets values ('tell-nobody')");
    await expect(query(url, "insert into secrets values ('tell-nobody')")).rejects.toMatchObject({ code: '23505' });
    const log = await readFile(join(home, 'logs/postgres.log'), 'utf8');
    expect(log).toContain('duplicate key');
    expect(log).not.toContain('tell-nobody');
  });
});

describe('startEmbeddedPostgres with an existing home', () => {
  it('has the same rows and the same address after a restart', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('rejects a second start while the first one runs, without affecting it', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow('is in use by another Ninefold');
    expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('startEmbeddedPostgres after a kill', () => {
  it('waits for a server that writes its last checkpoint after Ninefold was killed, and needs no recovery', async () => {
    const { child, line: url } = await startChild();
    await query(url, 'create table kept as select generate_series(1, 300000) as n');
    const orphan = await postmaster();
    await kill(child);
    process.kill(orphan, 'SIGINT');
    await start();
    expect(await readFile(join(home, 'logs/postgres.log'), 'utf8')).not.toContain('automatic recovery in progress');
  });

  it('ends the server that is left after Ninefold was killed, and never runs two servers', async () => {
    const { child, line: url } = await startChild();
    await query(url, 'create table kept as select 1 as n');
    await kill(child);
    const orphan = await postmaster();
    expect(await serverProcesses(await dataFolder())).toContain(orphan);
    const postgres = await start();
    expect(await postmaster()).not.toBe(orphan);
    expect(await postmastersRunning()).toBe(1);
    expect(await query(postgres.url, 'select n from kept')).toEqual([{ n: 1 }]);
  });

  it('recovers after both Ninefold and PostgreSQL were killed', async () => {
    const { child, line: url } = await startChild();
    await query(url, 'create table kept as select 1 as n');
    const server = await postmaster();
    await kill(child);
    process.kill(server, 'SIGKILL');
    const postgres = await start();
    expect(await query(postgres.url, 'select n from kept')).toEqual([{ n: 1 }]);
    expect(await postmastersRunning()).toBe(1);
  });

  it('ignores a postmaster.pid if the process with this pid is another program', async () => {
    const { child } = await startChild();
    const server = await postmaster();
    await kill(child);
    process.kill(server, 'SIGKILL');
    await expect.poll(async () => serverProcesses(await dataFolder())).toEqual([]);
    const pidFile = join(await dataFolder(), 'postmaster.pid');
    const content = await readFile(pidFile, 'utf8');
    await writeFile(pidFile, content.replace(/^\d+/, String(process.pid)));
    const postgres = await start();
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('starts over after it was killed during initdb', async () => {
    await mkdir(join(home, 'postgres.new/base'), { recursive: true });
    await writeFile(join(home, 'postgres.new/PG_VERSION'), '18\n');
    const postgres = await start();
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await readdir(home)).not.toContain('postgres.new');
  });
});

describe('startEmbeddedPostgres with a session that crashes', () => {
  it('does not interfere when a session crashes, because PostgreSQL recovers by itself', async () => {
    const messages: string[] = [];
    const postgres = await start({ log: (message) => messages.push(message) });
    const client = await connected(postgres.url);
    await client.query('create table kept as select 1 as n');
    const before = await postmaster();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const lost = new Promise((resolve) => client.once('end', resolve));
    process.kill(Number(rows[0]?.pid), 'SIGKILL');
    await lost;
    await expect
      .poll(() => query(postgres.url, 'select n from kept').catch((error: Error) => error.message), { timeout: 30_000 })
      .toEqual([{ n: 1 }]);
    expect(await postmaster()).toBe(before);
    expect(messages).toEqual(['Made the data folder']);
  });
});

describe('EmbeddedPostgres.stop', () => {
  it('ends a frozen session and still writes the last checkpoint', async () => {
    const postgres = await start();
    const client = new Client({ connectionString: postgres.url });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    process.kill(Number(rows[0]?.pid), 'SIGSTOP');
    await postgres.stop();
    expect(await postmastersRunning()).toBe(0);
    await start();
    expect(await readFile(join(home, 'logs/postgres.log'), 'utf8')).not.toContain('automatic recovery in progress');
  });
});

it('the server stops when the Ninefold process that started it receives SIGTERM', async () => {
  const { child } = await startChild();
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(await serverProcesses(await dataFolder())).toEqual([]);
  expect(await readdir(await dataFolder())).not.toContain('postmaster.pid');
});

describe('startEmbeddedPostgres with an unusable environment', () => {
  it('reports a fixed port that is in use, and does not change the home', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 1 as n');
    await first.stop();
    const occupier = createServer().listen(0, '127.0.0.1');
    await once(occupier, 'listening');
    const address = occupier.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await expect(start({ port })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining(`Port ${port}`),
    });
    occupier.close();
    expect(await query((await start({ port })).url, 'select n from kept')).toEqual([{ n: 1 }]);
  });

  it('reports a data folder of another major version, and does not change it', async () => {
    await mkdir(join(home, 'postgres'), { recursive: true });
    await writeFile(join(home, 'postgres/PG_VERSION'), '17\n');
    if (isRoot()) await chown(join(home, 'postgres'), nobody.uid, nobody.gid);
    await expect(start()).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('was made by PostgreSQL 17'),
    });
    expect(await readdir(join(home, 'postgres'))).toEqual(['PG_VERSION']);
  });

  it('reports files of another kind in the place of the data folder', async () => {
    await mkdir(join(home, 'postgres'), { recursive: true });
    await writeFile(join(home, 'postgres/thesis.txt'), 'all my work');
    if (isRoot()) await chown(join(home, 'postgres'), nobody.uid, nobody.gid);
    await expect(start()).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('holds no PostgreSQL data'),
    });
    expect(await readdir(join(home, 'postgres'))).toEqual(['thesis.txt']);
  });

  it('reports a home that cannot be created', async () => {
    const file = join(await makeTestFolder('embedded'), 'file');
    await writeFile(file, '');
    await expect(start({ home: join(file, 'home') })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('cannot be written (ENOTDIR)'),
    });
  });

  it('reports that the data folder to which a home links is missing', async () => {
    await mkdir(home);
    await symlink(join(home, 'nowhere'), join(home, 'postgres'));
    await expect(start()).rejects.toMatchObject({ name: 'StartError', message: expect.stringContaining('is gone') });
  });
});

describe.runIf(isRoot())('startEmbeddedPostgres as root', () => {
  it('runs PostgreSQL as an unprivileged user', async () => {
    await start();
    const status = await readFile(`/proc/${await postmaster()}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
    expect(status).toMatch(/^Groups:\s*$/m);
  });

  it('works in a home that the unprivileged user may not enter, and has the same rows after a restart', async () => {
    const closed = await makeTestFolder('closed');
    await chmod(closed, 0o700);
    home = join(closed, 'home');
    const first = await start();
    const target = await readlink(join(home, 'postgres'));
    try {
      await query(first.url, 'create table kept as select 1 as n');
      await first.stop();
      const second = await start();
      expect(await query(second.url, 'select n from kept')).toEqual([{ n: 1 }]);
      await second.stop();
    } finally {
      await rm(target, { recursive: true });
    }
  });

  it('runs without root for another user who has a home of their own', async () => {
    await mkdir(home);
    await chown(home, nobody.uid, nobody.gid);
    const { line: url } = await startChild(nobody);
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await postmastersRunning()).toBe(1);
  });

  it('reports a user without a name, which PostgreSQL requires', async () => {
    const nameless = { uid: 3_999_999, gid: 3_999_999 };
    await mkdir(home);
    await chown(home, nameless.uid, nameless.gid);
    const { line } = await startChild(nameless);
    expect(line).toContain('uid 3999999 has none in /etc/passwd');
  });

  it('reports to a user that the data folder belongs to another user', async () => {
    await (await start()).stop();
    await chmod(home, 0o777);
    const { line } = await startChild({ uid: 12345, gid: 12345 });
    expect(line).toContain('belongs to another user (uid 65534)');
  });
});
