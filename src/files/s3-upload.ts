import { createHash } from 'node:crypto';
import type { SpooledFile } from './byte-store.ts';
import { openFileStream } from './file-stream.ts';
import type { S3Client, S3Request } from './s3-client.ts';
import { readXml, S3Error, textIn } from './s3-error.ts';

/** Sizes in bytes, and one number of keys. */
export interface S3Sizes {
  /** The largest file that is sent with one request. */
  readonly single: number;
  readonly part: number;
  /** The largest object that is copied with one request. S3 allows 5 GB. */
  readonly copy: number;
  readonly copyPart: number;
  /** Number of keys of one page of a list and of one deletion. S3 allows 1,000. */
  readonly page: number;
}

/** Bytes of a mebibyte. */
const MIB = 1024 * 1024;
export const standardSizes: S3Sizes = {
  single: 64 * MIB,
  part: 16 * MIB,
  copy: 5 * 1024 * MIB,
  copyPart: 1024 * MIB,
  page: 1000,
};

/** Number of parts that are sent at the same time. */
const PARALLEL = 3;
/** Most parts of an object, as S3 allows. */
const MAX_PARTS = 10_000;

const joinResults = ['CompleteMultipartUploadResult', 'CompleteMultipartUploadResponse'];

/** One part of an object: its number, counted from 1, and its first and last byte. */
interface Part {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

/** Uploads a file in parts. @throws S3Error; the server then has no part of it, unless it is unreachable. */
export function uploadParts(client: S3Client, object: string, file: SpooledFile, sizes: S3Sizes): Promise<void> {
  return upload(client, object, file.size, sizes.part, async (part, query) => {
    const { path } = file;
    const body = { path, start: part.start, end: part.end, sha256: await hashOf(path, part) };
    return client.send({ method: 'PUT', object, query, body }, ({ headers }) => requireText(headers.etag, 'ETag'));
  });
}

/** Copies an object in parts. @param source Value of x-amz-copy-source. @throws S3Error */
export function uploadCopy(
  client: S3Client,
  object: string,
  source: string,
  size: number,
  sizes: S3Sizes,
): Promise<void> {
  return upload(client, object, size, sizes.copyPart, (part, query) => {
    const headers = { 'x-amz-copy-source': source, 'x-amz-copy-source-range': `bytes=${part.start}-${part.end}` };
    const request: S3Request = { method: 'PUT', object, query, headers, isLong: true };
    return client.send(request, ({ text }) => requireText(textIn(readXml(text, 'CopyPartResult'), 'ETag'), 'ETag'));
  });
}

/** Sends all parts of an object. @param send Sends one part and returns its ETag. */
async function upload(
  client: S3Client,
  object: string,
  size: number,
  partSize: number,
  send: (part: Part, query: readonly [string, string][]) => Promise<string>,
): Promise<void> {
  const create: S3Request = { method: 'POST', object, query: [['uploads', '']] };
  const uploadId = await client.send(create, ({ text }) =>
    requireText(textIn(readXml(text, 'InitiateMultipartUploadResult'), 'UploadId'), 'UploadId'),
  );
  try {
    const parts = partsOf(size, partSize);
    const etags = await inParallel(parts, (part) =>
      send(part, [
        ['partNumber', String(part.number)],
        ['uploadId', uploadId],
      ]),
    );
    await complete(client, object, uploadId, etags);
  } catch (error) {
    // The first error is the one to report. A server that cannot abort now removes the parts by its own rules.
    const abort: S3Request = { method: 'DELETE', object, query: [['uploadId', uploadId]] };
    await client.send(abort, () => undefined).catch(() => undefined);
    throw error;
  }
}

function partsOf(size: number, partSize: number): Part[] {
  const length = Math.max(partSize, Math.ceil(size / MAX_PARTS));
  return Array.from({ length: Math.ceil(size / length) }, (_, index) => ({
    number: index + 1,
    start: index * length,
    end: Math.min((index + 1) * length, size) - 1,
  }));
}

/** Runs `work` for each part, a few at the same time. After the first error it starts no more and waits for those that run. */
async function inParallel(parts: readonly Part[], work: (part: Part) => Promise<string>): Promise<string[]> {
  const results: string[] = [];
  const waiting = [...parts];
  const run = async () => {
    try {
      for (let part = waiting.shift(); part; part = waiting.shift()) results[part.number - 1] = await work(part);
    } catch (error) {
      waiting.length = 0;
      throw error;
    }
  };
  const runs = await Promise.allSettled(Array.from({ length: PARALLEL }, run));
  const failed = runs.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return results;
}

async function complete(client: S3Client, object: string, uploadId: string, etags: readonly string[]): Promise<void> {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  const text = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
  const request: S3Request = {
    method: 'POST',
    object,
    query: [['uploadId', uploadId]],
    headers: { 'content-type': 'application/xml' },
    body: { text, sha256: createHash('sha256').update(text).digest('hex') },
    isLong: true,
  };
  try {
    // The status is 200 before the parts are joined, so only the document tells whether they are.
    await client.send(request, (reply) => readXml(reply.text, ...joinResults));
  } catch (error) {
    // An earlier attempt joined the parts, and its response was lost. The caller verifies the size.
    if (!(error instanceof S3Error && error.code === 'NoSuchUpload')) throw error;
  }
}

async function hashOf(path: string, { start, end }: Part): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await openFileStream(path, path, { start, end })) hash.update(chunk);
  return hash.digest('hex');
}

function requireText(text: string | undefined, name: string): string {
  if (!text) throw new S3Error(0, `Missing${name}`);
  return text;
}

const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
