import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { type StorageApp, startStorageApp } from '../../../test/support/storage-app.ts';

let app: StorageApp;
beforeAll(async () => {
  app = await startStorageApp('signed-urls');
  await app.sql(`insert into storage.buckets (id, name) values ('b', 'b'), ('a/b', 'a/b'), ('a', 'a');
    insert into storage.objects (bucket_id, name) values ('a/b', 'c'), ('a', 'b/c')`);
  for (const name of ['a', 'other', 'd%C3%AFr/100%25.txt'])
    await app.send('POST', `/object/b/${name}`, { body: `bytes of ${name}` });
});
afterAll(() => app?.stop());
beforeEach(() => {
  app.settings.storage_url_generation = 1;
});

const post = (path: string, body: object = {}, headers = {}) =>
  app.send('POST', path, { body: JSON.stringify(body), headers });
const sign = async (path = 'b/a') =>
  (await post(`/object/sign/${path}`, { expiresIn: 60 })).json<{ signedURL: string }>().signedURL;
const signUpload = async (path: string, headers = {}) =>
  (await post(`/object/upload/sign/${path}`, {}, headers)).json<{ url: string }>().url;
const codeOf = (method: string, url: string, body = '') =>
  app.send(method, url, { body }).then(
    ({ status }) => status,
    (error: { code: string }) => error.code,
  );
const later = async (seconds: number, work: () => Promise<void>) => {
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + seconds * 1000);
  await work().finally(() => now.mockRestore());
};

describe('a signed URL', () => {
  it('reads one file until it ends', async () => {
    const url = await sign();
    expect((await app.send('GET', url)).body.toString()).toBe('bytes of a');
    await later(59, async () => expect(await codeOf('GET', url)).toBe(200));
    await later(61, async () => expect(await codeOf('GET', url)).toBe('InvalidJWT'));
  });

  it('ends with the key of the app', async () => {
    const url = await sign();
    app.settings.storage_url_generation = 2;
    expect(await codeOf('GET', url)).toBe('InvalidJWT');
    expect(await codeOf('GET', await sign())).toBe(200);
  });

  it('reads no other file, and uploads none', async () => {
    const [, query] = (await sign()).split('?');
    expect(await codeOf('GET', `/object/sign/b/other?${query}`)).toBe('InvalidSignature');
    expect(await codeOf('GET', `/object/sign/b/a/?${query}`)).toBe('InvalidSignature');
    expect(await codeOf('PUT', `/object/upload/sign/b/a?${query}`, 'x')).toBe('InvalidSignature');
  });

  it.each([
    '',
    'x',
    'a.b.c',
    'a.b.c.d',
    '..',
    `${'a'.repeat(10_000)}.b.c`,
    'eyJhbGciOiJub25lIn0.eyJ1cmwiOiJiL2EiLCJ1c2UiOiJyZWFkIiwiZXhwIjo5OTk5OTk5OTk5fQ.',
  ])('is refused with the token %j', async (token) => {
    expect(await codeOf('GET', `/object/sign/b/a?token=${token}`)).toBe('InvalidJWT');
  });

  it('is refused with each changed character of its token', async () => {
    const url = await sign();
    const start = url.indexOf('token=') + 'token='.length;
    for (let at = start; at < url.length; at += 7) {
      const changed = url.slice(0, at) + (url[at] === 'A' ? 'B' : 'A') + url.slice(at + 1);
      expect(await codeOf('GET', changed)).toBe('InvalidJWT');
    }
  });

  it('works for a path with any characters', async () => {
    expect(await codeOf('GET', encodeURI(await sign('b/d%C3%AFr/100%25.txt')))).toBe(200);
  });

  it('never means another bucket whose name and path join to the same text', async () => {
    expect(await codeOf('POST', '/object/sign/a%2Fb/c', '{"expiresIn":60}')).toBe('NoSuchBucket');
    expect(await codeOf('POST', '/object/sign/a%2Fb', '{"expiresIn":60,"paths":["c"]}')).toBe('NoSuchBucket');
  });
});

describe('a signed upload URL', () => {
  it('uploads one file once, and reads none', async () => {
    const url = await signUpload('b/new');
    expect(await codeOf('GET', url.replace('/upload/sign/', '/sign/'))).toBe('InvalidSignature');
    expect(await codeOf('PUT', url, 'first')).toBe(200);
    expect(await codeOf('PUT', url, 'second')).toMatch(/KeyAlreadyExists|InvalidUploadSignature/);
    await app.send('DELETE', '/object/b/new');
    expect(await codeOf('PUT', url, 'third')).toBe('InvalidUploadSignature');
    await later(limits.uploadUrlSeconds.default + 1, async () =>
      expect(await codeOf('PUT', url, 'x')).toBe('InvalidJWT'),
    );
  });

  it('uploads once if many use it at the same time', async () => {
    const url = await signUpload('b/raced');
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, i) => codeOf('PUT', url, `upload ${i}`)));
    expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(1);
  });

  it('may replace the file again and again if it was made so', async () => {
    const url = await signUpload('b/again', { 'x-upsert': 'true' });
    for (const body of ['one', 'two']) expect(await codeOf('PUT', url, body)).toBe(200);
    expect((await app.send('GET', '/object/authenticated/b/again')).body.toString()).toBe('two');
  });
});
