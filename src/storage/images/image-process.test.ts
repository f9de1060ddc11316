import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { gifWithFrames, noise, plainPng, pngWithBombs, refusedImages } from '../../../test/support/hostile-images.ts';
import type { ImageJob, ImageResult } from './image-message.ts';
import { ImageProcess } from './image-process.ts';
import { readImageOptions, variantOf } from './options.ts';

/** The process loads sharp from the packages of the clone, so its file is below the folder of the clone. */
const inClone = mkdtempSync('node_modules/.images-');
const folder = mkdtempSync(join(tmpdir(), 'ninefold-images-'));
const entry = pathToFileURL(join(inClone, 'entry.mjs'));
let photo: Buffer;

const bundle = (outfile: string) =>
  build({
    entryPoints: ['src/storage/images/image-process-main.ts'],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });

beforeAll(async () => {
  await bundle(join(inClone, 'entry.mjs'));
  photo = await sharp(noise(600 * 400 * 3, 1), { raw: { width: 600, height: 400, channels: 3 } })
    .jpeg()
    .withMetadata({ orientation: 6 })
    .withExifMerge({ IFD0: { Artist: 'Somebody' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .toBuffer();
});
const processes: ImageProcess[] = [];
/** A process for the images that do not end it. */
const shared = start();
afterAll(() => {
  for (const each of processes) each.close();
  for (const each of [inClone, folder]) rmSync(each, { recursive: true });
});

function start(bounds?: { memory: number; milliseconds: number }, file = entry): ImageProcess {
  const made = new ImageProcess(file, bounds);
  processes.push(made);
  return made;
}

let files = 0;
function job(bytes: Uint8Array, query = 'width=100', accept?: string): ImageJob {
  const path = join(folder, String(++files));
  writeFileSync(path, bytes);
  return {
    path,
    variant: variantOf(readImageOptions(new URLSearchParams(query)), accept),
    maxPixels: limits.imagePixels.default,
    maxResultBytes: limits.imageResultBytes.default,
  };
}

async function describeResult(result: ImageResult) {
  if (!('bytes' in result)) return result;
  const { width, height, exif, icc, xmp, iptc, pages = 1 } = await sharp(result.bytes).metadata();
  return { format: result.format, width, height, pages, hasMetadata: Boolean(exif ?? icc ?? xmp ?? iptc) };
}

describe('ImageProcess', () => {
  it('applies the orientation and removes all metadata', async () => {
    expect((await sharp(photo).metadata()).exif?.includes('Somebody')).toBe(true);
    for (const [query, format] of [
      ['width=100', 'jpeg'],
      ['width=100&format=webp', 'webp'],
      ['width=100&format=avif', 'avif'],
    ] as const) {
      const result = await shared.run(job(photo, query));
      expect(await describeResult(result)).toEqual({ format, width: 100, height: 150, pages: 1, hasMetadata: false });
      expect('bytes' in result && Buffer.from(result.bytes).includes('Somebody')).toBe(false);
    }
  });

  it.each([
    ['width=100&height=100', 100, 100],
    ['width=100&height=100&resize=contain', 67, 100],
    ['width=100&height=100&resize=fill', 100, 100],
    ['height=300', 200, 300],
    ['width=2000', 400, 600],
    ['', 400, 600],
  ])('returns an image for %s with %i × %i pixels', async (query, width, height) => {
    expect(await describeResult(await shared.run(job(photo, query)))).toMatchObject({ width, height });
  });

  it('keeps the format of the file, except TIFF, which browsers do not show', async () => {
    const image = () => sharp(noise(90 * 90 * 4, 2), { raw: { width: 90, height: 90, channels: 4 } });
    const formatOf = async (bytes: Buffer) =>
      (await describeResult(await shared.run(job(bytes)))) as { format?: string };
    expect(await formatOf(await image().png().toBuffer())).toMatchObject({ format: 'png' });
    expect(await formatOf(await image().webp().toBuffer())).toMatchObject({ format: 'webp' });
    expect(await formatOf(await image().avif().toBuffer())).toMatchObject({ format: 'avif' });
    expect(await formatOf(await image().gif().toBuffer())).toMatchObject({ format: 'gif' });
    expect(await formatOf(await image().tiff({ compression: 'lzw' }).toBuffer())).toMatchObject({ format: 'png' });
    expect(await formatOf(await image().removeAlpha().tiff().toBuffer())).toMatchObject({ format: 'jpeg' });
  });

  it('scales only the first frame of an animation', async () => {
    const result = await shared.run(job(gifWithFrames(50_000, 100)));
    expect(await describeResult(result)).toMatchObject({ format: 'gif', pages: 1, width: 100 });
  });

  it.each(Object.entries(refusedImages))('refuses %s, and continues', async (_, bytes) => {
    await shared.run(job(photo));
    const { pid } = shared;
    expect(await shared.run(job(bytes()))).toMatchObject({ refused: expect.stringMatching(/^The (?:file|image) /) });
    expect(await describeResult(await shared.run(job(photo)))).toMatchObject({ width: 100 });
    expect(shared.pid).toBe(pid);
  });

  it('names the limit of pixels before it reads the pixels', async () => {
    const started = performance.now();
    await shared.run(job(photo));
    expect(await shared.run(job(plainPng({ width: 10_000, height: 10_000 })))).toEqual({
      refused: 'The image has more than 50 million pixels.',
    });
    expect(performance.now() - started).toBeLessThan(limits.imageMilliseconds.default);
  });

  it('does not unpack a colour profile or a text of hundreds of megabytes', async () => {
    const child = start({ memory: 300 * 2 ** 20, milliseconds: 5000 });
    const result = await child.run(job(pngWithBombs())).then(describeResult, String);
    expect(JSON.stringify(result)).toMatch(/refused|"width":10/);
  });

  it('survives random damage to files of every format', async () => {
    const image = sharp(noise(80 * 80 * 3, 3), { raw: { width: 80, height: 80, channels: 3 } });
    for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const) {
      const whole = await image.clone().toFormat(format).toBuffer();
      for (let seed = 1; seed <= 12; seed++) {
        const damaged = Buffer.from(whole);
        const places = noise(24, seed);
        for (let i = 0; i < 24; i += 2) {
          damaged[(12 + (places[i] ?? 0) * 97 * seed) % damaged.length] = places[i + 1] ?? 0;
        }
        const result = await shared
          .run(job(seed % 3 === 0 ? damaged.subarray(0, whole.length / 2) : damaged))
          .catch(String);
        expect(JSON.stringify(result)).toMatch(/refused|bytes|ImageRefused/);
      }
    }
    expect(await describeResult(await shared.run(job(photo)))).toMatchObject({ width: 100 });
  });

  it('ends an image that takes too long, and scales the next one in a new process', async () => {
    const child = start({ memory: limits.imageMemory.default, milliseconds: 300 });
    await child.run(job(photo));
    const { pid } = child;
    const costly = job(
      await sharp(noise(3000 * 3000, 4), { raw: { width: 3000, height: 3000, channels: 1 } })
        .png({ compressionLevel: 0 })
        .toBuffer(),
      'format=avif',
    );
    await expect(child.run(costly)).rejects.toMatchObject({
      code: 'ImageRefused',
      message: 'Scaling the image takes too long.',
    });
    expect(await describeResult(await child.run(job(photo)))).toMatchObject({ width: 100 });
    expect(child.pid).not.toBe(pid);
  });

  it('ends an image that takes too much memory, and scales the next one in a new process', async () => {
    const child = start({ memory: 160 * 2 ** 20, milliseconds: 20_000 });
    await child.run(job(photo));
    const large = sharp({ create: { width: 6500, height: 6500, channels: 3, background: 'red' } });
    const costly = job(await large.png({ progressive: true }).toBuffer(), 'format=webp');
    await expect(child.run(costly)).rejects.toMatchObject({
      code: 'ImageRefused',
      message: 'Scaling the image takes too much memory.',
    });
    expect(await describeResult(await child.run(job(photo)))).toMatchObject({ width: 100 });
  });

  it('makes the image again if something else ended the process meanwhile', async () => {
    const child = start();
    await child.run(job(photo));
    const { pid } = child;
    const running = child.run(job(photo));
    await new Promise(setImmediate);
    process.kill(pid ?? 0, 'SIGKILL');
    expect(await describeResult(await running)).toMatchObject({ width: 100 });
    expect(child.pid).not.toBe(pid);
  });

  it('reports a file that was deleted before it was read', async () => {
    expect(await shared.run({ ...job(photo), path: join(folder, 'missing') })).toEqual({ isMissing: true });
  });

  it.runIf(process.platform === 'linux')('has no variables of the environment', async () => {
    const child = start();
    await child.run(job(photo));
    const names = readFileSync(`/proc/${child.pid}/environ`, 'utf8')
      .split('\0')
      .map((each) => each.split('=')[0]);
    expect(names.filter((name) => name !== '' && !name?.startsWith('NODE_CHANNEL_'))).toEqual([]);
  });

  it('reports that images cannot be scaled if sharp is not installed', async () => {
    const outside = join(folder, 'entry.mjs');
    await bundle(outside);
    await expect(start(undefined, pathToFileURL(outside)).run(job(photo))).rejects.toMatchObject({
      code: 'ImagesUnavailable',
    });
  });
});
