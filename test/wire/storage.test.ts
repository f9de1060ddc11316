import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp, createAppWith, deleteApp, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';

/** The stock client of Supabase against `/storage/v1`. */
const node = inject('node');

const policies = `
  insert into storage.buckets (id, name, public) values ('own', 'own', false), ('open', 'open', true), ('drop', 'drop', false);
  create policy own_read on storage.objects for select to authenticated
    using (bucket_id = 'own' and (storage.foldername(name))[1] = auth.uid()::text);
  create policy own_insert on storage.objects for insert to authenticated
    with check (bucket_id = 'own' and (storage.foldername(name))[1] = auth.uid()::text);
  create policy own_update on storage.objects for update to authenticated
    using (bucket_id = 'own' and (storage.foldername(name))[1] = auth.uid()::text);
  create policy own_delete on storage.objects for delete to authenticated
    using (bucket_id = 'own' and (storage.foldername(name))[1] = auth.uid()::text);
  create policy drop_in on storage.objects for insert to anon, authenticated with check (bucket_id = 'drop');
  create policy open_insert on storage.objects for insert to authenticated with check (bucket_id = 'open');`;

let app: AppConnection;
let ada: Member;
let bob: Member;
beforeAll(async () => {
  app = await createAppWith(node, policies);
  [ada, bob] = await Promise.all([signUpMember(app, 'ada'), signUpMember(app, 'bob')]);
});

const service = () => clientOf(app, app.secret_key ?? '').storage;
const anon = () => clientOf(app).storage;
const textOf = async ({ data, error }: { data: Blob | null; error: unknown }) => {
  if (error) throw error;
  return data?.text();
};
/** Returns status and message of an error of storage-js. */
const refusal = ({ error }: { error: unknown }) => {
  const { statusCode, message } = error as { statusCode: string; message: string };
  return `${statusCode} ${message}`;
};
const raw = (path: string, init: RequestInit & { key?: string | null } = {}) => {
  const { key = app.secret_key, headers, ...rest } = init;
  return fetch(`${app.url}/storage/v1${path}`, {
    ...rest,
    headers: { ...(key !== null && { apikey: key ?? '', authorization: `Bearer ${key}` }), ...headers },
  });
};

describe('buckets', () => {
  it('are created, listed, changed, emptied and deleted', async () => {
    const storage = service();
    expect(
      (await storage.createBucket('made', { public: false, fileSizeLimit: '20mb', allowedMimeTypes: ['image/png'] }))
        .data,
    ).toEqual({ name: 'made' });
    expect(refusal(await storage.createBucket('made'))).toBe('409 The resource already exists');
    expect((await storage.getBucket('made')).data).toMatchObject({
      id: 'made',
      public: false,
      file_size_limit: 20_000_000,
      allowed_mime_types: ['image/png'],
    });
    await storage.updateBucket('made', { public: true });
    expect((await storage.getBucket('made')).data).toMatchObject({
      public: true,
      file_size_limit: 20_000_000,
      allowed_mime_types: ['image/png'],
    });
    expect((await storage.listBuckets({ search: 'MAD', limit: 5 })).data?.map(({ id }) => id)).toEqual(['made']);
    await storage.updateBucket('made', { public: true, allowedMimeTypes: null, fileSizeLimit: null });
    await storage.from('made').upload('a.txt', 'a');
    expect(refusal(await storage.deleteBucket('made'))).toMatch(/^409 /);
    expect((await storage.emptyBucket('made')).error).toBeNull();
    expect((await storage.deleteBucket('made')).data).toEqual({ message: 'Successfully deleted' });
    expect(refusal(await storage.getBucket('made'))).toBe('404 Bucket not found');
  });

  it('stay hidden from callers without a policy, and closed to them', async () => {
    for (const { storage } of [ada.client, clientOf(app)]) {
      expect((await storage.listBuckets()).data).toEqual([]);
      expect(refusal(await storage.createBucket('mine'))).toBe('403 new row violates row-level security policy');
      expect(refusal(await storage.getBucket('own'))).toBe('404 Bucket not found');
      expect(refusal(await storage.emptyBucket('own'))).toMatch(/^40[34] /);
      expect(refusal(await storage.deleteBucket('own'))).toBe('404 Bucket not found');
    }
  });

  it.each(['a/b', ' a', '..', 'x'.repeat(101), ''])('are not created with the name %j', async (name) => {
    expect((await service().createBucket(name)).error).not.toBeNull();
  });
});

