import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StorageApp, startStorageApp } from '../../../test/support/storage-app.ts';

const bytes = randomBytes(1000);
const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;

let app: StorageApp;
beforeAll(async () => {
  app = await startStorageApp('object-reply');
  await app.sql(`insert into storage.buckets (id, name, public) values ('b', 'b', false), ('open', 'open', true)`);
  for (const bucket of ['b', 'open'])
    await app.send('POST', `/object/${bucket}/f.bin`, {
      body: bytes,
      headers: { 'content-type': 'image/png', 'cache-control': 'max-age=60' },
    });
  await app.send('POST', '/object/b/empty', { body: '' });
});
afterAll(() => app?.stop());

const get = (headers: Record<string, string> = {}, path = '/object/authenticated/b/f.bin', method = 'GET') =>
  app.send(method, path, { headers });
const failure = (headers: Record<string, string>, path?: string) => get(headers, path).catch((error: unknown) => error);

describe('a download', () => {
  it('has the bytes, the entity tag and the length for HEAD too', async () => {
    const whole = await get();
    expect([whole.status, whole.body, whole.headers.etag]).toEqual([200, bytes, etag]);
    const head = await get({}, undefined, 'HEAD');
    expect([head.status, head.body.length, head.headers['content-length'], head.headers.etag]).toEqual([
      200,
      0,
      '1000',
      etag,
    ]);
    expect((await get({}, '/object/authenticated/b/empty')).body).toHaveLength(0);
  });

  it.each<[string, number, number]>([
    ['bytes=0-0', 0, 0],
    ['bytes=0-', 0, 999],
    ['bytes=999-', 999, 999],
    ['bytes=10-20', 10, 20],
    ['bytes=990-5000', 990, 999],
    ['bytes=-1', 999, 999],
    ['bytes=-5000', 0, 999],
  ])('sends the range %s', async (range, start, end) => {
    const reply = await get({ range });
    expect([reply.status, reply.headers['content-range']]).toEqual([206, `bytes ${start}-${end}/1000`]);
    expect(reply.body).toEqual(bytes.subarray(start, end + 1));
    const head = await get({ range }, undefined, 'HEAD');
    expect([head.status, head.headers['content-length']]).toEqual([206, String(end - start + 1)]);
  });

  it.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])('refuses the range %s with the size', async (range) => {
    expect(await failure({ range })).toMatchObject({
      status: 416,
      code: 'InvalidRange',
      headers: { 'content-range': 'bytes */1000' },
    });
  });

  it.each([
    'bytes=5-2',
    'bytes=0-1,5-6',
    'bytes=-',
    'bytes=a-b',
    'rows=0-1',
    'bytes=0-99999999999999999999',
    'bytes=1e3-',
  ])('ignores the range %s', async (range) => {
    expect(await get({ range })).toMatchObject({ status: 200, body: bytes });
  });

  it('refuses each range of an empty file, and sends the whole', async () => {
    expect(await failure({ range: 'bytes=0-' }, '/object/authenticated/b/empty')).toMatchObject({ status: 416 });
  });

  it('sends a range only if If-Range names the same bytes', async () => {
    const { headers } = await get();
    for (const condition of [etag, headers['last-modified'] ?? ''])
      expect((await get({ range: 'bytes=0-1', 'if-range': condition })).status).toBe(206);
    for (const condition of ['"other"', `W/${etag}`, new Date(0).toUTCString()])
      expect(await get({ range: 'bytes=0-1', 'if-range': condition })).toMatchObject({ status: 200, body: bytes });
  });

  it('has no body if the client has the bytes', async () => {
    const modified = (await get()).headers['last-modified'] ?? '';
    for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const reply = await get({ 'if-none-match': condition, range: 'bytes=5000-' });
      expect([reply.status, reply.body.length, reply.headers.etag]).toEqual([304, 0, etag]);
    }
    expect((await get({ 'if-modified-since': modified })).status).toBe(304);
    for (const headers of [
      { 'if-none-match': '"other"', 'if-modified-since': modified },
      { 'if-modified-since': new Date(0).toUTCString() },
      { 'if-modified-since': 'yesterday' },
    ])
      expect((await get(headers)).status).toBe(200);
  });

  it('may stay in caches of others only if the bucket is public', async () => {
    expect((await get()).headers['cache-control']).toBe('private, max-age=60');
    expect((await get({}, '/object/public/open/f.bin')).headers['cache-control']).toBe('max-age=60');
  });
});

describe('the headers of a download', () => {
  const withMetadata = async (metadata: object, query = '') => {
    await app.database.pool.run([
      {
        text: `update storage.objects set metadata = $1::jsonb where bucket_id = 'b' and name = 'f.bin'`,
        params: [JSON.stringify(metadata)],
        planKey: '',
      },
    ]);
    return (await get({}, `/object/authenticated/b/f.bin${query}`)).headers;
  };

  const texts = [
    'a\r\nset-cookie: x=1',
    'a\u0000',
    'ü/ü',
    'text/html\u2028',
    ' ',
    '',
    'x'.repeat(100_000),
    '"; filename=x',
    '<script>',
  ];
  it.each(texts)('have nothing that SQL smuggled into the metadata: %j', async (text) => {
    const safe = text.replaceAll('\u0000', '\u0001');
    const headers = await withMetadata({ eTag: safe, mimetype: safe, cacheControl: safe, contentEncoding: safe });
    for (const value of Object.values(headers)) {
      expect(value).toMatch(/^[\x20-\x7E]*$/);
      expect(value.length).toBeLessThan(400);
    }
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(headers.etag).toBe(etag);
    expect(headers['content-encoding']).toBeUndefined();
  });

  it.each<unknown>([null, 1, true, [], {}, { a: 1 }])('take no value of another type than text: %j', async (value) => {
    const headers = await withMetadata({ eTag: value, mimetype: value, cacheControl: value, contentEncoding: value });
    expect(headers).toMatchObject({
      etag,
      'content-type': 'application/octet-stream',
      'cache-control': 'private, no-cache',
    });
  });

  it.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'application/pdf',
    'text/javascript',
    'text/html;x="y"',
    'multipart/x-mixed-replace',
  ])('make a file of the type %s a download in a sandbox', async (mimetype) => {
    const headers = await withMetadata({ mimetype });
    expect(headers['content-disposition']).toMatch(/^attachment/);
    expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each(['image/png', 'text/plain; charset=utf-8', 'video/mp4'])('show a file of the type %s', async (mimetype) => {
    expect((await withMetadata({ mimetype }))['content-disposition']).toBeUndefined();
  });

  it('name the file as the URL says, in ASCII and in UTF-8', async () => {
    const named = await withMetadata({}, `?download=${encodeURIComponent('a"b;\r\nü%灯.txt')}`);
    expect(named['content-disposition']).toBe(
      `attachment; filename="a_b;_____.txt"; filename*=UTF-8''a%22b%3B%0D%0A%C3%BC%25%E7%81%AF.txt`,
    );
    expect((await withMetadata({}, '?download='))['content-disposition']).toContain('filename="f.bin"');
  });
});

describe('an object whose bytes are missing', () => {
  it('is an error that names it, and neither an empty file nor a failure of the node', async () => {
    await app.sql(`insert into storage.objects (bucket_id, name) values ('b', 'elsewhere');
      insert into storage.objects (bucket_id, name, version) values ('b', 'unknown', '00000000-0000-4000-8000-000000000000')`);
    for (const name of ['elsewhere', 'unknown'])
      expect(await failure({}, `/object/authenticated/b/${name}`)).toMatchObject({ code: 'BytesMissing' });
  });
});
