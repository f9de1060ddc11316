import { execFile, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { ConnectionConfig } from '../../database/connection-config.ts';
import { RawSession } from '../../database/raw-session.ts';
import { startupOptions } from '../../database/startup-settings.ts';
import type { WasmDumpData, WasmDumpMessage } from './wasm-dump-thread.ts';

/** Where Debian's and Red Hat's packages install the programs of each major version. */
const PACKAGES = [
  ['/usr/lib/postgresql', 'bin'],
  ['/usr', 'bin'],
] as const;
const RED_HAT = /^pgsql-(\d+)$/;
/** Time for a program to print its version. */
const VERSION_MILLISECONDS = 10_000;
/** Largest dump of a schema in bytes. A JavaScript string cannot be longer than about 512 MB. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Characters of the messages of pg_dump that an error contains. */
const MAX_COMPLAINT = 2000;

/** Options of the dump of a schema, without owners' tablespaces, subscriptions and data. */
const ARGS = ['--schema-only', '--no-tablespaces', '--no-subscriptions', '--quote-all-identifiers'];

/** A pg_dump that can read a server. */
export interface DumpProgram {
  /** Path of the program; null for the one in WebAssembly. */
  readonly path: string | null;
  readonly major: number;
}

/** Where the programs of dumps are. */
export interface DumpTools {
  /** Folders that are searched for pg_dump, besides those of the packages of Linux distributions. */
  readonly folders: readonly string[];
  /** The built file of wasm-dump-thread.ts. */
  readonly thread: URL;
}

/** The major version of pg_dump in `@electric-sql/pglite-tools`. */
const WASM_MAJOR = 18;

/** Error of a server whose schema cannot be read. The message is for the operator. */
export class DumpError extends Error {
  override readonly name = 'DumpError';
}

/**
 * Finds a pg_dump that can read a server: one of the machine whose major version is at least that of the server, otherwise the
 * one in WebAssembly. A pg_dump refuses servers that are newer than itself.
 * @throws DumpError if there is none.
 */
export async function findDumpProgram(tools: DumpTools, serverMajor: number): Promise<DumpProgram> {
  const found = await Promise.all((await candidates(tools)).map(probe));
  const best = found
    .filter((program): program is DumpProgram => program !== null && program.major >= serverMajor)
    .sort((a, b) => a.major - b.major)[0];
  if (best) return best;
  if (serverMajor <= WASM_MAJOR && (await hasWasm())) return { path: null, major: WASM_MAJOR };
  throw new DumpError(
    `There is no pg_dump for PostgreSQL ${serverMajor}: install its client programs (on Debian: postgresql-client-${serverMajor}), or set NINEFOLD_POSTGRES_BIN to their folder.`,
  );
}

async function candidates(tools: DumpTools): Promise<string[]> {
  const folders = [...tools.folders];
  for (const [root, bin] of PACKAGES) {
    for (const name of await readdir(root).catch(() => [])) {
      if (/^\d+$/.test(name) || RED_HAT.test(name)) folders.push(join(root, name, bin));
    }
  }
  return [...new Set(folders.filter((folder) => folder.startsWith('/')))].map((folder) => join(folder, 'pg_dump'));
}

async function probe(path: string): Promise<DumpProgram | null> {
  const printed = await promisify(execFile)(path, ['--version'], { timeout: VERSION_MILLISECONDS }).catch(() => null);
  const major = /\(PostgreSQL\) (\d+)/.exec(printed?.stdout ?? '')?.[1];
  return major === undefined ? null : { path, major: Number(major) };
}

const hasWasm = () =>
  import('@electric-sql/pglite-tools/pg_dump').then(
    () => true,
    () => false,
  );

/**
 * Returns the SQL that creates all objects of a database, as plain text of pg_dump.
 * @param source The superuser's connection parameters.
 * @param snapshot Name of an exported snapshot, as which pg_dump reads the database.
 * @throws DumpError with pg_dump's messages.
 */
export function dumpSchema(
  program: DumpProgram,
  tools: DumpTools,
  source: ConnectionConfig,
  snapshot: string,
): Promise<string> {
  const args = [...ARGS, `--snapshot=${snapshot}`];
  return program.path === null ? dumpByWasm(tools.thread, source, args) : dumpByProgram(program.path, source, args);
}

function dumpByProgram(path: string, source: ConnectionConfig, args: readonly string[]): Promise<string> {
  const { hosts, socketFolder, tls, rootCertificate } = source.address;
  const child = spawn(path, [...args, '--no-password'], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PGHOST: socketFolder ?? hosts.map(({ host }) => host).join(','),
      PGPORT: hosts.map(({ port }) => port).join(','),
      PGDATABASE: source.database,
      PGUSER: source.user,
      PGPASSWORD: source.password,
      PGAPPNAME: source.applicationName,
      PGSSLMODE: tls === 'off' ? 'disable' : tls,
      ...(rootCertificate && { PGSSLROOTCERT: rootCertificate.path }),
      PGTARGETSESSIONATTRS: 'read-write',
      // The settings of the database and its roles, which an app's owner chooses, have no effect on pg_dump.
      PGOPTIONS: startupOptions({ ...source, searchPath: '' }),
      LC_ALL: 'C',
    },
  });
  const parts: Buffer[] = [];
  let bytes = 0;
  let complaint = '';
  child.stdout.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > MAX_BYTES) child.kill();
    else parts.push(part);
  });
  child.stderr.on('data', (part: Buffer) => {
    complaint = (complaint + part).slice(-MAX_COMPLAINT);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new DumpError(`pg_dump did not run: ${error.message}.`, { cause: error })));
    child.once('close', (code) => {
      if (code === 0 && bytes <= MAX_BYTES) resolve(Buffer.concat(parts).toString());
      else
        reject(new DumpError(bytes > MAX_BYTES ? 'The schema is too large.' : `pg_dump failed: ${complaint.trim()}`));
    });
  });
}

async function dumpByWasm(entry: URL, source: ConnectionConfig, args: string[]): Promise<string> {
  const session = await RawSession.open({ ...source, searchPath: '' });
  const { port1: port, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const data: WasmDumpData = { port: port2, signal, reportedSettings: session.reportedSettings, args };
  const thread = new Worker(entry, { workerData: data, transferList: [port2] });
  try {
    return await new Promise<string>((resolve, reject) => {
      const fail = (reason: unknown) => reject(new DumpError(`pg_dump failed: ${String(reason)}`, { cause: reason }));
      const answer = async (bytes: Uint8Array) => {
        port.postMessage(await session.exchange(bytes));
        Atomics.store(signal, 0, 1);
        Atomics.notify(signal, 0);
      };
      port.on('message', (message: WasmDumpMessage) => {
        if ('send' in message) answer(message.send).catch(fail);
        else if ('dump' in message) resolve(message.dump);
        else fail(message.failed);
      });
      thread.once('error', fail);
      thread.once('exit', () => fail('its thread ended'));
    });
  } finally {
    port.close();
    await thread.terminate();
    await session.close();
  }
}
