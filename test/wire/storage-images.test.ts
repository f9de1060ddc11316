import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, deleteApp, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { noise } from '../support/hostile-images.ts';

const node = inject('node');
let app: AppConnection;
let ada: Member;
let bob: Member;
let photo: Buffer;

const schema = `
  insert into storage.buckets (id, name, public) values ('open', 'open', true), ('own', 'own', false);
  create policy own on storage.objects for all to authenticated
    using (bucket_id = 'own' and (storage.foldername(name))[1] = (select auth.uid())::text)
    with check (bucket_id = 'own' and (storage.foldername(name))[1] = (select auth.uid())::text);
  create policy open on storage.objects for insert to authenticated with check (bucket_id = 'open');
  create policy open_update on storage.objects for update to authenticated using (bucket_id = 'open');
  create policy open_read on storage.objects for select to authenticated using (bucket_id = 'open');
`;

const imageOf = (seed: number, width = 800, height = 600) =>
  sharp(noise(width * height * 3, seed), { raw: { width, height, channels: 3 } })
    .jpeg()
    .toBuffer();

beforeAll(async () => {
  app = await createApp(node);
  await runSql(node, app.ref, schema);
  [ada, bob] = await Promise.all([signUpMember(app, 'ada'), signUpMember(app, 'bob')]);
  photo = await imageOf(1);
  await upload(ada, 'open', 'photo.jpg', photo);
  await upload(ada, 'own', `${ada.user.id}/photo.jpg`, photo);
});

async function upload({ client }: Member, bucket: string, path: string, bytes: Uint8Array, upsert = false) {
  const { error } = await client.storage.from(bucket).upload(path, bytes, { contentType: 'image/jpeg', upsert });
  if (error) throw error;
}

