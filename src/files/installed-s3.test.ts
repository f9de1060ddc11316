import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InstalledS3, isInstalled, s3Commands, startInstalledS3 } from '../../test/support/installed-s3.ts';
import { keyOf, sizesBelow, spoolBytes, testStore } from '../../test/support/store-suite.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { S3Client } from './s3-client.ts';
import { S3Store } from './s3-store.ts';
import { Spool } from './spool.ts';

const MIB = 1024 * 1024;
/** S3 servers refuse parts below 5 MiB, except the last part. */
const sizes = { single: 6 * MIB, part: 5 * MIB, copy: 6 * MIB, copyPart: 5 * MIB, page: 10 };

describe.each(s3Commands)('S3Store with %s', (command) => {
  if (!isInstalled(command)) {
    it.skipIf(true)(`stores files (not tested: the command ${command} is not installed)`, () => undefined);
    return;
  }
  let home: string;
  let server: InstalledS3 | undefined;
  let store: S3Store;
  let spool: Spool;
  beforeAll(async () => {
    home = await makeTestFolder(command);
    server = await startInstalledS3(command, home);
    const { url: endpoint, accessKey, secret } = server;
    const location = { endpoint, accessKey, secret, bucket: 'ninefold', region: 'us-east-1', prefix: 'apps/' };
    const client = new S3Client({ ...location, isPathStyle: true });
    await client.send({ method: 'PUT', object: '' }, () => undefined);
    store = new S3Store(client, sizes);
    spool = new Spool(join(home, 'incoming'), false);
  });
  afterAll(async () => {
    await server?.stop();
    await rm(home, { recursive: true });
  });

  testStore(async () => ({ store, spool }));

  it('stores and copies files in parts', async () => {
    const bytes = randomBytes(12 * MIB + 7);
    const key = keyOf('parts', bytes);
    await store.put(key, await spoolBytes(spool, bytes));
    await store.copy(key, 'parts/aa/copy');
    for (const stored of [key, 'parts/aa/copy']) {
      expect((await buffer(await store.read(stored))).equals(bytes)).toBe(true);
    }
    await store.delete([key, 'parts/aa/copy']);
    expect(await sizesBelow(store, 'parts/')).toEqual([]);
  });

  it('lists more keys than one page has', async () => {
    const keys = Array.from({ length: 25 }, (_, index) => `pages/aa/${index}`);
    for (const key of keys) await store.put(key, await spoolBytes(spool, Buffer.from('x')));
    expect(await sizesBelow(store, 'pages/')).toHaveLength(keys.length);
    await store.delete(keys);
    expect(await sizesBelow(store, 'pages/')).toEqual([]);
  });
});
