import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { S3KeyEntry } from '../../contract/files.ts';
import { admin, createApp } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { send } from '../support/http.ts';
import { createS3Access, encoded, type S3Access, S3Client, textsOf } from '../support/s3-client.ts';

const node = inject('node');
let app: AppConnection;
let access: S3Access;
let s3: S3Client;
beforeAll(async () => {
  app = await createApp(node);
  access = await createS3Access(node, app);
  s3 = new S3Client(access);
  expect(await s3.send('PUT', '/files')).toMatchObject({ status: 200 });
});

const digest = (algorithm: string, bytes: string | Uint8Array, encoding: 'hex' | 'base64' = 'hex') =>
  createHash(algorithm).update(bytes).digest(encoding);
const put = async (key: string, body: string | Buffer, headers: Record<string, string> = {}) => {
  expect(await s3.send('PUT', `/files/${key}`, { body, headers })).toMatchObject({ status: 200, body: '' });
};
const errorOf = ({ status, body }: { status: number; body: string }) => ({ status, code: textsOf(body, 'Code')[0] });
const keysOf = async (query: string) => {
  const { body } = await s3.send('GET', '/files', { query });
  return { keys: textsOf(body, 'Key'), prefixes: textsOf(body, 'Prefix').slice(1), body };
};

it('the node stores an object with its type and metadata, and returns it by every call of /storage/v1', async () => {
  const headers = { 'content-type': 'text/plain', 'cache-control': 'max-age=60', 'x-amz-meta-mtime': '12.5' };
  await put("ü b+c/d&e '(1)!*~=%.txt", 'hello', headers);
  const path = "/files/ü b+c/d&e '(1)!*~=%.txt";
  expect(await s3.send('GET', path)).toMatchObject({
    status: 200,
    body: 'hello',
    headers: {
      ...headers,
      etag: `"${digest('md5', 'hello')}"`,
      'content-length': '5',
      'x-amz-request-id': expect.any(String),
    },
  });
  expect(await s3.send('HEAD', path)).toMatchObject({
    status: 200,
    body: '',
    headers: { ...headers, 'content-length': '5' },
  });
  const bucket = clientOf(app, app.secret_key).storage.from('files');
  expect(await (await bucket.download("ü b+c/d&e '(1)!*~=%.txt")).data?.text()).toBe('hello');
  await bucket.upload('by-storage-js.txt', 'hi', { contentType: 'text/plain', metadata: { a: 'ü', b: 1 } });
  expect(await s3.send('GET', '/files/by-storage-js.txt')).toMatchObject({
    body: 'hi',
    headers: { etag: `"${digest('sha256', 'hi')}"`, 'x-amz-meta-a': '=?UTF-8?B?w7w=?=', 'x-amz-missing-meta': '1' },
  });
});

it('the node sends ranges and evaluates conditions', async () => {
  await put('range.txt', '0123456789');
  const etag = `"${digest('md5', '0123456789')}"`;
  const get = (headers: Record<string, string>) => s3.send('GET', '/files/range.txt', { headers });
  expect(await get({ range: 'bytes=2-4' })).toMatchObject({
    status: 206,
    body: '234',
    headers: { 'content-range': 'bytes 2-4/10' },
  });
  expect(errorOf(await get({ range: 'bytes=10-' }))).toEqual({ status: 416, code: 'InvalidRange' });
  expect(await get({ 'if-none-match': etag })).toMatchObject({ status: 304, body: '' });
  expect(errorOf(await get({ 'if-match': '"other"' }))).toEqual({ status: 412, code: 'PreconditionFailed' });
  expect(await get({ 'if-match': etag })).toMatchObject({ status: 200 });
  const year = 365 * 86_400_000;
  const at = (difference: number) => new Date(Date.now() + difference).toUTCString();
  expect(errorOf(await get({ 'if-unmodified-since': at(-year) }))).toEqual({ status: 412, code: 'PreconditionFailed' });
  expect(await get({ 'if-modified-since': at(year) })).toMatchObject({ status: 304 });
  const again = await s3.send('PUT', '/files/range.txt', { body: 'x', headers: { 'if-none-match': '*' } });
  expect(errorOf(again)).toEqual({ status: 412, code: 'PreconditionFailed' });
});

