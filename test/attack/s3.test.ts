import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp } from '../support/apps.ts';
import { send } from '../support/http.ts';
import { createS3Access, type S3Access, S3Client, textsOf } from '../support/s3-client.ts';

const node = inject('node');
let app: AppConnection;
let access: S3Access;
let s3: S3Client;
beforeAll(async () => {
  app = await createApp(node);
  access = await createS3Access(node, app);
  s3 = new S3Client(access);
  await s3.send('PUT', '/files');
  await s3.send('PUT', '/files/secret.txt', { body: 'secret' });
});

const codeOf = ({ body }: { body: string }) => textsOf(body, 'Code')[0];

it('a request without a signature, or with that of other software, gets nothing', async () => {
  const target = new URL(`${access.endpoint}/files/secret.txt`).pathname;
  const get = (headers: Record<string, string> = {}, query = '') => send(node.url, target + query, { headers });
  expect(codeOf(await get())).toBe('AccessDenied');
  expect(codeOf(await get({ authorization: `Bearer ${app.secret_key}` }))).toBe('AuthorizationHeaderMalformed');
  expect(codeOf(await get({ apikey: app.secret_key }))).toBe('AccessDenied');
  expect(codeOf(await get({ authorization: 'AWS a:b' }))).toBe('AuthorizationHeaderMalformed');
  expect(codeOf(await get({}, '?AWSAccessKeyId=a&Expires=9999999999&Signature=b'))).toBe(
    'AuthorizationHeaderMalformed',
  );
  for (const authorization of [
    'AWS4-HMAC-SHA256',
    'AWS4-HMAC-SHA256 ,,,',
    `AWS4-HMAC-SHA256 ${'Credential=a/'.repeat(500)}`,
  ]) {
    const response = await get({
      authorization,
      'x-amz-date': '20260101T000000Z',
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    });
    expect([response.status, codeOf(response)]).toEqual([400, 'AuthorizationHeaderMalformed']);
  }
});

it('a key of one app gives no access to another app', async () => {
  const other = await createApp(node);
  const endpoint = `${other.url}/storage/v1/s3`;
  expect(codeOf(await new S3Client({ ...access, endpoint }).send('GET', '/'))).toBe('SignatureDoesNotMatch');
  const own = await createS3Access(node, other);
  expect(codeOf(await new S3Client({ ...own, endpoint: access.endpoint }).send('GET', '/'))).toBe(
    'SignatureDoesNotMatch',
  );
  expect(
    codeOf(await new S3Client({ ...own, endpoint: access.endpoint, secret: access.secret }).send('GET', '/')),
  ).toBe('SignatureDoesNotMatch');
});

it('a header x-amz- that the signature does not cover is refused', async () => {
  for (const unsigned of [{ 'x-amz-copy-source': '/files/secret.txt' }, { 'x-amz-meta-a': 'b' }]) {
    expect(codeOf(await s3.send('PUT', '/files/copy.txt', { unsigned }))).toBe('AccessDenied');
  }
  const put = s3.presign('PUT', '/files/copy.txt', 60);
  const headers = { 'x-amz-copy-source': '/files/secret.txt' };
  expect(codeOf(await send(node.url, put, { method: 'PUT', headers }))).toBe('AccessDenied');
  expect(await s3.send('HEAD', '/files/copy.txt')).toMatchObject({ status: 404 });
});

it('a request is valid for 15 minutes', async () => {
  for (const minutes of [-16, 16]) {
    const response = await s3.send('GET', '/files/secret.txt', { time: Date.now() + minutes * 60_000 });
    expect(codeOf(response)).toBe('RequestTimeTooSkewed');
  }
  expect(await s3.send('GET', '/files/secret.txt', { time: Date.now() - 14 * 60_000 })).toMatchObject({ status: 200 });
});

it('changed chunks store nothing, even after many valid ones', async () => {
  const content = randomBytes(500_000);
  const changes: [string, (body: Buffer) => Buffer][] = [
    ['SignatureDoesNotMatch', (body) => flipped(body, body.length - 1000)],
    ['SignatureDoesNotMatch', (body) => flipped(body, 5000)],
    ['IncompleteBody', (body) => body.subarray(0, 65_536 * 3)],
    ['IncompleteBody', (body) => body.subarray(0, body.lastIndexOf('0;chunk-signature'))],
  ];
  for (const [code, change] of changes) {
    expect(codeOf(await s3.sendChunks('/files/chunks', content, { change }))).toBe(code);
  }
  expect(codeOf(await s3.sendChunks('/files/chunks', content, { chunkBytes: 100 }))).toBe('InvalidRequest');
  expect(await s3.send('HEAD', '/files/chunks')).toMatchObject({ status: 404 });
});

