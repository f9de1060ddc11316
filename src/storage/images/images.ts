import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { limits } from '../../../contract/limits.ts';
import { type ContentId, contentKey } from '../../apps/files/content-key.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type ByteStore, BytesMissingError, type SpooledFile } from '../../files/byte-store.ts';
import type { DerivedFiles } from '../../files/derived-files.ts';
import type { Spool } from '../../files/spool.ts';
import type { FreeDisk } from '../free-disk.ts';
import { FairPlaces } from './fair-places.ts';
import type { ImageJob, ImageResult } from './image-message.ts';
import type { ImageProcess } from './image-process.ts';
import { formats, type ImageFormat, nameOfVariant, type Variant } from './options.ts';

/** Number of images that a worker remembers as refused. */
const REFUSED = 5000;
/** The key of the error with which all images are refused. */
const ALL = '';

/** The bytes of an object that may be an image. */
interface Source extends ContentId {
  readonly size: number;
}

/** A scaled image. */
export interface ScaledImage {
  readonly format: ImageFormat;
  readonly size: number;
  /** @throws BytesMissingError if the image was deleted from the cache since it was found. */
  readonly open: () => Promise<Uint8Array | Readable>;
}

interface Parts {
  readonly store: ByteStore;
  readonly spool: Spool;
  readonly disk: FreeDisk;
  readonly derived: DerivedFiles;
  /** The processes of this worker that scale images. */
  readonly processes: readonly ImageProcess[];
}

/** Scales images, and caches the results. It knows no callers: who may read an object is decided before. */
export class Images {
  readonly #parts: Parts;
  readonly #places: FairPlaces<ImageProcess>;
  /** The images that are being made. Equal requests share one. */
  readonly #running = new Map<string, Promise<ScaledImage>>();
  readonly #refused = new LRUCache<string, NinefoldError>({
    max: REFUSED,
    ttl: limits.refusedImageSeconds.default * 1000,
  });

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#places = new FairPlaces(parts.processes, {
      perApp: limits.appImages.default,
      waitingPerApp: limits.appImagesWaiting.default,
      waitMilliseconds: limits.imageWaitSeconds.default * 1000,
      tooMany: () =>
        new NinefoldError('TooManyImages', { retryAfter: 5, quota: { count: limits.appImagesWaiting.default } }),
    });
  }

  /**
   * Returns a scaled image from the cache, or makes it.
   * @throws NinefoldError ImageRefused, ImagesUnavailable, TooManyImages, BytesMissing, storage_unavailable
   */
  async get(app: string, source: Source, variant: Variant): Promise<ScaledImage> {
    const key = contentKey(app, source);
    const name = nameOfVariant(variant);
    return (await this.#find(key, name, variant)) ?? this.#makeOnce(app, source, key, name, variant);
  }

  /** Ends the processes. */
  close(): void {
    for (const each of this.#parts.processes) each.close();
  }

  async #find(key: string, name: string, { format }: Variant): Promise<ScaledImage | null> {
    for (const each of format === 'origin' ? formats : [format]) {
      const file = await this.#parts.derived.find(key, `${name}.${each}`);
      if (file) return { format: each, ...file };
    }
    return null;
  }

  #makeOnce(app: string, source: Source, key: string, name: string, variant: Variant): Promise<ScaledImage> {
    const id = `${key}/${name}`;
    const known = this.#refused.get(id) ?? this.#refused.get(ALL);
    if (known) return Promise.reject(known);
    const running = this.#running.get(id);
    if (running !== undefined) return running;
    const making = this.#make(app, source, key, name, variant)
      .catch((error: unknown) => {
        if (isOf(error, 'ImageRefused')) this.#refused.set(id, error);
        if (isOf(error, 'ImagesUnavailable')) this.#refused.set(ALL, error);
        throw error;
      })
      .finally(() => this.#running.delete(id));
    this.#running.set(id, making);
    return making;
  }

  async #make(app: string, source: Source, key: string, name: string, variant: Variant): Promise<ScaledImage> {
    if (source.size > limits.imageSourceBytes.default) {
      throw new NinefoldError('ImageRefused', {
        message: 'The file is larger than imageSourceBytes allows.',
        limit: 'imageSourceBytes',
      });
    }
    const result = await this.#places.run(app, (process) => {
      // Other apps may need the other processes soon, and a start takes longer than most images.
      for (const each of this.#parts.processes) each.prepare();
      return this.#withFile(key, source, (path) => process.run(jobOf(path, variant)));
    });
    if ('isMissing' in result) throw new NinefoldError('BytesMissing');
    if ('refused' in result) throw new NinefoldError('ImageRefused', { message: result.refused });
    const { format, bytes } = result;
    await this.#store(key, `${name}.${format}`, bytes);
    return { format, size: bytes.length, open: async () => bytes };
  }

  /** Runs work with the bytes of a key in a file. */
  async #withFile(key: string, { size }: Source, work: (path: string) => Promise<ImageResult>): Promise<ImageResult> {
    const { store, spool } = this.#parts;
    if (store.path) return work(store.path(key));
    const file = await this.#fetch(key, size);
    try {
      return await work(file.path);
    } finally {
      await spool.discard(file);
    }
  }

  async #fetch(key: string, size: number): Promise<SpooledFile> {
    const { store, spool } = this.#parts;
    const tooLarge = () => new NinefoldError('ImageRefused', { limit: 'imageSourceBytes' });
    try {
      // An empty range has no last byte.
      const bytes = size === 0 ? new Uint8Array(0) : await store.read(key, { start: 0, end: size - 1 });
      return await spool.receive(bytes, { maxBytes: size, tooLarge });
    } catch (cause) {
      if (cause instanceof NinefoldError) throw cause;
      throw cause instanceof BytesMissingError
        ? new NinefoldError('BytesMissing', { cause })
        : new NinefoldError('storage_unavailable', { retryAfter: 1, cause });
    }
  }

  /** Stores an image if the disk has space and its source was not deleted meanwhile. Without it, the image is made again. */
  async #store(key: string, name: string, bytes: Uint8Array): Promise<void> {
    const { store, disk, derived } = this.#parts;
    try {
      await disk.require(bytes.length);
      await derived.put(key, name, bytes);
    } catch {
      return;
    }
    if ((await store.size(key).catch(() => null)) === null) await derived.deleteOf([key]);
  }
}

const isOf = (error: unknown, code: NinefoldError['code']): error is NinefoldError =>
  error instanceof NinefoldError && error.code === code;

const jobOf = (path: string, variant: Variant): ImageJob => ({
  path,
  variant,
  maxPixels: limits.imagePixels.default,
  maxResultBytes: limits.imageResultBytes.default,
});