it('the node lists keys in the order of their bytes, page by page', async () => {
  const folder = 'list/';
  const names = ['Z', 'a', 'a b', 'a+b', 'b/1', 'b/2', 'b/c/3', 'd&<>"', 'é', '日', '😀'];
  for (const name of names) await put(folder + name, name);
  const all = names.map((name) => folder + name);
  expect((await keysOf(`list-type=2&prefix=${encoded(folder)}`)).keys).toEqual(all);

  const found: string[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const from: string = token === '' ? '' : `continuation-token=${encoded(token)}&`;
    const { keys, prefixes, body } = await keysOf(
      `${from}delimiter=%2F&list-type=2&max-keys=2&prefix=${encoded(folder)}`,
    );
    expect(Number(textsOf(body, 'KeyCount')[0])).toBe(keys.length + prefixes.length);
    found.push(...keys, ...prefixes);
    token = textsOf(body, 'NextContinuationToken')[0];
    expect(textsOf(body, 'IsTruncated')).toEqual([String(token !== undefined)]);
  }
  const top = all.filter((key) => !key.startsWith('list/b/'));
  expect([...found].sort()).toEqual([...top, 'list/b/'].sort());

  const byMarker: string[] = [];
  for (let marker: string | undefined = ''; marker !== undefined; ) {
    const { keys, prefixes, body } = await keysOf(
      `delimiter=%2F&marker=${encoded(marker)}&max-keys=1&prefix=${encoded(folder)}`,
    );
    byMarker.push(...keys, ...prefixes);
    marker = textsOf(body, 'NextMarker')[0];
  }
  expect([...byMarker].sort()).toEqual([...found].sort());

  const after = await keysOf(`list-type=2&prefix=list%2F&start-after=${encoded('list/b/2')}`);
  expect(after.keys).toEqual(all.slice(6));
  const escaped = await keysOf(`encoding-type=url&list-type=2&prefix=${encoded('list/a')}`);
  expect(escaped.keys).toEqual(['list/a', 'list/a%20b', 'list/a%2Bb']);
  expect((await keysOf('list-type=2&max-keys=0')).keys).toEqual([]);
});

it('the node copies objects, and replaces the metadata of an object by a copy onto itself', async () => {
  await put('from +.txt', 'copied', { 'content-type': 'text/plain', 'x-amz-meta-a': '1' });
  const copy = (to: string, headers: Record<string, string>) =>
    s3.send('PUT', `/files/${to}`, { headers: { 'x-amz-copy-source': '/files/from%20%2B.txt', ...headers } });
  const copied = await copy('to.txt', {});
  expect(textsOf(copied.body, 'ETag')).toEqual([`"${digest('md5', 'copied')}"`]);
  expect(await s3.send('GET', '/files/to.txt')).toMatchObject({
    body: 'copied',
    headers: { 'content-type': 'text/plain', 'x-amz-meta-a': '1' },
  });
  expect(errorOf(await copy('from +.txt', {}))).toEqual({ status: 400, code: 'InvalidRequest' });
  const replaced = { 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-b': '2', 'content-type': 'text/csv' };
  expect(await copy('from +.txt', replaced)).toMatchObject({ status: 200 });
  const { headers } = await s3.send('HEAD', '/files/from +.txt');
  expect(headers).toMatchObject({ 'content-type': 'text/csv', 'x-amz-meta-b': '2' });
  expect(headers).not.toHaveProperty('x-amz-meta-a');
  expect(errorOf(await copy('x', { 'x-amz-copy-source-if-match': '"other"' }))).toEqual({
    status: 412,
    code: 'PreconditionFailed',
  });
  expect(errorOf(await copy('x', { 'x-amz-copy-source': '/files/none' }))).toEqual({ status: 404, code: 'NoSuchKey' });
});

it('the node verifies the digests of a body and stores nothing of a wrong one', async () => {
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32('content'));
  await put('checked.txt', 'content', {
    'content-md5': digest('md5', 'content', 'base64'),
    'x-amz-checksum-crc32': crc.toString('base64'),
    'x-amz-checksum-sha256': digest('sha256', 'content', 'base64'),
  });
  const wrong: [string, Parameters<S3Client['send']>[2]][] = [
    ['XAmzContentSHA256Mismatch', { body: 'content', payloadHash: digest('sha256', 'other') }],
    ['BadDigest', { body: 'content', headers: { 'content-md5': digest('md5', 'other', 'base64') } }],
    ['BadDigest', { body: 'content', headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } }],
    ['InvalidDigest', { body: 'content', headers: { 'content-md5': 'abc' } }],
  ];
  for (const [code, request] of wrong) {
    expect(errorOf(await s3.send('PUT', '/files/wrong.txt', request))).toEqual({ status: 400, code });
  }
  expect(await s3.send('HEAD', '/files/wrong.txt')).toMatchObject({ status: 404, body: '' });
});

it('the node decodes a body of signed chunks', async () => {
  const content = randomBytes(200_000);
  expect(await s3.sendChunks('/files/chunks', content)).toMatchObject({ status: 200 });
  expect((await s3.send('HEAD', '/files/chunks')).headers).toMatchObject({
    'content-length': '200000',
    etag: `"${digest('md5', content)}"`,
  });
});

it('a presigned URL reads and writes one object until it expires', async () => {
  const upload = s3.presign('PUT', '/files/by url.txt', 60);
  expect(await send(node.url, upload, { method: 'PUT', body: 'signed' })).toMatchObject({ status: 200 });
  const download = s3.presign('GET', '/files/by url.txt', 60);
  expect(await send(node.url, download)).toMatchObject({ status: 200, body: 'signed' });
  expect(errorOf(await send(node.url, download.replace('by%20url', 'chunks')))).toMatchObject({
    code: 'SignatureDoesNotMatch',
  });
  expect(errorOf(await send(node.url, download, { method: 'DELETE' }))).toMatchObject({
    code: 'SignatureDoesNotMatch',
  });
  const old = s3.presign('GET', '/files/by url.txt', 60, { time: Date.now() - 61_000 });
  expect(errorOf(await send(node.url, old))).toEqual({ status: 403, code: 'AccessDenied' });
});