describe('a member', () => {
  const path = () => `${ada.user.id}/notes.txt`;

  it('uploads, reads, replaces, lists, moves, copies and removes files in the own folder', async () => {
    const files = ada.client.storage.from('own');
    expect((await files.upload(path(), 'one', { metadata: { tag: 'x' } })).data).toMatchObject({
      path: path(),
      fullPath: `own/${path()}`,
    });
    expect(refusal(await files.upload(path(), 'two'))).toBe('409 The resource already exists');
    expect((await files.upload(path(), 'two', { upsert: true })).error).toBeNull();
    expect(await textOf(await files.download(path()))).toBe('two');
    expect((await files.update(path(), 'three')).error).toBeNull();
    expect((await files.info(path())).data).toMatchObject({
      size: 5,
      contentType: 'text/plain;charset=UTF-8',
      metadata: {},
    });
    expect((await files.exists(path())).data).toBe(true);
    expect((await files.list(ada.user.id)).data?.map(({ name }) => name)).toEqual(['notes.txt']);
    expect((await files.move(path(), `${ada.user.id}/moved.txt`)).error).toBeNull();
    expect((await files.copy(`${ada.user.id}/moved.txt`, `${ada.user.id}/copy.txt`)).data).toEqual({
      path: `own/${ada.user.id}/copy.txt`,
    });
    expect((await files.exists(path())).data).toBe(false);
    const { data: removed } = await files.remove([`${ada.user.id}/moved.txt`, `${ada.user.id}/copy.txt`, 'none']);
    expect(removed?.map(({ name }) => name).sort()).toEqual([`${ada.user.id}/copy.txt`, `${ada.user.id}/moved.txt`]);
  });

  it('neither reads nor changes the files of another', async () => {
    const name = `${ada.user.id}/private.txt`;
    await ada.client.storage.from('own').upload(name, 'secret');
    for (const { storage } of [bob.client, clientOf(app)]) {
      const files = storage.from('own');
      expect((await files.download(name)).error).not.toBeNull();
      expect((await files.exists(name)).data).toBe(false);
      expect((await files.info(name)).error).not.toBeNull();
      expect((await files.createSignedUrl(name, 60)).error).not.toBeNull();
      expect((await files.createSignedUrls([name], 60)).data).toEqual([
        expect.objectContaining({ path: name, error: expect.any(String) }),
      ]);
      expect((await files.list(ada.user.id)).data).toEqual([]);
      expect((await files.remove([name])).data).toEqual([]);
      expect((await files.move(name, 'x')).error).not.toBeNull();
      expect((await files.copy(name, 'x')).error).not.toBeNull();
      expect(refusal(await files.upload(name, 'mine', { upsert: true }))).toMatch(/^403 /);
      expect(refusal(await files.upload(`${ada.user.id}/new.txt`, 'mine'))).toMatch(/^403 /);
      expect((await files.createSignedUploadUrl(`${ada.user.id}/new.txt`)).error).not.toBeNull();
    }
    expect(await textOf(await ada.client.storage.from('own').download(name))).toBe('secret');
  });

  it('needs policies to read and to update for an upload that replaces', async () => {
    const files = bob.client.storage.from('open');
    await files.upload('once.txt', 'one');
    expect(refusal(await files.upload('once.txt', 'two', { upsert: true }))).toMatch(/^403 /);
    expect(await (await fetch(files.getPublicUrl('once.txt').data.publicUrl)).text()).toBe('one');
  });

  it('drops a file into a bucket that it cannot read', async () => {
    for (const { storage } of [ada.client, clientOf(app)]) {
      const name = randomBytes(4).toString('hex');
      expect((await storage.from('drop').upload(name, 'x')).error).toBeNull();
      expect((await storage.from('drop').download(name)).error).not.toBeNull();
      expect((await storage.from('drop').list()).data).toEqual([]);
    }
  });
});

