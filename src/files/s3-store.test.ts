import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type S3Server, startS3Server } from '../../test/support/s3-server.ts';
import { keyOf, sizesBelow, spoolBytes, testStore } from '../../test/support/store-suite.ts';
import { makeTestHome } from '../../test/support/test-folder.ts';
import { BytesTruncatedError } from './byte-store.ts';
import { S3Client, standardTiming } from './s3-client.ts';
import { S3Store } from './s3-store.ts';
import { Spool } from './spool.ts';

const KIB = 1024;
/** Small sizes, so that each way to send an object runs with small files. */
const sizes = { single: 100 * KIB, part: 64 * KIB, copy: 200 * KIB, copyPart: 150 * KIB, page: 1000 };
const timing = { ...standardTiming, pause: 2, longestPause: 10 };

/** Milliseconds without a byte after which the impatient store gives up. */
const IDLE = 400;

let server: S3Server;
let client: S3Client;
let store: S3Store;
/** A store that waits only for a short time. */
let impatient: S3Store;
let spool: Spool;
beforeAll(async () => {
  server = await startS3Server();
  const { url: endpoint, bucket, region, accessKey, secret } = server;
  client = new S3Client({ endpoint, bucket, region, accessKey, secret, prefix: 'apps/', isPathStyle: true }, timing);
  store = new S3Store(client, sizes);
  impatient = new S3Store(new S3Client(client.location, { ...timing, idle: IDLE }), sizes);
  spool = new Spool(join(await makeTestHome('s3-store'), 'incoming'), false);
});
afterAll(() => {
  client.close();
  return server.close();
});
afterEach(() => server.reset());

testStore(async () => ({ store, spool }));

const put = async (key: string, bytes: Uint8Array) => store.put(key, await spoolBytes(spool, bytes));
function putRandom(length: number): { key: string; bytes: Buffer } {
  const bytes = randomBytes(length);
  const key = keyOf('faults', bytes);
  server.objects.set(`apps/${key}`, bytes);
  return { key, bytes };
}
const read = async (key: string, range?: { start: number; end: number }, from: S3Store = store) =>
  buffer(await from.read(key, range));
const unavailable = expect.objectContaining({ code: 'storage_unavailable' });

describe('S3Store.put', () => {
  it('sends a small file with one request, and asks for its size', async () => {
    await put('app/ab/1', randomBytes(100 * KIB));
    expect(server.requests.map((request) => request.split('?')[0])).toEqual([
      'PUT /test-bucket/apps/app/ab/1',
      'HEAD /test-bucket/apps/app/ab/1',
    ]);
  });

  it('sends a large file in parts', async () => {
    const bytes = randomBytes(500 * KIB);
    await put('app/ab/2', bytes);
    expect(server.requests.filter((request) => request.includes('partNumber='))).toHaveLength(8);
    expect(server.objects.get('apps/app/ab/2')?.equals(bytes)).toBe(true);
    expect(server.openUploads()).toBe(0);
  });

  it.each([
    ['answers 503', { unavailable: 3 }],
    ['resets connections', { resets: 3 }],
    ['fails after the status 200', { lateErrors: 2 }],
    ['loses the response that confirms a joined file', { lostResponses: 1 }],
  ])('succeeds with a server that at first %s', async (_, faults) => {
    for (const length of [10 * KIB, 300 * KIB]) {
      Object.assign(server.faults, faults);
      const bytes = randomBytes(length);
      await put(keyOf('retried', bytes), bytes);
      expect((await read(keyOf('retried', bytes))).equals(bytes)).toBe(true);
    }
    expect(server.openUploads()).toBe(0);
  });

  it.each([
    ['always answers 503', { unavailable: 1000 }],
    ['always resets connections', { resets: 1000 }],
    ['never answers in time', { delay: 2 * IDLE }],
    ['stores less than it was sent', { truncatedWrites: 1 }],
    ['always fails after the status 200', { lateErrors: 1000 }],
    ['confirms another part than the one it was sent', { wrongEtags: 1 }],
  ])('rejects and leaves the file in the spool with a server that %s', async (_, faults) => {
    Object.assign(server.faults, faults);
    const file = await spoolBytes(spool, randomBytes(300 * KIB));
    await expect(impatient.put('app/ab/3', file)).rejects.toEqual(unavailable);
    expect(existsSync(file.path)).toBe(true);
    await spool.discard(file);
  });

  it('aborts the upload whose parts the server refuses', async () => {
    server.faults.wrongEtags = 1;
    await expect(put('app/ab/4', randomBytes(300 * KIB))).rejects.toEqual(unavailable);
    expect(server.openUploads()).toBe(0);
    const ends = server.requests.filter((request) => request.startsWith('DELETE /test-bucket/apps/app/ab/4?'));
    expect(ends).toHaveLength(1);
  });

  it.each([10 * KIB, 300 * KIB])(
    'rejects a file of %d bytes that the spool lost, without a report about S3',
    async (length) => {
      const file = await spoolBytes(spool, randomBytes(length));
      await unlink(file.path);
      await expect(store.put('app/ab/5', file)).rejects.toMatchObject({ code: 'ENOENT' });
      const shorter = await spoolBytes(spool, randomBytes(length));
      await truncate(shorter.path, length - 1);
      await expect(store.put('app/ab/5', shorter)).rejects.toThrow(BytesTruncatedError);
      expect(await store.size('app/ab/5')).toBeNull();
    },
  );

  it('rejects credentials that the server does not accept', async () => {
    for (const wrong of [{ secret: 'other' }, { accessKey: 'other' }, { region: 'other' }, { bucket: 'other' }]) {
      const other = new S3Store(new S3Client({ ...client.location, ...wrong }, timing));
      await expect(other.put('a/b', await spoolBytes(spool, Buffer.from('x')))).rejects.toEqual(unavailable);
      await expect(other.read('a/b')).rejects.toEqual(unavailable);
      await expect(sizesBelow(other, '')).rejects.toEqual(unavailable);
    }
  });

  it('names neither the server nor its credentials in errors', async () => {
    const endpoint = 'http://no-such-host.invalid:9';
    const lost = new S3Store(new S3Client({ ...client.location, endpoint }, timing));
    server.faults.unavailable = 1000;
    for (const failing of [store, lost]) {
      const error = await failing
        .put('a/b', await spoolBytes(spool, Buffer.from('x')))
        .catch((caught: unknown) => caught);
      const text = inspect(error, { depth: 10 });
      expect(text).toContain('S3Error');
      for (const secret of ['127.0.0.1', 'invalid', server.accessKey, server.secret])
        expect(text).not.toContain(secret);
    }
  });
});

