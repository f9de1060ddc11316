import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { makeTestHome } from './test-folder.ts';

const run = promisify(execFile);

/** PostgreSQL refuses to run as root, so it runs as the user nobody. */
export const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** The folder with the programs of an installed PostgreSQL that can make standbys and use TLS; null if there is none. */
export const postgresPrograms: string | null = findPrograms();

function findPrograms(): string | null {
  const parent = '/usr/lib/postgresql';
  if (!existsSync(parent) || !existsSync('/usr/bin/openssl')) return null;
  const majors = readdirSync(parent).sort((a, b) => Number(b) - Number(a));
  const bins = majors.map((major) => join(parent, major, 'bin'));
  return (
    bins.find((bin) => ['initdb', 'pg_basebackup', 'pg_rewind'].every((name) => existsSync(join(bin, name)))) ?? null
  );
}

const program = (name: string): string => join(postgresPrograms ?? '', name);

/** A server of an installed PostgreSQL that this process has started. Its superuser is `postgres`. */
export class InstalledPostgres {
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  #child: ChildProcess | null = null;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
    this.url = `postgres://postgres:for-tests-only@127.0.0.1:${port}/postgres`;
  }

  /** Starts a server with TLS. The role `trusted`, if created, logs in without a password. The certificate names 127.0.0.1; `root.crt` in the home signs it. */
  static async start(home: string): Promise<InstalledPostgres> {
    const server = new InstalledPostgres(join(home, 'primary'), await freePort());
    const passwordFile = join(home, 'password');
    await writeFile(passwordFile, 'for-tests-only', { mode: 0o644 });
    const options = ['-U', 'postgres', '-A', 'scram-sha-256', '--no-sync', '-E', 'UTF8', `--pwfile=${passwordFile}`];
    await run(program('initdb'), ['-D', server.folder, ...options], user);
    await makeCertificate(home, server.folder);
    await appendFile(join(server.folder, 'postgresql.conf'), 'ssl = on\n');
    const rules = ['host all trusted 127.0.0.1/32 trust', 'host all,replication all 127.0.0.1/32 scram-sha-256'];
    await writeFile(join(server.folder, 'pg_hba.conf'), `${rules.join('\n')}\n`);
    await server.run();
    return server;
  }

  /** Starts a standby of this server. */
  async makeStandby(home: string): Promise<InstalledPostgres> {
    const standby = new InstalledPostgres(join(home, 'standby'), await freePort());
    const source = `host=127.0.0.1 port=${this.port} user=postgres password=for-tests-only`;
    await run(program('pg_basebackup'), ['-D', standby.folder, '-d', source, '-R', '-c', 'fast', '--no-sync'], user);
    await standby.run();
    return standby;
  }

  /** Starts the process. Resolves when the server accepts connections. */
  async run(): Promise<void> {
    const settings = Object.entries({
      port: this.port,
      unix_socket_directories: '',
      listen_addresses: '127.0.0.1',
      fsync: 'off',
      max_connections: 150,
      wal_level: 'replica',
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.#child = spawn(program('postgres'), ['-D', this.folder, ...settings], { ...user, stdio: 'ignore' });
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error('PostgreSQL did not start.');
      try {
        await this.query('select 1');
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** Runs a statement as the superuser. */
  async query(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(this.url);
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Kills the postmaster. Its children end when they notice. */
  async kill9(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }
}

/** Creates a home that the user of PostgreSQL owns. */
export async function makeInstalledHome(name: string): Promise<string> {
  const home = await makeTestHome(name);
  await chmod(home, 0o755);
  if (user.uid !== undefined) await chown(home, user.uid, user.gid);
  return home;
}

export const deleteInstalledHome = (home: string): Promise<void> => rm(home, { recursive: true, force: true });

/** Creates a root certificate in `home` and a certificate for 127.0.0.1 in the data folder. */
async function makeCertificate(home: string, folder: string): Promise<void> {
  const work = join(home, 'tls');
  await mkdir(work);
  const at = (name: string) => join(work, name);
  const openssl = (...args: string[]) => run('/usr/bin/openssl', args);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    at('root.key'),
    '-out',
    join(home, 'root.crt'),
    '-days',
    '30',
    '-subj',
    '/CN=root',
  );
  await openssl('req', ...newKey, '-keyout', at('server.key'), '-out', at('server.csr'), '-subj', '/CN=server');
  await writeFile(at('names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const signing = ['-CA', join(home, 'root.crt'), '-CAkey', at('root.key'), '-CAcreateserial', '-days', '30'];
  await openssl('x509', '-req', '-in', at('server.csr'), ...signing, '-extfile', at('names'), '-out', at('server.crt'));
  for (const name of ['server.crt', 'server.key']) {
    await run('cp', [at(name), join(folder, name)]);
    await chmod(join(folder, name), 0o600);
    if (user.uid !== undefined) await chown(join(folder, name), user.uid, user.gid);
  }
}