describe('a caller without a valid key', () => {
  it('gets the words of Supabase', async () => {
    for (const path of ['/bucket', '/object/authenticated/own/a']) {
      const none = await raw(path, { key: null });
      expect([none.status, await none.json()]).toMatchObject([401, { message: 'Invalid Compact JWS' }]);
    }
    for (const token of ['x', 'a.b.c', ada.session.access_token.slice(0, -4), `${ada.session.access_token}.`]) {
      const answer = await raw('/bucket', { key: null, headers: { authorization: `Bearer ${token}` } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(404);
    }
  });

  it('reads a public bucket and nothing else', async () => {
    await service().from('open').upload('shown.txt', 'shown');
    await service().from('own').upload('hidden.txt', 'hidden');
    for (const path of [
      '/object/public/open/shown.txt',
      '/object/open/shown.txt',
      '/object/info/public/open/shown.txt',
    ])
      expect((await raw(path, { key: null })).status).toBe(200);
    for (const path of [
      '/object/public/own/hidden.txt',
      '/object/own/hidden.txt',
      '/object/info/own/hidden.txt',
      '/object/sign/own/hidden.txt',
      '/object/sign/own/hidden.txt?token=x',
      '/object/public/own/../own/hidden.txt',
      '/object/public/open/..%2Fown%2Fhidden.txt',
    ])
      expect((await raw(path, { key: null })).status).toBeGreaterThanOrEqual(400);
  });
});

describe('names', () => {
  const names = [
    'über straße.txt',
    '灯泡.jpeg',
    'Screenshot 2026-01-01 at 1.00.00\u202fPM.png',
    "it's (1) #2 100%.txt",
    'e\u0301.txt',
    'a/b/ü.txt',
    '%',
    'a%2Fb',
    'a+b&c=d',
    '[x]{y}|~^`',
    '\u{1F600}',
  ];
  it.each(names)('work in each call: %j', async (name) => {
    const files = service().from('own');
    // fetch cuts a URL at its fragment, so clients encode such names.
    const sent = /[#?]/.test(name) ? encodeURIComponent(name) : name;
    expect((await files.upload(sent, 'x', { upsert: true })).error).toBeNull();
    expect(await textOf(await files.download(sent))).toBe('x');
    expect((await files.info(sent)).data?.name).toBe(name.includes('%2F') ? 'a/b' : name);
    const { data } = await files.createSignedUrl(sent, 60, { download: name });
    const answer = await fetch(data?.signedUrl ?? '');
    expect([answer.status, await answer.text()]).toEqual([200, 'x']);
    expect(answer.headers.get('content-disposition')).toMatch(/filename\*=UTF-8''/);
    const listed = (await files.list('', { limit: 1000 })).data?.map((entry) => entry.name);
    expect(listed).toContain(name.includes('%2F') || name.includes('/') ? 'a' : name);
  });

  it.each(['%2e%2e%2fx', 'a%2F..%2F..%2Fx', 'a%00b', '%2Fabs', 'x'.repeat(1100), 'a%0Ab', '%FF', 'a%2F%2Fb'])(
    'are refused: %j',
    async (name) => {
      const answer = await raw(`/object/own/${name}`, { method: 'POST', body: 'x' });
      expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'InvalidKey' }]);
    },
  );

  it.each<[string, string, object]>([
    ['POST', '/object/list/own', { prefix: 'a\u0000' }],
    ['POST', '/object/list/own', { prefix: '', search: '\u0000' }],
    ['POST', '/object/list/own', { prefix: '\ud800' }],
    ['POST', '/object/list-v2/own', { prefix: 'a\u0000' }],
    ['DELETE', '/object/own', { prefixes: ['a\u0000', '\ud800'] }],
    ['POST', '/object/sign/own', { expiresIn: 60, paths: ['a\u0000'] }],
    ['POST', '/object/move', { bucketId: 'own\u0000', sourceKey: 'a', destinationKey: 'b' }],
    ['POST', '/object/move', { bucketId: 'own', sourceKey: 'a', destinationKey: '\ud800' }],
    ['POST', '/object/copy', { bucketId: 'own', sourceKey: 'a', destinationKey: 'b', destinationBucket: '\u0000' }],
    ['GET', '/object/authenticated/%00/a', {}],
    ['GET', '/bucket/%00', {}],
    ['GET', '/bucket?search=%00', {}],
    ['GET', '/object/own?offset=%00', {}],
    ['POST', '/object/list/%00', {}],
    ['POST', '/bucket', { name: 'x', id: '\u0000' }],
    ['POST', '/bucket', { name: 'x', allowed_mime_types: ['\u0000'] }],
  ])('and no text of %s %s %j makes the node fail', async (method, path, body) => {
    const answer = await raw(path, {
      method,
      ...(method !== 'GET' && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    expect(answer.status).toBeLessThan(500);
  });
});

describe('lists', () => {
  it('are ordered before they are cut, and page through files and folders of similar names', async () => {
    const files = service().from('own');
    await runSql(
      node,
      app.ref,
      `insert into storage.objects (bucket_id, name)
      select 'own', 'l/' || lpad(i::text, 2, '0') || case when i % 3 = 0 then '/inner' else '' end || '.txt' from generate_series(0, 29) i`,
    );
    for (const limit of [1, 2, 100])
      expect((await files.list('l', { limit, sortBy: { column: 'name', order: 'desc' } })).data?.[0]?.name).toBe(
        '29.txt',
      );
    const all: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { data } = await files.listV2({ prefix: 'l/', with_delimiter: true, limit: 7, ...(cursor && { cursor }) });
      all.push(...(data?.folders ?? []).map(({ name }) => name), ...(data?.objects ?? []).map(({ name }) => name));
      if (!data?.hasNext) break;
      cursor = data.nextCursor;
    }
    expect({ all: all.length, different: new Set(all).size }).toEqual({ all: 30, different: 30 });
    expect((await files.list('l', { search: '%' })).data).toEqual([]);
    expect((await files.list('l', { search: '_' })).data).toEqual([]);
  });
});

describe('uploads', () => {
  it('have limits of size, also for bodies without a length', async () => {
    await service().createBucket('small', { public: false, fileSizeLimit: '1kb' });
    const files = service().from('small');
    expect(refusal(await files.upload('a', 'x'.repeat(1001)))).toBe('413 The object exceeded the maximum allowed size');
    async function* endless() {
      for (;;) yield Buffer.alloc(64 * 1024);
    }
    const answer = await raw('/object/small/a', {
      method: 'POST',
      body: ReadableStream.from(endless()),
      duplex: 'half',
    } as RequestInit).catch(() => null);
    if (answer) expect(answer.status).toBe(413);
    const form = new FormData();
    form.append('', new Blob(['x'.repeat(1001)]));
    expect((await raw('/object/small/a', { method: 'POST', body: form })).status).toBe(413);
    expect((await files.upload('a', 'x'.repeat(1000))).error).toBeNull();
    expect((await files.list()).data?.map(({ name }) => name)).toEqual(['a']);
  });

  it('have only the types of the bucket, by header and by content', async () => {
    await service().createBucket('pictures', { public: false, allowedMimeTypes: ['image/png'] });
    const files = service().from('pictures');
    expect(refusal(await files.upload('a', 'x', { contentType: 'image/jpeg' }))).toBe(
      '415 mime type image/jpeg is not supported',
    );
    expect(refusal(await files.upload('a', '<script>', { contentType: 'image/png' }))).toMatch(/^415 /);
    expect((await files.list()).data).toEqual([]);
  });

  it('take metadata up to a size, and refuse what is no object', async () => {
    const send = (text: string) =>
      raw('/object/own/meta', {
        method: 'POST',
        body: 'x',
        headers: { 'x-metadata': Buffer.from(text).toString('base64'), 'x-upsert': 'true' },
      });
    for (const text of [
      '{',
      '[]',
      '1',
      `{"a":"${'x'.repeat(9000)}","b":`,
      '{"a":"\\u0000"}',
      `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`,
    ])
      expect([text.slice(0, 20), (await send(text)).status]).toEqual([text.slice(0, 20), 400]);
    const form = new FormData();
    form.append('metadata', JSON.stringify({ a: 'x'.repeat(17 * 1024) }));
    form.append('', new Blob(['x']));
    expect((await raw('/object/own/meta', { method: 'POST', body: form })).status).toBe(400);
    expect((await send(JSON.stringify({ a: 'x'.repeat(8000) }))).status).toBe(200);
  });

  it.each<[string, string]>([
    ['no boundary', ''],
    ['no file', '--B\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n--B--\r\n'],
    ['an end in a header', '--B\r\ncontent-disposition: form-data; name="a"; filename="x"\r\ncontent-'],
    ['an end in the file', '--B\r\ncontent-disposition: form-data; name="a"; filename="x"\r\n\r\nhalf'],
    ['a long header', `--B\r\n${'x'.repeat(100_000)}: y\r\n\r\n`],
    ['many fields', `${'--B\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n'.repeat(100)}--B--\r\n`],
    ['no form at all', 'x'.repeat(100_000)],
  ])('as a form with %s are refused, and leave nothing', async (what, body) => {
    const type = what === 'no boundary' ? 'multipart/form-data' : 'multipart/form-data; boundary=B';
    const answer = await raw('/object/own/form', { method: 'POST', body, headers: { 'content-type': type } });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'InvalidRequest' }]);
    expect((await service().from('own').exists('form')).data).toBe(false);
  });

  /** Sends bytes over a socket and closes it, or waits for the answer. */
  const overSocket = (head: string, body: string, closes: boolean) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port, pathname } = new URL(app.url);
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (data) => {
        text += data;
        if (text.includes('\r\n\r\n')) socket.destroy();
      });
      socket.on('close', () => resolve(text)).on('error', reject);
      socket.write(
        `POST ${pathname}/storage/v1/object/own/cut HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${app.secret_key}\r\n${head}\r\n\r\n${body}`,
        () => {
          if (closes) socket.end();
        },
      );
    });

  it('whose client goes away or lies about the length leave no object', async () => {
    await overSocket('content-length: 1000', 'half', true);
    await overSocket('transfer-encoding: chunked', '3e8\r\nhalf', true);
    await overSocket('content-length: 200000', 'x'.repeat(100_000), true);
    expect(await overSocket('content-length: -1', 'x', false)).toMatch(/^HTTP\/1.1 400/);
    expect(await overSocket('content-length: 5\r\ntransfer-encoding: chunked', '0\r\n\r\n', false)).toMatch(
      /^HTTP\/1.1 400/,
    );
    expect((await service().from('own').exists('cut')).data).toBe(false);
  });

  it('of large files have the same bytes, in each form', async () => {
    const bytes = randomBytes(3_000_000);
    const files = service().from('own');
    const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
    for (const body of [
      bytes,
      new Blob([bytes]),
      new ReadableStream({
        start: (c) => {
          c.enqueue(bytes);
          c.close();
        },
      }),
    ]) {
      await files.upload('large', body as Blob, { upsert: true, duplex: 'half' });
      const { data } = await files.download('large');
      expect(hash(new Uint8Array((await data?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(hash(bytes));
    }
    const part = await raw('/object/own/large', { headers: { range: 'bytes=1000000-1000009' } });
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, bytes.subarray(1_000_000, 1_000_010)]);
  });
});