describe('S3Store.read', () => {
  it('goes on after the last received byte if the connection is lost or nothing arrives', async () => {
    const { key, bytes } = putRandom(900 * KIB);
    Object.assign(server.faults, { truncatedReads: 2, hangingReads: 1 });
    expect((await read(key, undefined, impatient)).equals(bytes)).toBe(true);
    expect(server.requests.length).toBeGreaterThanOrEqual(4);
    server.faults.truncatedReads = 1;
    expect((await read(key, { start: 10, end: 800 * KIB })).equals(bytes.subarray(10, 800 * KIB + 1))).toBe(true);
  });

  it.each([
    ['always ends too early', { truncatedReads: 1000 }],
    ['always stops to send', { hangingReads: 1000 }],
  ])('fails the stream with a server that %s', async (_, faults) => {
    const { key } = putRandom(900 * KIB);
    Object.assign(server.faults, faults);
    await expect(read(key, undefined, impatient)).rejects.toEqual(unavailable);
  });

  it('rejects a range of which the server promises a part', async () => {
    const { key } = putRandom(90 * KIB);
    server.faults.shortReads = 1;
    await expect(read(key, { start: 0, end: 90 * KIB - 1 })).rejects.toThrow(BytesTruncatedError);
  });

  it('fails the stream if the object changes while it is read', async () => {
    const { key, bytes } = putRandom(900 * KIB);
    server.faults.truncatedReads = 1;
    const stream = await store.read(key);
    server.objects.set(`apps/${key}`, randomBytes(bytes.length));
    await expect(buffer(stream)).rejects.toEqual(unavailable);
  });

  it('does not end the read of a slow reader', async () => {
    const { key, bytes } = putRandom(20_000 * KIB);
    const stream = await impatient.read(key);
    // On a busy machine, the store may have repeated the request before the first byte.
    const sent = server.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 2 * IDLE));
    expect((await buffer(stream)).equals(bytes)).toBe(true);
    expect(server.requests).toHaveLength(sent);
  });

  it('closes the connection of a reader that stops before the first byte', async () => {
    const { key } = putRandom(20_000 * KIB);
    const before = await server.openConnections();
    const streams = await Promise.all(Array.from({ length: 10 }, () => store.read(key)));
    expect(await server.openConnections()).toBeGreaterThan(before);
    for (const stream of streams) stream.destroy();
    await expect.poll(() => server.openConnections()).toBeLessThanOrEqual(before);
  });
});

describe('S3Store.list', () => {
  it('reads further pages and ignores objects that the node has not stored', async () => {
    for (let index = 0; index < 2500; index++) server.objects.set(`apps/many/aa/${index}`, Buffer.alloc(1));
    server.objects.set('apps/many/', Buffer.alloc(0));
    server.objects.set('apps/many/with space', Buffer.alloc(0));
    const found = await sizesBelow(store, 'many/');
    expect(found).toHaveLength(2500);
    expect(server.requests).toHaveLength(3);
    await store.delete(found.map(([key]) => key));
    expect(await sizesBelow(store, 'many/')).toEqual([]);
    expect(server.requests.filter((request) => request.startsWith('POST'))).toHaveLength(3);
  });
});

describe('S3Store.delete', () => {
  it('deletes one by one if the server cannot delete several with one request', async () => {
    for (const key of ['single/aa/1', 'single/aa/2', 'single/aa/3']) await put(key, Buffer.from(key));
    server.faults.lacksBulkDelete = true;
    await store.delete(['single/aa/1', 'single/aa/2', 'single/aa/missing']);
    expect(await sizesBelow(store, 'single/')).toEqual([['single/aa/3', 11]]);
  });
});

describe('S3Store.copy', () => {
  it.each([
    ['with one request', 150 * KIB],
    ['in parts', 400 * KIB],
  ])('copies %s, and again if the copy fails after the status 200', async (_, length) => {
    const { key, bytes } = putRandom(length);
    server.faults.lateErrors = 2;
    await store.copy(key, `copies/aa/${length}`);
    expect(server.objects.get(`apps/copies/aa/${length}`)?.equals(bytes)).toBe(true);
    server.faults.lateErrors = 1000;
    await expect(store.copy(key, 'copies/aa/failed')).rejects.toEqual(unavailable);
    expect(server.openUploads()).toBe(0);
  });
});
