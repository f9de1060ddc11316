import { randomBytes, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { mkdir, mkdtemp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { CallRequest } from '../../contract/call-request.ts';
import { defaultStorageSettings } from '../../contract/settings-storage.ts';
import type { Executor } from '../../src/database/database.ts';
import type { Statement } from '../../src/database/statement.ts';
import { Spool } from '../../src/files/spool.ts';
import type { StorageContext } from '../../src/storage/context.ts';
import { handleStorage } from '../../src/storage/handle.ts';
import type { LimitOrder } from '../cases.ts';

const open = promisify(fs.open);
const close = promisify(fs.close);
const write = promisify(fs.write);
const read = promisify(fs.read);
const fsync = promisify(fs.fsync);
const fdatasync = promisify(fs.fdatasync);

type Order = Extract<LimitOrder, { kind: 'upload' | 'download' }>;
type Batches = readonly (readonly Statement[])[];

/** The size of the file of the recorded call, and of each file of the limit. */
const SIZE = 1024;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the works for the limits of uploads and downloads of small files: the SQL of the calls, and their work with files. */
export async function storageWorks(order: Order, executors: readonly Executor[]): Promise<(() => Promise<unknown>)[]> {
  const folder = await mkdtemp(join(order.home, 'limit-'));
  return order.kind === 'upload' ? uploads(order, executors, folder) : downloads(order, executors, folder);
}

async function uploads(order: Order, executors: readonly Executor[], folder: string): Promise<(() => Promise<void>)[]> {
  const name = `limit-${randomUUID()}`;
  const batches = await record(order, executors[0] as Executor, folder, 'PUT', name);
  const incoming = join(folder, 'incoming');
  const stored = join(folder, 'stored');
  for (let i = 0; i < 256; i++) await mkdir(join(stored, hex(i)), { recursive: true });
  return executors.map((database) => async () => {
    const sha256 = randomBytes(32).toString('hex');
    const [first, ...others] = replaced(batches, order.folder, `${order.folder}/${name}`, sha256);
    // As the node does: the rules of the bucket, the file, the row.
    await database.run(first ?? []);
    const path = join(incoming, randomUUID());
    const file = await open(path, 'wx', 0o600);
    await write(file, randomBytes(SIZE));
    await fdatasync(file);
    await close(file);
    const target = join(stored, sha256.slice(0, 2));
    await rename(path, join(target, sha256));
    const directory = await open(target, 'r');
    await fsync(directory);
    await close(directory);
    for (const batch of others) await database.run(batch);
  });
}

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

/** Returns the batches of another upload: with another path, hash and other ids. */
const replaced = (batches: Batches, member: string, path: string, sha256: string): Batches => {
  const newPath = `${member}/limit-${randomUUID()}`;
  return batches.map((batch) =>
    batch.map((statement) => ({
      ...statement,
      params: statement.params.map((param) => {
        if (param === path) return newPath;
        if (typeof param !== 'string' || param === member) return param;
        if (UUID.test(param)) return randomUUID();
        return /^[0-9a-f]{64}$/.test(param) ? sha256 : param;
      }),
    })),
  );
};

async function downloads(
  order: Order,
  executors: readonly Executor[],
  folder: string,
): Promise<(() => Promise<void>)[]> {
  if (order.kind !== 'download') throw new Error('the order is no download');
  const recorded = await Promise.all(
    order.names.map((name) => record(order, executors[0] as Executor, folder, 'GET', name)),
  );
  return executors.map((database, i) => {
    let turn = i * 17;
    return async () => {
      for (const batch of recorded[turn % recorded.length] ?? []) await database.run(batch);
      const file = await open(order.paths[turn % order.paths.length] as string, 'r');
      await read(file, Buffer.allocUnsafe(SIZE), 0, SIZE, 0);
      await close(file);
      turn++;
    };
  });
}

/** Runs a call of the storage API once with a store that does nothing, and returns the batches that it sent. */
async function record(
  order: Order,
  database: Executor,
  folder: string,
  method: string,
  name: string,
): Promise<Batches> {
  const batches: (readonly Statement[])[] = [];
  const none = (): Promise<void> => Promise.resolve();
  const context = {
    store: { put: none, delete: none, readWhole: () => Promise.resolve(Buffer.alloc(0)) },
    spool: new Spool(join(folder, 'incoming')),
    // The node sums up the stored bytes every few seconds, so these queries are no part of a call.
    usage: { require: none, add: () => undefined },
    disk: { require: none },
    uploads: new Map(),
    app: {
      ref: 'bench',
      isFull: false,
      database: {
        run: (statements: readonly Statement[]) => {
          batches.push(statements);
          return database.run(statements);
        },
      },
    },
    settings: defaultStorageSettings,
    statementMilliseconds: order.statementMilliseconds,
    identity: () => Promise.resolve(order.identity),
    events: { emit: () => undefined },
  } as unknown as StorageContext & { events: { emit: () => void } };
  const path = `/object/${order.bucket}/${order.folder}/${name}`;
  const bytes = randomBytes(SIZE);
  const request: CallRequest = {
    method,
    path,
    query: '',
    headers: order.headers,
    body: null,
    stream:
      method === 'PUT'
        ? { length: SIZE, [Symbol.asyncIterator]: () => Readable.from([bytes])[Symbol.asyncIterator]() }
        : null,
    target: path,
    address: '127.0.0.1',
    requestId: 'bench',
    baseUrl: '',
    signal: new AbortController().signal,
  };
  await handleStorage(context, request);
  return batches;
}
