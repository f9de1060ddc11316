import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  type ByteRange,
  type ByteStore,
  BytesMissingError,
  checkKey,
  checkPrefix,
  isKey,
  type SpooledFile,
  type StoredBytes,
} from './byte-store.ts';
import { removeFile } from './disk.ts';
import type { S3Client, S3Request } from './s3-client.ts';
import { nodesIn, readXml, S3Error, textIn, toUnavailable } from './s3-error.ts';
import { readObject } from './s3-read.ts';
import { type S3Sizes, standardSizes, uploadCopy, uploadParts } from './s3-upload.ts';
import { encodePath, type QueryPair } from './sign-v4.ts';

/** Number of keys that are deleted at the same time if the server cannot delete several with one request. */
const SINGLE_DELETIONS = 8;

/** Stores bytes as objects of a bucket of any S3 server. */
export class S3Store implements ByteStore {
  readonly name = 's3';
  readonly #client: S3Client;
  readonly #sizes: S3Sizes;

  constructor(client: S3Client, sizes: S3Sizes = standardSizes) {
    this.#client = client;
    this.#sizes = sizes;
  }

  async put(key: string, file: SpooledFile): Promise<void> {
    const object = this.#object(key);
    await this.#attempt(key, async () => {
      if (file.size > this.#sizes.single) await uploadParts(this.#client, object, file, this.#sizes);
      else {
        const body = { path: file.path, start: 0, end: file.size - 1, sha256: file.sha256 };
        await this.#client.send({ method: 'PUT', object, body }, () => undefined);
      }
      await this.#verify(key, file.size);
    });
    await removeFile(file.path);
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    const object = this.#object(key);
    return this.#attempt(key, () => readObject(this.#client, object, key, range));
  }

  async readWhole(key: string, range: ByteRange): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of await this.read(key, range)) chunks.push(chunk as Uint8Array);
    return Buffer.concat(chunks);
  }

  async size(key: string): Promise<number | null> {
    const object = this.#object(key);
    try {
      return await this.#client.send({ method: 'HEAD', object }, ({ headers: { 'content-length': length = '' } }) => {
        if (!/^\d{1,15}$/.test(length)) throw new S3Error(0, 'MissingContentLength');
        return Number(length);
      });
    } catch (error) {
      if (error instanceof S3Error && error.isMissing) return null;
      throw toUnavailable(error);
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    const objects = keys.map((key) => this.#object(key));
    try {
      for (let first = 0; first < objects.length; first += this.#sizes.page) {
        await this.#deletePage(objects.slice(first, first + this.#sizes.page));
      }
    } catch (error) {
      throw toUnavailable(error);
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredBytes> {
    const start = this.#client.location.prefix + checkPrefix(prefix);
    for (let token: string | null = ''; token !== null; ) {
      const page: S3Page = await this.#page(start, token);
      yield* page.found;
      token = page.next;
    }
  }

  async copy(from: string, to: string): Promise<void> {
    const [source, object] = [this.#object(from), this.#object(to)];
    const size = await this.size(from);
    if (size === null) throw new BytesMissingError(from);
    await this.#attempt(from, async () => {
      const copySource = encodePath(`/${this.#client.location.bucket}/${source}`);
      if (size > this.#sizes.copy) await uploadCopy(this.#client, object, copySource, size, this.#sizes);
      else {
        const request: S3Request = {
          method: 'PUT',
          object,
          headers: { 'x-amz-copy-source': copySource },
          isLong: true,
        };
        await this.#client.send(request, ({ text }) => readXml(text, 'CopyObjectResult'));
      }
      await this.#verify(to, size);
    });
  }

  #object(key: string): string {
    return this.#client.location.prefix + checkKey(key);
  }

  /** Runs requests that need the bytes of a key, and converts their errors. */
  async #attempt<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof S3Error && error.isMissing ? new BytesMissingError(key, error) : toUnavailable(error);
    }
  }

  /** Compares the size of an object with the bytes that were sent, because some servers confirm a part of a file. */
  async #verify(key: string, expected: number): Promise<void> {
    const size = await this.size(key);
    if (size === expected) return;
    throw toUnavailable(new S3Error(0, 'StoredSizeDiffers'));
  }

  async #deletePage(objects: readonly string[]): Promise<void> {
    const rest = await this.#deleteTogether(objects);
    for (let first = 0; first < rest.length; first += SINGLE_DELETIONS) {
      await Promise.all(rest.slice(first, first + SINGLE_DELETIONS).map((object) => this.#deleteOne(object)));
    }
  }

  async #deleteOne(object: string): Promise<void> {
    try {
      await this.#client.send({ method: 'DELETE', object }, () => undefined);
    } catch (error) {
      if (!(error instanceof S3Error && error.isMissing)) throw error;
    }
  }

  /** Deletes objects with one request. Returns those whose deletion the server does not confirm. */
  async #deleteTogether(objects: readonly string[]): Promise<readonly string[]> {
    if (objects.length < 2) return objects;
    // Keys and the prefix consist of characters that XML does not escape.
    const entries = objects.map((object) => `<Object><Key>${object}</Key></Object>`);
    const text = `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${entries.join('')}</Delete>`;
    const request: S3Request = {
      method: 'POST',
      object: '',
      query: [['delete', '']],
      headers: { 'content-type': 'application/xml', 'content-md5': createHash('md5').update(text).digest('base64') },
      body: { text, sha256: createHash('sha256').update(text).digest('hex') },
    };
    try {
      const deleted = await this.#client.send(request, ({ text: found }) => {
        const nodes = nodesIn(readXml(found, 'DeleteResult'), 'Deleted');
        return new Set(nodes.map((node) => textIn(node, 'Key')));
      });
      return objects.filter((object) => !deleted.has(object));
    } catch (error) {
      // Some servers do not know this request.
      if (error instanceof S3Error && !error.isTemporary) return objects;
      throw error;
    }
  }

  /** Reads one page of a list. @param token Where the page begins; empty for the first page. */
  async #page(start: string, token: string): Promise<S3Page> {
    const query: QueryPair[] = [
      ['list-type', '2'],
      ['max-keys', String(this.#sizes.page)],
      ['prefix', start],
    ];
    if (token !== '') query.push(['continuation-token', token]);
    try {
      const request: S3Request = { method: 'GET', object: '', query };
      return await this.#client.send(request, ({ text }) => this.#readPage(text, start, token));
    } catch (error) {
      throw toUnavailable(error);
    }
  }

  #readPage(text: string, start: string, token: string): S3Page {
    const result = readXml(text, 'ListBucketResult');
    const found = nodesIn(result, 'Contents').flatMap((node) => {
      const name = textIn(node, 'Key');
      const [size, storedAt] = [textIn(node, 'Size'), Date.parse(textIn(node, 'LastModified'))];
      const isValid = name.startsWith(start) && /^\d{1,15}$/.test(size) && Number.isFinite(storedAt);
      if (!isValid) throw new S3Error(0, 'InvalidList');
      const key = name.slice(this.#client.location.prefix.length);
      // The bucket may have objects of others.
      return isKey(key) ? [{ key, size: Number(size), storedAt }] : [];
    });
    if (textIn(result, 'IsTruncated') !== 'true') return { found, next: null };
    const next = textIn(result, 'NextContinuationToken');
    if (next === '' || next === token) throw new S3Error(0, 'InvalidList');
    return { found, next };
  }
}

interface S3Page {
  readonly found: readonly StoredBytes[];
  readonly next: string | null;
}