const render = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${app.url}/storage/v1/render/image/${path}`, { method, headers });
const asMember = ({ session }: Member) => ({
  apikey: app.publishable_key,
  authorization: `Bearer ${session.access_token}`,
});
const sizeOf = async (bytes: ArrayBuffer) => {
  const { width, height, format } = await sharp(new Uint8Array(bytes)).metadata();
  return { width, height, format };
};
const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;

describe('render/image with supabase-js', () => {
  it('downloads a scaled image with the format of its content', async () => {
    const { data, error } = await ada.client.storage
      .from('own')
      .download(`${ada.user.id}/photo.jpg`, { transform: { width: 200, height: 200 } });
    expect(error).toBeNull();
    expect(data?.type).toBe('image/jpeg');
    expect(await sizeOf((await data?.arrayBuffer()) ?? new ArrayBuffer(0))).toEqual({
      width: 200,
      height: 200,
      format: 'jpeg',
    });
  });

  it('serves the public URL to everybody, in the best format that the client accepts', async () => {
    const { data } = clientOf(app)
      .storage.from('open')
      .getPublicUrl('photo.jpg', { transform: { width: 100 } });
    const formats = [];
    for (const accept of ['image/avif,image/webp,*/*;q=0.8', 'image/webp,*/*', 'image/*']) {
      const response = await fetch(data.publicUrl, { headers: { accept } });
      expect(response.headers.get('vary')).toContain('Accept');
      formats.push(response.headers.get('content-type'));
      expect(await sizeOf(await response.arrayBuffer())).toMatchObject({ width: 100, height: 75 });
    }
    expect(formats).toEqual(['image/avif', 'image/webp', 'image/jpeg']);
  });

  it('serves a signed URL with the options that were signed, whatever its query says', async () => {
    const { data } = await ada.client.storage
      .from('own')
      .createSignedUrl(`${ada.user.id}/photo.jpg`, 60, { transform: { width: 200, height: 200, quality: 60 } });
    const url = data?.signedUrl ?? '';
    expect(url).toContain('/render/image/sign/own/');
    const response = await fetch(`${url}&width=700&height=500&quality=100&format=webp`);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-transformations')).toBe('height:200,width:200,resizing_type:fill,quality:60');
    expect(await sizeOf(await response.arrayBuffer())).toEqual({ width: 200, height: 200, format: 'jpeg' });
    // The URL of a small image does not give the file, and a changed token gives nothing.
    const file = await fetch(url.replace('/render/image/sign/', '/object/sign/'));
    expect([file.status, await codeOf(file)]).toEqual([400, 'InvalidSignature']);
    const changed = await fetch(url.replace(/token=[^.]+\.[^.]+/, (token) => `${token.slice(0, -2)}AA`));
    expect(await codeOf(changed)).toBe('InvalidJWT');
    const other = await fetch(url.replace('photo.jpg', 'other.jpg'));
    expect(await codeOf(other)).toBe('InvalidSignature');
  });

  it('scales nothing for a signed URL without options, which may read the file anyway', async () => {
    const { data } = await ada.client.storage.from('own').createSignedUrl(`${ada.user.id}/photo.jpg`, 60);
    const response = await fetch((data?.signedUrl ?? '').replace('/object/sign/', '/render/image/sign/'));
    expect(await sizeOf(await response.arrayBuffer())).toEqual({ width: 800, height: 600, format: 'jpeg' });
    expect(response.headers.has('x-transformations')).toBe(false);
  });
});

describe('GET /render/image', () => {
  it('sends the headers of a download, and 304 for an image that the client has', async () => {
    const response = await render('public/open/photo.jpg?width=50&format=webp&download=a.webp');
    const bytes = await response.arrayBuffer();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'content-length': String(bytes.byteLength),
      'cache-control': expect.stringContaining('max-age=3600'),
      'content-disposition': expect.stringContaining('a.webp'),
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
      'x-transformations': 'width:50,resizing_type:fill,format:webp',
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      'last-modified': expect.stringContaining('GMT'),
    });
    const etag = response.headers.get('etag') ?? '';
    const same = await render('public/open/photo.jpg?width=50&format=webp', { 'if-none-match': etag });
    expect([same.status, same.headers.get('etag')]).toEqual([304, etag]);
    const other = await render('public/open/photo.jpg?width=51&format=webp', { 'if-none-match': etag });
    expect(other.status).toBe(200);
    expect(other.headers.get('etag')).not.toBe(etag);
    const head = await render('public/open/photo.jpg?width=50&format=webp', {}, 'HEAD');
    expect(head.headers.get('content-length')).toBe(String(bytes.byteLength));
    const private_ = await render(`authenticated/own/${ada.user.id}/photo.jpg?width=50`, asMember(ada));
    expect(private_.headers.get('cache-control')).toContain('private');
  });

  it('obeys policies for an image in the cache too', async () => {
    const path = `authenticated/own/${ada.user.id}/photo.jpg?width=77`;
    expect((await render(path, asMember(ada))).status).toBe(200);
    expect((await render(path, asMember(ada))).status).toBe(200);
    expect(await codeOf(await render(path, asMember(bob)))).toBe('NoSuchKey');
    expect((await render(path, { apikey: app.publishable_key })).status).toBeGreaterThanOrEqual(400);
    expect((await render(path)).status).toBeGreaterThanOrEqual(400);
    expect(await codeOf(await render(`public/own/${ada.user.id}/photo.jpg?width=77`))).toBe('NoSuchBucket');
  });

  it('sends the new image after the file was replaced, and none after it was deleted', async () => {
    await upload(ada, 'open', 'changing.jpg', await imageOf(2, 300, 300));
    const path = 'public/open/changing.jpg?width=100';
    const first = await render(path);
    expect(await sizeOf(await first.arrayBuffer())).toMatchObject({ height: 100 });
    await upload(ada, 'open', 'changing.jpg', await imageOf(3, 300, 150), true);
    const second = await render(path, { 'if-none-match': first.headers.get('etag') ?? '' });
    expect(await sizeOf(await second.arrayBuffer())).toMatchObject({ height: 50 });
    await runSql(node, app.ref, `delete from storage.objects where name = 'changing.jpg'`);
    expect(await codeOf(await render(path))).toBe('NoSuchKey');
  });

  it('refuses a file that is no image, and options that are not valid', async () => {
    await upload(ada, 'open', 'text.jpg', Buffer.from('no image'));
    const text = await render('public/open/text.jpg?width=10');
    expect([text.status, await codeOf(text)]).toEqual([422, 'ImageRefused']);
    const invalid = await render('public/open/photo.jpg?width=ten');
    expect([invalid.status, await codeOf(invalid)]).toEqual([400, 'InvalidRequest']);
    expect(await codeOf(await render('public/open/none.jpg?width=10'))).toBe('NoSuchKey');
    expect(await codeOf(await render('public/none/photo.jpg?width=10'))).toBe('NoSuchBucket');
  });

  it('serves builders through the management API', async () => {
    const response = await fetch(
      `${node.url}/admin/v1/apps/${app.ref}/storage/v1/render/image/authenticated/own/${ada.user.id}/photo.jpg?width=60`,
      { headers: { authorization: `Bearer ${node.operatorToken}` } },
    );
    expect(await sizeOf(await response.arrayBuffer())).toMatchObject({ width: 60 });
  });

  it('shares one run among equal requests', async () => {
    const responses = await Promise.all(Array.from({ length: 30 }, () => render('public/open/photo.jpg?width=301')));
    expect(responses.map(({ status }) => status)).toEqual(Array(30).fill(200));
    const images = await Promise.all(responses.map((response) => response.arrayBuffer()));
    expect(new Set(images.map(({ byteLength }) => byteLength)).size).toBe(1);
  });

  it('deletes the scaled images of an object with its bytes, and those of an app with the app', async () => {
    const { ref, ...connection } = await createApp(node);
    await runSql(node, ref, `insert into storage.buckets (id, name, public) values ('open', 'open', true)`);
    const put = (name: string, bytes: Buffer) =>
      fetch(`${node.url}/admin/v1/apps/${ref}/storage/v1/object/open/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'image/jpeg' },
        body: new Uint8Array(bytes),
      });
    const show = (name: string) => fetch(`${connection.url}/storage/v1/render/image/public/open/${name}?width=40`);
    const folder = join(node.home, 'files/images', ref);
    const contents = () =>
      existsSync(folder) ? readdirSync(folder).flatMap((name) => readdirSync(join(folder, name))).length : 0;
    for (const [name, seed] of [
      ['a.jpg', 4],
      ['b.jpg', 5],
    ] as const) {
      expect((await put(name, await imageOf(seed, 90, 90))).status).toBe(200);
      expect((await show(name)).status).toBe(200);
    }
    expect(contents()).toBe(2);
    await runSql(node, ref, `delete from storage.objects where name = 'a.jpg'`);
    await expect.poll(contents, { timeout: 60_000 }).toBe(1);
    await deleteApp(node, ref);
    expect(existsSync(folder)).toBe(false);
  });
});
