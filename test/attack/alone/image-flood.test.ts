import sharp from 'sharp';
import { beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { limits } from '../../../contract/limits.ts';
import { createAppWithBucket, putImage, showImage } from '../../support/bucket.ts';
import { noise } from '../../support/hostile-images.ts';
import { ownNode } from '../../support/own-node.ts';

const node = ownNode('image-flood', () => ({ NINEFOLD_WORKERS: '1' }));

let hostile: AppConnection;
let other: AppConnection;
beforeAll(async () => {
  [hostile, other] = await Promise.all([createAppWithBucket(node), createAppWithBucket(node)]);
  const side = 2500;
  const slow = sharp(noise(side * side, 1), { raw: { width: side, height: side, channels: 1 } });
  await putImage(node, hostile.ref, 'slow.png', await slow.png({ compressionLevel: 0 }).toBuffer());
  const photo = sharp(noise(1200 * 800 * 3, 2), { raw: { width: 1200, height: 800, channels: 3 } });
  await putImage(node, other.ref, 'photo.jpg', await photo.jpeg().toBuffer());
});

it('an app gets its image in 2 seconds while another app requests hundreds of slow ones', async () => {
  const count = limits.appImages.default + limits.appImagesWaiting.default + 50;
  const stop = new AbortController();
  const flood = Array.from({ length: count }, (_, i) =>
    showImage(hostile, `slow.png?width=${2500 - i}&format=avif`, stop.signal).then(({ status }) => status),
  );
  // Once the first request of the flood is refused, all places that the app may have are full.
  await expect(
    Promise.any(flood.map((each) => each.then((status) => status === 429 || Promise.reject()))),
  ).resolves.toBe(true);
  for (const width of [300, 301, 302]) {
    const started = performance.now();
    const response = await showImage(other, `photo.jpg?width=${width}&format=webp`);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    expect(performance.now() - started).toBeLessThan(2000);
  }
  stop.abort();
  await Promise.allSettled(flood);
});
