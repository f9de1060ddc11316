import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { postgresPrograms, user } from './installed-postgres.ts';
import { processTable } from './processes.ts';

const PATRONI = '/usr/bin/patroni';
const ETCD = '/usr/bin/etcd';

/** True if Patroni, etcd and a PostgreSQL with programs for standbys are installed. */
export const hasPatroni = postgresPrograms !== null && existsSync(PATRONI) && existsSync(ETCD);

const password = 'for-tests-only';
/** Seconds after which a leader without a sign of life is replaced. Patroni accepts no shorter time. */
const TTL = 20;

/** A member of a cluster: Patroni and the PostgreSQL that it runs. */
export class PatroniMember {
  readonly name: string;
  readonly port: number;
  readonly apiPort: number;
  readonly #folder: string;
  readonly #config: string;
  #child: ChildProcess | null = null;

  private constructor(name: string, folder: string, ports: [number, number]) {
    this.name = name;
    this.#folder = folder;
    [this.port, this.apiPort] = ports;
    this.#config = join(folder, `${name}.json`);
  }

  static async create(name: string, folder: string, etcdPort: number): Promise<PatroniMember> {
    const member = new PatroniMember(name, folder, [await freePort(), await freePort()]);
    const api = `127.0.0.1:${member.apiPort}`;
    const address = `127.0.0.1:${member.port}`;
    // JSON is YAML.
    await writeFile(
      member.#config,
      JSON.stringify({
        ...{ scope: 'ninefold', name },
        restapi: { listen: api, connect_address: api },
        etcd3: { host: `127.0.0.1:${etcdPort}` },
        bootstrap: {
          dcs: {
            ...{ ttl: TTL, loop_wait: 1, retry_timeout: 3, synchronous_mode: true },
            postgresql: { use_pg_rewind: true, parameters: { max_connections: 150, wal_log_hints: 'on' } },
          },
          initdb: [{ encoding: 'UTF8' }, 'no-sync'],
        },
        postgresql: {
          ...{ listen: address, connect_address: address, data_dir: member.data, bin_dir: postgresPrograms },
          pg_hba: ['host all,replication all 127.0.0.1/32 scram-sha-256'],
          parameters: { unix_socket_directories: folder },
          authentication: {
            superuser: { username: 'postgres', password },
            replication: { username: 'replicator', password },
            rewind: { username: 'rewinder', password },
          },
        },
      }),
    );
    return member;
  }

  get data(): string {
    return join(this.#folder, this.name);
  }

  start(): void {
    const env = { ...process.env, HOME: this.#folder };
    this.#child = spawn(PATRONI, [this.#config], { ...user, env, cwd: this.#folder, stdio: 'ignore' });
  }

  /** Returns true if Patroni says that its server is the primary, or a standby in step with it. */
  async is(role: 'primary' | 'synchronous' | 'replica'): Promise<boolean> {
    const reply = await fetch(`http://127.0.0.1:${this.apiPort}/${role}`).catch(() => null);
    return reply?.status === 200;
  }

  /** Kills Patroni and PostgreSQL at once, as the failure of a machine does. */
  async kill9(): Promise<void> {
    const postmaster = Number.parseInt(await readFile(join(this.data, 'postmaster.pid'), 'utf8').catch(() => '0'), 10);
    const children = postmaster > 0 ? (await processTable()).filter(({ parent }) => parent === postmaster) : [];
    const child = this.#child;
    const ended = child && child.exitCode === null ? once(child, 'exit') : null;
    child?.kill('SIGKILL');
    for (const pid of [postmaster, ...children.map(({ pid }) => pid)].filter((pid) => pid > 0)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has ended in the meantime.
      }
    }
    await ended;
  }
}

/** Two members under Patroni with synchronous replication, and the etcd that they elect their leader in. */
export class PatroniCluster {
  readonly members: readonly PatroniMember[];
  readonly #etcd: ChildProcess;

  private constructor(members: readonly PatroniMember[], etcd: ChildProcess) {
    this.members = members;
    this.#etcd = etcd;
  }

  /** @param folder A folder that the user of PostgreSQL owns. */
  static async start(folder: string): Promise<PatroniCluster> {
    const [client, peer] = [await freePort(), await freePort()];
    const [clientUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    const data = join(folder, 'etcd');
    await mkdir(data, { mode: 0o700 });
    if (user.uid !== undefined) await chown(data, user.uid, user.gid);
    const urls = [
      ...['--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl],
      ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ];
    const etcd = spawn(ETCD, ['--data-dir', data, ...urls, '--initial-cluster', `default=${peerUrl}`], {
      ...user,
      stdio: 'ignore',
    });
    const members = [await PatroniMember.create('a', folder, client), await PatroniMember.create('b', folder, client)];
    for (const member of members) member.start();
    return new PatroniCluster(members, etcd);
  }

  /** The URL of the superuser, with all members. */
  get url(): string {
    const hosts = this.members.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `postgres://postgres:${password}@${hosts}/postgres?target_session_attrs=read-write`;
  }

  async memberThatIs(role: 'primary' | 'synchronous' | 'replica'): Promise<PatroniMember | null> {
    for (const member of this.members) if (await member.is(role)) return member;
    return null;
  }

  async stop(): Promise<void> {
    for (const member of this.members) await member.kill9();
    this.#etcd.kill('SIGKILL');
  }
}