describe('settings', () => {
  const set = async (values: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(values)) {
      await admin(node, 'PUT', `/apps/${app.ref}/settings/${name}`, { value });
    }
  };

  it('quarantine new contents until the owner releases them', async () => {
    await set({ storage_quarantine: true });
    await ada.client.storage.from('open').upload('scanned.txt', `scan ${app.ref}`);
    await set({ storage_quarantine: false });
    const url = anon().from('open').getPublicUrl('scanned.txt').data.publicUrl;
    expect((await fetch(url)).status).toBe(403);
    expect(await textOf(await service().from('open').download('scanned.txt'))).toBe(`scan ${app.ref}`);
    expect((await service().from('open').copy('scanned.txt', 'other.txt')).error).toBeNull();
    expect((await fetch(anon().from('open').getPublicUrl('other.txt').data.publicUrl)).status).toBe(403);
    await runSql(
      node,
      app.ref,
      `select ninefold.release_file(version) from storage.objects where name = 'scanned.txt'`,
    );
    expect(await (await fetch(url)).text()).toBe(`scan ${app.ref}`);
  });

  it('bound the bytes of a member and of a bucket', async () => {
    await set({ storage_member_bytes: 1000 });
    const files = bob.client.storage.from('own');
    expect((await files.upload(`${bob.user.id}/a`, 'a'.repeat(900))).error).toBeNull();
    expect(refusal(await files.upload(`${bob.user.id}/b`, 'b'.repeat(200)))).toMatch(
      / The member stores as much as storageMemberBytes allows/,
    );
    await set({ storage_member_bytes: 0, storage_bucket_bytes: 2000 });
    await service().createBucket('quota');
    const quota = service().from('quota');
    expect((await quota.upload('a', 'c'.repeat(1900))).error).toBeNull();
    expect(refusal(await quota.upload('b', 'd'.repeat(200)))).toMatch(
      / The bucket stores as much as storageBucketBytes allows/,
    );
    await set({ storage_bucket_bytes: 0 });
    expect((await quota.upload('b', 'd'.repeat(200))).error).toBeNull();
  });

  it('end all signed URLs by another key', async () => {
    await service().from('own').upload('signed.txt', 'x');
    const { data } = await service().from('own').createSignedUrl('signed.txt', 60);
    expect((await fetch(data?.signedUrl ?? '')).status).toBe(200);
    await set({ storage_url_generation: 2 });
    expect((await fetch(data?.signedUrl ?? '')).status).toBe(400);
  });
});

