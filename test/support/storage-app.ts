import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { defaultStorageSettings, type StorageSettings } from '../../contract/settings-storage.ts';
import type { FilesOfApp } from '../../src/apps/files/sweep.ts';
import type { AppRecord } from '../../src/apps/registry/app-record.ts';
import { DerivedFiles } from '../../src/files/derived-files.ts';
import { FolderStore } from '../../src/files/folder-store.ts';
import { Spool } from '../../src/files/spool.ts';
import { type Identity, serviceRole } from '../../src/identity/identity.ts';
import { InFlight } from '../../src/limits/in-flight.ts';
import { FreeDisk } from '../../src/storage/free-disk.ts';
import { handleStorage } from '../../src/storage/handle.ts';
import { Images } from '../../src/storage/images/images.ts';
import { StorageUsage } from '../../src/storage/usage.ts';
import { type AppDatabase, scriptIn, startAppDatabase } from './app-database.ts';
import { makeTestHome } from './test-folder.ts';

/** The response of a call of `/storage/v1`. */
export interface StorageReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The body as JSON. */
  json<T>(): T;
}

/** A call of `/storage/v1` without a server in front. */
export interface StorageSend {
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: Identity;
}

/** An app with a database and files, whose API runs in this process. */
export interface StorageApp extends FilesOfApp {
  readonly database: AppDatabase;
  readonly store: FolderStore;
  readonly spool: Spool;
  readonly settings: { -readonly [Name in keyof StorageSettings]: StorageSettings[Name] };
  /** Sends a request. `path` is below /storage/v1 and may have a query. Throws what the API throws. */
  send(method: string, path: string, options?: StorageSend): Promise<StorageReply>;
  /** Runs SQL as the app's owner. */
  sql(text: string): Promise<unknown>;
  /** Returns the first column of the rows of a statement that the superuser runs. */
  column(text: string): Promise<(string | null)[]>;
  /** Returns all keys of the store. */
  keys(): Promise<string[]>;
  /** Returns the names of the files in the spool. */
  spooled(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Returns the identity of a member with an id. */
export const memberWith = (id: string): Identity => ({
  role: 'authenticated',
  claims: { sub: id, role: 'authenticated' },
  claimsJson: JSON.stringify({ sub: id, role: 'authenticated' }),
  userId: id,
  sessionId: null,
  source: 'token',
});

/** Starts an app's database and opens the storage API of this app in this process. */
export async function startStorageApp(name: string): Promise<StorageApp> {
  const database = await startAppDatabase(name);
  const home = await makeTestHome(name);
  const incoming = join(home, 'incoming');
  const [store, spool] = [new FolderStore(join(home, 'files'), incoming), new Spool(incoming)];
  // A sweep has connections of its own, as in a node: an upload can wait for the sweep.
  const [owner, requests] = [database.as('app_owner'), database.as('app_authenticator')];
  const [server, authenticator] = [database.as('app_server'), database.as('app_authenticator')];
  const settings = { ...defaultStorageSettings };
  const record = { ref: 'shop', authenticatorPassword: 'a password of 32 characters ....' } as AppRecord;
  const disk = new FreeDisk(home, 0);
  const derived = new DerivedFiles(join(home, 'images'), 0);
  const parts = {
    store,
    spool,
    usage: new StorageUsage(1024 ** 3),
    disk,
    // Without processes, each image is refused. The tests of images have a node.
    images: new Images({ store, spool, disk, derived, processes: [] }),
    origins: { urlAt: () => 'http://shop.localhost' },
    uploads: new InFlight(),
    app: { ref: record.ref, record, database: requests, serverDatabase: server, isFull: false },
    settings,
    statementMilliseconds: null,
    events: {
      emit: ({ type, ...rest }: { type: string }) => {
        throw new Error(`${type}: ${JSON.stringify(rest)}`);
      },
    },
  };
  return {
    ref: record.ref,
    database,
    store,
    spool,
    server,
    authenticator,
    settings,
    send: async (method, path, { body = '', headers = {}, as = serviceRole } = {}) => {
      const [pathname = '', query = ''] = path.split('?');
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      const request = {
        ...{ method, path: pathname, query, headers, target: `/storage/v1${path}`, address: '127.0.0.1', body: null },
        stream:
          bytes instanceof Uint8Array
            ? Object.assign(once(bytes), { length: bytes.length })
            : Object.assign(bytes, { length: null }),
        requestId: randomUUID(),
        baseUrl: 'http://shop.localhost',
        signal: new AbortController().signal,
      };
      const reply = await handleStorage({ ...parts, identity: async () => as }, request);
      const sent = await bytesOf(reply.body);
      return { status: reply.status, headers: reply.headers, body: sent, json: () => JSON.parse(sent.toString()) };
    },
    sql: (text) => scriptIn(owner, text),
    column: async (text) => {
      const [result] = await database.pool.run([{ text, params: [], planKey: '' }]);
      return (result?.rows ?? []).map(([value]) => value?.toString() ?? null);
    },
    keys: async () => {
      const keys: string[] = [];
      for await (const { key } of store.list('')) keys.push(key);
      return keys.sort();
    },
    spooled: () => readdir(incoming),
    stop: () => database.stop(),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function bytesOf(body: Awaited<ReturnType<typeof handleStorage>>['body']): Promise<Buffer> {
  if (body === null) return Buffer.alloc(0);
  return typeof body === 'string' || body instanceof Uint8Array ? Buffer.from(body) : buffer(body);
}
