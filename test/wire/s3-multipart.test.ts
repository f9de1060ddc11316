import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { createS3Access, S3Client, textsOf } from '../support/s3-client.ts';

const node = inject('node');
const MIB = 1024 * 1024;
let app: AppConnection;
let s3: S3Client;
beforeAll(async () => {
  app = await createApp(node);
  s3 = new S3Client(await createS3Access(node, app));
  await s3.send('PUT', '/files');
});

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest();
const errorOf = ({ status, body }: { status: number; body: string }) => ({ status, code: textsOf(body, 'Code')[0] });

async function begin(key: string, headers: Record<string, string> = {}): Promise<string> {
  const { body } = await s3.send('POST', `/files/${key}`, { query: 'uploads=', headers });
  return textsOf(body, 'UploadId')[0] ?? '';
}
const sendPart = (key: string, id: string, number: number, body: Buffer | string) =>
  s3.send('PUT', `/files/${key}`, { query: `partNumber=${number}&uploadId=${id}`, body });
const complete = (
  key: string,
  id: string,
  parts: readonly (readonly [number: number, etag: unknown])[],
  headers = {},
) => {
  const list = parts.map(([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`);
  const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`;
  return s3.send('POST', `/files/${key}`, { query: `uploadId=${id}`, body, headers });
};
/** Returns the folders of uploads whose parts the node stores. */
const storedUploads = () => readdir(join(node.home, 'files', 'apps', app.ref, 'uploads')).catch(() => [] as string[]);

it('the node joins parts in the order of their numbers, and repeats the response if the client asks again', async () => {
  const [first, second] = [randomBytes(5 * MIB), randomBytes(1000)];
  const id = await begin('joined', { 'content-type': 'text/plain', 'x-amz-meta-a': '1' });
  const two = await sendPart('joined', id, 2, second);
  await sendPart('joined', id, 1, 'replaced later');
  const one = await sendPart('joined', id, 1, first);
  expect(one.headers.etag).toBe(`"${md5(first).toString('hex')}"`);
  expect(await storedUploads()).toContain(id);
  const listed = await s3.send('GET', '/files/joined', { query: `max-parts=1&uploadId=${id}` });
  expect(textsOf(listed.body, 'PartNumber')).toEqual(['1']);
  expect(textsOf(listed.body, 'NextPartNumberMarker')).toEqual(['1']);
  const rest = await s3.send('GET', '/files/joined', { query: `part-number-marker=1&uploadId=${id}` });
  expect([textsOf(rest.body, 'PartNumber'), textsOf(rest.body, 'Size')]).toEqual([['2'], ['1000']]);

  const etag = `"${md5(Buffer.concat([md5(first), md5(second)])).toString('hex')}-2"`;
  for (let attempt = 0; attempt < 2; attempt++) {
    const { status, body } = await complete('joined', id, [
      [1, one.headers.etag],
      [2, two.headers.etag],
    ]);
    expect([status, textsOf(body, 'ETag')]).toEqual([200, [etag]]);
  }
  const { headers } = await s3.send('HEAD', '/files/joined');
  expect(headers).toMatchObject({
    etag,
    'content-type': 'text/plain',
    'x-amz-meta-a': '1',
    'content-length': String(5 * MIB + 1000),
  });
  const { data } = await clientOf(app, app.secret_key).storage.from('files').download('joined');
  expect(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0)).equals(Buffer.concat([first, second]))).toBe(
    true,
  );
  expect(await storedUploads()).not.toContain(id);
});

it('the node refuses lists of parts that do not fit, and keeps the upload', async () => {
  const id = await begin('refused');
  const small = (await sendPart('refused', id, 1, 'a')).headers.etag;
  const last = (await sendPart('refused', id, 2, 'b')).headers.etag;
  for (const [parts, code] of [
    [
      [
        [1, small],
        [2, last],
      ],
      'EntityTooSmall',
    ],
    [[[1, last]], 'InvalidPart'],
    [[[3, small]], 'InvalidPart'],
    [
      [
        [2, last],
        [1, small],
      ],
      'InvalidPartOrder',
    ],
    [[], 'MalformedXML'],
  ] as const) {
    expect(errorOf(await complete('refused', id, parts))).toEqual({ status: 400, code });
  }
  const wrong = { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-type': 'FULL_OBJECT' };
  expect(errorOf(await complete('refused', id, [[2, last]], wrong))).toEqual({ status: 400, code: 'BadDigest' });
  expect(errorOf(await sendPart('refused', id, 0, 'a'))).toEqual({ status: 400, code: 'InvalidArgument' });
  expect(errorOf(await sendPart('refused', id, 10_001, 'a'))).toEqual({ status: 400, code: 'InvalidArgument' });
  expect(await complete('refused', id, [[2, last]])).toMatchObject({ status: 200 });
  expect((await s3.send('GET', '/files/refused')).body).toBe('b');
});

it('a part can be a range of another object', async () => {
  await s3.send('PUT', '/files/source', { body: '0123456789' });
  const id = await begin('from parts');
  const copy = (range: string) =>
    s3.send('PUT', '/files/from parts', {
      query: `partNumber=1&uploadId=${id}`,
      headers: { 'x-amz-copy-source': 'files/source', 'x-amz-copy-source-range': range },
    });
  expect(errorOf(await copy('bytes=5-10'))).toEqual({ status: 416, code: 'InvalidRange' });
  expect(errorOf(await copy('bytes=5-'))).toEqual({ status: 400, code: 'InvalidArgument' });
  const [etag] = textsOf((await copy('bytes=3-5')).body, 'ETag');
  await complete('from parts', id, [[1, etag]]);
  expect((await s3.send('GET', '/files/from parts')).body).toBe('345');
});

it('the node lists uploads that are not complete, and an aborted upload leaves nothing', async () => {
  const keys = ['open/b', 'open/a', 'open/a'];
  const ids: string[] = [];
  for (const key of keys) ids.push(await begin(key));
  const list = (query: string) => s3.send('GET', '/files', { query });
  const page = await list('max-uploads=1&prefix=open%2F&uploads=');
  expect(textsOf(page.body, 'Key')).toEqual(['open/a']);
  const [key, id] = [textsOf(page.body, 'NextKeyMarker')[0] ?? '', textsOf(page.body, 'NextUploadIdMarker')[0] ?? ''];
  const rest = await list(`key-marker=${encodeURIComponent(key)}&prefix=open%2F&upload-id-marker=${id}&uploads=`);
  expect(textsOf(rest.body, 'Key')).toEqual(['open/a', 'open/b']);
  expect([id, ...textsOf(rest.body, 'UploadId')].sort()).toEqual([...ids].sort());

  await sendPart('open/b', ids[0] ?? '', 1, 'part');
  expect(await storedUploads()).toContain(ids[0]);
  const abort = (of: string, upload = ids[0]) => s3.send('DELETE', `/files/${of}`, { query: `uploadId=${upload}` });
  expect(errorOf(await abort('open/a'))).toEqual({ status: 404, code: 'NoSuchUpload' });
  expect(errorOf(await abort('open/b', 'x'))).toEqual({ status: 404, code: 'NoSuchUpload' });
  expect(await abort('open/b')).toMatchObject({ status: 204 });
  expect(errorOf(await sendPart('open/b', ids[0] ?? '', 2, 'late'))).toEqual({ status: 404, code: 'NoSuchUpload' });
  expect(await storedUploads()).not.toContain(ids[0]);
});

it('the parts of an upload together are at most as large as an object of the bucket', async () => {
  await clientOf(app, app.secret_key).storage.createBucket('small', { public: false, fileSizeLimit: 100 });
  const started = await s3.send('POST', '/small/a', { query: 'uploads=' });
  const [id] = textsOf(started.body, 'UploadId');
  const part = (number: number, bytes: number) =>
    s3.send('PUT', '/small/a', { query: `partNumber=${number}&uploadId=${id}`, body: 'x'.repeat(bytes) });
  expect(await part(1, 60)).toMatchObject({ status: 200 });
  expect(errorOf(await part(2, 41))).toEqual({ status: 400, code: 'EntityTooLarge' });
  expect(await part(1, 100)).toMatchObject({ status: 200 });
});