describe('an app with files', () => {
  it('is copied with its files, and deleted with them', async () => {
    await service().from('own').upload('copied.txt', 'copied');
    const copy = await createApp(node, { from: app.ref });
    const files = clientOf(copy, copy.secret_key ?? '').storage.from('own');
    await service().from('own').remove(['copied.txt']);
    expect(await textOf(await files.download('copied.txt'))).toBe('copied');
    const { data } = await service().from('own').createSignedUrl('signed.txt', 60);
    const foreign = (data?.signedUrl ?? '').replace(app.url, copy.url);
    expect((await fetch(foreign)).status).toBe(400);
    await deleteApp(node, copy.ref);
    expect((await files.download('copied.txt')).error).not.toBeNull();
  });

  it('serves them on its own origin and to builders', async () => {
    const { port } = new URL(node.url);
    const answer = await fetch(`http://127.0.0.1:${port}/storage/v1/object/public/open/shown.txt`, {
      headers: { host: `${app.ref}.localhost:${port}` },
    });
    await answer.arrayBuffer();
    const builders = await fetch(
      `${node.url}/admin/v1/apps/${app.ref}/storage/v1/object/authenticated/own/hidden.txt`,
      { headers: { authorization: `Bearer ${node.operatorToken}` } },
    );
    expect([builders.status, await builders.text()]).toEqual([200, 'hidden']);
    const stranger = await fetch(`${node.url}/admin/v1/apps/${app.ref}/storage/v1/bucket`, {
      headers: { authorization: `Bearer ${app.secret_key}` },
    });
    expect(stranger.status).toBe(401);
  });

  it('answers each unknown path and method with a reason', async () => {
    expect((await raw('/nothing')).status).toBe(404);
    const patch = await raw('/object/own/x', { method: 'PATCH' });
    expect([patch.status, patch.headers.get('allow')]).toEqual([405, expect.stringContaining('DELETE')]);
  });

  it('keeps working without the schema storage, which its owner can drop', async () => {
    const without = await createAppWith(node, 'drop schema storage cascade');
    const storage = clientOf(without, without.secret_key ?? '').storage;
    for (const outcome of [
      await storage.listBuckets(),
      await storage.from('a').upload('b', 'c'),
      await storage.from('a').list(),
    ])
      expect((outcome.error as { code?: string } | null)?.code ?? refusal(outcome)).toMatch(/StorageNotInstalled/);
    const signedUp = await signUpMember(without);
    expect(signedUp.user.email).toBe(signedUp.email);
  });
});