it('the node deletes objects, and a bucket that is empty', async () => {
  await s3.send('PUT', '/gone');
  for (const key of ['a', 'b', 'c']) await s3.send('PUT', `/gone/${key}`, { body: key });
  expect(errorOf(await s3.send('DELETE', '/gone'))).toEqual({ status: 409, code: 'BucketNotEmpty' });
  expect(await s3.send('DELETE', '/gone/a')).toMatchObject({ status: 204 });
  expect(await s3.send('DELETE', '/gone/none')).toMatchObject({ status: 204 });
  const remove = (keys: readonly string[], quiet = false) =>
    s3.send('POST', '/gone', {
      query: 'delete=',
      body: `<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}<Quiet>${quiet}</Quiet></Delete>`,
    });
  expect(textsOf((await remove(['b', 'none'])).body, 'Key')).toEqual(['b', 'none']);
  expect(textsOf((await remove(['c'], true)).body, 'Key')).toEqual([]);
  expect(await s3.send('DELETE', '/gone')).toMatchObject({ status: 204 });
  expect(errorOf(await s3.send('DELETE', '/gone'))).toEqual({ status: 404, code: 'NoSuchBucket' });
});

it('the node answers the calls on buckets', async () => {
  const list = await s3.send('GET', '/');
  expect(textsOf(list.body, 'Name')).toContain('files');
  expect(errorOf(await s3.send('PUT', '/files'))).toEqual({ status: 409, code: 'BucketAlreadyOwnedByYou' });
  expect(errorOf(await s3.send('PUT', `/${'x'.repeat(101)}`))).toEqual({ status: 400, code: 'InvalidBucketName' });
  expect(await s3.send('HEAD', '/files')).toMatchObject({ status: 200 });
  expect(await s3.send('HEAD', '/none')).toMatchObject({ status: 404, body: '' });
  expect((await s3.send('GET', '/files', { query: 'location=' })).body).toContain('<LocationConstraint');
  expect((await s3.send('GET', '/files', { query: 'versioning=' })).body).toContain('<VersioningConfiguration');
  expect(errorOf(await s3.send('GET', '/files', { query: 'acl=' }))).toEqual({ status: 501, code: 'NotImplemented' });
  for (const [headers, code] of [
    [{ 'x-amz-acl': 'public-read' }, 'AccessControlListNotSupported'],
    [{ 'x-amz-server-side-encryption': 'AES256' }, 'NotImplemented'],
    [{ 'x-amz-meta-long': 'x'.repeat(2048) }, 'MetadataTooLarge'],
  ] as const) {
    expect(errorOf(await s3.send('PUT', '/files/refused', { body: 'x', headers }))).toMatchObject({ code });
  }
});

it('the rules of a bucket apply to the S3 protocol', async () => {
  const rules = { public: false, fileSizeLimit: 10, allowedMimeTypes: ['text/plain'] };
  await clientOf(app, app.secret_key).storage.createBucket('small', rules);
  const type = { 'content-type': 'text/plain' };
  expect(await s3.send('PUT', '/small/a', { body: 'x'.repeat(10), headers: type })).toMatchObject({ status: 200 });
  const large = await s3.send('PUT', '/small/b', { body: 'x'.repeat(11), headers: type });
  expect(errorOf(large)).toEqual({ status: 400, code: 'EntityTooLarge' });
  expect(errorOf(await s3.send('PUT', '/small/c', { body: 'x' }))).toMatchObject({ code: 'InvalidMimeType' });
  expect(errorOf(await s3.send('PUT', '/none/c', { body: 'x' }))).toEqual({ status: 404, code: 'NoSuchBucket' });
});

it('the protocol works on the app’s own origin', async () => {
  const { port } = new URL(node.url);
  const endpoint = `http://${app.ref}.localhost:${port}/storage/v1/s3`;
  const own = new S3Client({ ...access, endpoint, connectTo: node.url });
  expect(await own.send('PUT', '/files/own origin', { body: 'x' })).toMatchObject({ status: 200 });
  expect(await s3.send('GET', '/files/own origin')).toMatchObject({ body: 'x' });
});

it('the node notes the use of a key, and refuses a deleted key from the next request on', async () => {
  const other = await createS3Access(node, app);
  const keys = () => admin<S3KeyEntry[]>(node, 'GET', `/apps/${app.ref}/files/s3-keys`);
  const lastUse = async () => (await keys()).find(({ id }) => id === other.accessKey)?.last_used_at;
  expect(await lastUse()).toBeNull();
  expect(await new S3Client(other).send('HEAD', '/files')).toMatchObject({ status: 200 });
  expect(Date.now() - Date.parse((await lastUse()) ?? '')).toBeLessThan(60_000);
  await admin(node, 'DELETE', `/apps/${app.ref}/files/s3-keys/${other.accessKey}`);
  expect(errorOf(await new S3Client(other).send('GET', '/files'))).toEqual({ status: 403, code: 'InvalidAccessKeyId' });
});