function flipped(body: Buffer, at: number): Buffer {
  const changed = Buffer.from(body);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

it('a connection that ends during an upload stores nothing', async () => {
  const { host, port, pathname } = new URL(`${access.endpoint}/files/half`);
  const headers = { host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  const own = s3.authorize('PUT', pathname, '', headers, 'UNSIGNED-PAYLOAD');
  const lines = Object.entries({ ...headers, ...own, 'content-length': '1000000' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const incoming = () => readdir(join(node.home, 'files/incoming'));
  const before = new Set(await incoming());
  const socket = net.connect(Number(port), '127.0.0.1');
  socket.write(`PUT ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(randomBytes(600_000));
  const received = async () => (await incoming()).filter((name) => !before.has(name)).length;
  await expect.poll(received).toBeGreaterThan(0);
  socket.destroy();
  await expect.poll(received).toBe(0);
  expect(await s3.send('HEAD', '/files/half')).toMatchObject({ status: 404 });
});

it('hostile XML is refused at once', async () => {
  const remove = (body: string | Buffer) => s3.send('POST', '/files', { query: 'delete=', body });
  const key = '<Object><Key>secret.txt</Key></Object>';
  for (const body of [
    `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&b;</Key></Object></Delete>`,
    `<!DOCTYPE a [<!ENTITY b "${'x'.repeat(1000)}"><!ENTITY c "${'&b;'.repeat(1000)}">]><Delete>${key}&c;</Delete>`,
    `${'<Delete>'.repeat(100_000)}${key}`,
    `<Delete>${key.repeat(1001)}</Delete>`,
    `<Delete>${key}</Delete>${' '.repeat(5 * 1024 * 1024)}`,
    `<Delete>${key}`,
    Buffer.from([0xff, 0xfe, 0x3c, 0x00]),
    '',
  ]) {
    const started = performance.now();
    const response = await remove(body);
    expect([response.status, codeOf(response)]).toEqual([400, 'MalformedXML']);
    expect(performance.now() - started).toBeLessThan(2000);
  }
  expect(await s3.send('HEAD', '/files/secret.txt')).toMatchObject({ status: 200 });
});

it.each([
  ['/files/../../etc/passwd', 'InvalidArgument'],
  ['/files/a//b', 'InvalidArgument'],
  ['/files/a/', 'InvalidArgument'],
  ['/files/a\u0007', 'InvalidArgument'],
  ['/files/a\0', 'InvalidURI'],
  [`/files/${'x'.repeat(1025)}`, 'InvalidArgument'],
  ['/files%2F..%2F..', 'InvalidBucketName'],
  ["/x'; drop table storage.objects; --/a", 'NoSuchBucket'],
])('the path %j is refused with %s', async (path, code) => {
  const response = await s3.send('PUT', path, { body: 'x' });
  expect([response.status < 500, codeOf(response)]).toEqual([true, code]);
});

it('hostile parameters of a listing are refused or find nothing', async () => {
  for (const query of [
    'list-type=2&max-keys=-1',
    'list-type=2&max-keys=1e9',
    'list-type=3',
    'delimiter=a&list-type=2',
    'encoding-type=xml&list-type=2',
    'continuation-token=AA%3D%3D&list-type=2',
    'key-marker=x&max-uploads=x&upload-id-marker=y&uploads=',
    'list-type=2&prefix=%00',
    'list-type=2&prefix=%FF',
  ]) {
    const { status } = await s3.send('GET', '/files', { query });
    expect([query, [400, 501].includes(status)]).toEqual([query, true]);
  }
  const found = await s3.send('GET', '/files', {
    query: `list-type=2&prefix=${encodeURIComponent("%_'\\").replaceAll("'", '%27')}`,
  });
  expect([found.status, textsOf(found.body, 'Key')]).toEqual([200, []]);
});

it('an object that a browser would run is a download, also by a presigned URL that asks for another type', async () => {
  const headers = { 'content-type': 'text/html' };
  await s3.send('PUT', '/files/page.html', { body: '<script>alert(1)</script>', headers });
  const query = 'response-content-disposition=inline&response-content-type=text%2Fhtml';
  for (const response of [
    await s3.send('GET', '/files/page.html'),
    await s3.send('GET', '/files/page.html', { query }),
  ]) {
    expect(response.headers).toMatchObject({
      'content-disposition': expect.stringMatching(/^attachment/),
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
    });
  }
  const text = await s3.send('GET', '/files/secret.txt', { query: 'response-content-type=text%2Fhtml' });
  expect(text.headers['content-type']).not.toContain('html');
});
