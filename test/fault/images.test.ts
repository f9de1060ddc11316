import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWithBucket, putImage, showImage } from '../support/bucket.ts';
import { noise } from '../support/hostile-images.ts';
import { ownNode } from '../support/own-node.ts';
import { partsOf, processTable } from '../support/processes.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
});
afterAll(() => s3.close());
const node = ownNode('images', () => ({
  NINEFOLD_WORKERS: '1',
  NINEFOLD_STORAGE_URL: `s3://${s3.bucket}/files?endpoint=${s3.url}&region=${s3.region}`,
  NINEFOLD_STORAGE_KEY: s3.accessKey,
  NINEFOLD_STORAGE_SECRET: s3.secret,
}));

let app: AppConnection;
beforeAll(async () => {
  app = await createAppWithBucket(node);
  const side = 1500;
  const photo = await sharp(noise(side * side, 1), { raw: { width: side, height: side, channels: 1 } })
    .png()
    .toBuffer();
  await putImage(node, app.ref, 'photo.png', photo);
});

/** Returns the processes of the node that scale images. */
async function scaling(): Promise<number[]> {
  const { all } = await partsOf(node.pid);
  const table = await processTable();
  return table.flatMap(({ pid, command }) => (all.includes(pid) && command.includes('image-process') ? [pid] : []));
}

const widthOf = async (response: Response) => {
  expect(response.status).toBe(200);
  return (await sharp(new Uint8Array(await response.arrayBuffer())).metadata()).width;
};

it('the caller gets its image although the process that scales was killed, and no process outlives its worker', async () => {
  expect(await scaling()).toEqual([]);
  expect(await widthOf(await showImage(app, 'photo.png?width=1000'))).toBe(1000);
  for (const width of [1001, 1002, 1003]) {
    const before = await scaling();
    expect(before.length).toBeGreaterThan(0);
    const shown = showImage(app, `photo.png?width=${width}&format=avif`);
    await expect.poll(() => s3.requests.length > 0, { interval: 1 }).toBe(true);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    expect(await widthOf(await shown)).toBe(width);
    s3.reset();
  }
  const last = await scaling();
  expect(last.length).toBeGreaterThan(0);
  const { workers } = await partsOf(node.pid);
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  const isRunning = async () => (await processTable()).some(({ pid }) => last.includes(pid));
  await expect.poll(isRunning).toBe(false);
  await expect
    .poll(() =>
      showImage(app, 'photo.png?width=1004').then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
});

it('a bucket of S3 that fails gives an error and never a part of an image, and images in the cache need no bucket', async () => {
  await showImage(app, 'photo.png?width=500');
  s3.reset();
  expect(await widthOf(await showImage(app, 'photo.png?width=500'))).toBe(500);
  expect(s3.requests).toEqual([]);
  for (const fault of ['truncatedReads', 'shortReads'] as const) {
    s3.faults[fault] = 100;
    const response = await showImage(app, 'photo.png?width=501');
    expect([fault, response.status]).toEqual([fault, 503]);
    expect(await response.json()).toMatchObject({ code: 'storage_unavailable' });
    s3.reset();
  }
  expect(await widthOf(await showImage(app, 'photo.png?width=501'))).toBe(501);
});
