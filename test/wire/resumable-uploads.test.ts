import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import pg from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type AppConnection, consoleHeader } from '../../contract/admin.ts';
import { createApp, createAppWith, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { superuserUrl } from '../support/database.ts';
import { cli } from '../support/node.ts';
import {
  appendTus,
  beginTus,
  memberUploader,
  offsetOf,
  serviceUploader,
  startTus,
  tus,
  tusMetadata,
  type Uploader,
} from '../support/tus.ts';

const MIB = 1024 * 1024;
const bucket = 'files';
const node = inject('node');

let app: AppConnection;
let service: Uploader;
let member: Member;
let uploader: Uploader;
let other: Member;

beforeAll(async () => {
  app = await createAppWith(
    node,
    `insert into storage.buckets (id, name) values ('${bucket}', '${bucket}');
     insert into storage.buckets (id, name, file_size_limit, allowed_mime_types) values ('small', 'small', 1000, array['image/png', 'text/plain']);
     create policy own on storage.objects for all to authenticated
       using (bucket_id in ('${bucket}', 'small') and owner_id = auth.uid()::text)
       with check (bucket_id in ('${bucket}', 'small') and owner_id = auth.uid()::text and name not like 'forbidden%');`,
  );
  service = serviceUploader(app);
  [member, other] = await Promise.all([signUpMember(app), signUpMember(app)]);
  uploader = memberUploader(app, member.session.access_token);
});

async function download(name: string): Promise<Buffer> {
  const response = await fetch(`${app.url}/storage/v1/object/${bucket}/${name}`, { headers: service.headers });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const codeOf = async (response: Response): Promise<string> => ((await response.json()) as { code: string }).code;
const count = async (sql: string): Promise<number> =>
  Number((await runSql(node, app.ref, sql)).results[0]?.rows[0]?.[0]);

describe('an upload with tus-js-client', () => {
  it('stores 20 MB in parts of 6 MB if the client stops after the second part and continues', async () => {
    const bytes = randomBytes(20 * MIB);
    let parts = 0;
    const { upload, done } = startTus(
      uploader,
      bytes,
      { bucket, name: 'big.bin' },
      { headers: { 'x-upsert': 'true' } },
    );
    upload.options.onChunkComplete = () => {
      parts++;
      if (parts === 2) void upload.abort().then(() => upload.start());
    };
    await done;
    expect(hash(await download('big.bin'))).toBe(hash(bytes));
    expect(parts).toBe(4);
  });

  it('stores the bytes with one request, in parts that the node chooses, and with parts of any size', async () => {
    for (const chunkSize of [Number.POSITIVE_INFINITY, 70_001, 1_000_000]) {
      const bytes = randomBytes(2 * MIB + 1);
      await startTus(uploader, bytes, { bucket, name: `chunks-${chunkSize}` }, { chunkSize }).done;
      expect(hash(await download(`chunks-${chunkSize}`))).toBe(hash(bytes));
    }
  });

  it('stores bytes that the client sends with the creation, without a known length, and with another method', async () => {
    const cases = { uploadDataDuringCreation: true, uploadLengthDeferred: true, overridePatchMethod: true } as const;
    for (const [option, value] of Object.entries(cases)) {
      const bytes = randomBytes(300_000);
      const options = { chunkSize: 100_000, [option]: value };
      await startTus(uploader, bytes, { bucket, name: option }, options).done;
      expect(hash(await download(option))).toBe(hash(bytes));
    }
  });

  it('stores an empty file', async () => {
    await startTus(uploader, Buffer.alloc(0), { bucket, name: 'empty' }).done;
    expect(await download('empty')).toHaveLength(0);
  });

  it('ends an upload and deletes its parts', async () => {
    const { upload, done } = startTus(
      uploader,
      randomBytes(200_000),
      { bucket, name: 'ended' },
      { chunkSize: 100_000 },
    );
    const stopped = new Promise<void>((resolve) => {
      upload.options.onChunkComplete = () => void upload.abort(true).then(resolve);
    });
    await stopped;
    void done;
    expect(await offsetOf(uploader, upload.url ?? '')).toBe('status 404');
  });

  it('writes the type, the cache control and the metadata of the file, and the owner', async () => {
    const metadata = { contentType: 'text/csv', cacheControl: '60', metadata: '{"page":"ü"}' };
    await startTus(uploader, Buffer.from('a,b'), { bucket, name: 'übersicht.csv' }, { metadata }).done;
    const [row] =
      (
        await runSql(
          node,
          app.ref,
          `select metadata ->> 'mimetype', metadata ->> 'cacheControl', user_metadata ->> 'page', owner_id, metadata ->> 'size'
       from storage.objects where name = 'übersicht.csv'`,
        )
      ).results[0]?.rows ?? [];
    expect(row).toEqual(['text/csv', 'max-age=60', 'ü', member.user.id, '3']);
  });
});

describe('POST /upload/resumable', () => {
  it('returns the address of the upload at the URL of the app, and the time at which the upload expires', async () => {
    const { response, address } = await beginTus(uploader, { bucket, name: 'address', size: 5 });
    expect(response.status).toBe(201);
    expect(address).toMatch(new RegExp(`^${app.url}/storage/v1/upload/resumable/[0-9a-f-]{36}$`));
    const hours = (Date.parse(response.headers.get('upload-expires') ?? '') - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    expect(response.headers.get('tus-resumable')).toBe('1.0.0');
    expect(response.headers.get('access-control-expose-headers')).toBe('*');
  });

  it.each<[string, Record<string, string>, number, string]>([
    ['another version', { 'tus-resumable': '0.2.2' }, 412, 'TusVersionUnsupported'],
    ['no length', { 'upload-length': '' }, 400, 'InvalidRequest'],
    ['a negative length', { 'upload-length': '-1' }, 400, 'InvalidRequest'],
    ['a length beyond all files', { 'upload-length': '9007199254740991' }, 413, 'EntityTooLarge'],
    ['both kinds of length', { 'upload-defer-length': '1' }, 400, 'InvalidRequest'],
    ['no metadata', { 'upload-metadata': '' }, 400, 'InvalidRequest'],
    ['metadata that is not Base64', { 'upload-metadata': 'bucketName ***' }, 400, 'InvalidRequest'],
    [
      'a path outside of the bucket',
      { 'upload-metadata': tusMetadata({ bucketName: bucket, objectName: '../x' }) },
      400,
      'InvalidKey',
    ],
    [
      'an unknown bucket',
      { 'upload-metadata': tusMetadata({ bucketName: 'nowhere', objectName: 'x' }) },
      404,
      'NoSuchBucket',
    ],
    [
      'a path that no policy allows',
      { 'upload-metadata': tusMetadata({ bucketName: bucket, objectName: 'forbidden' }) },
      403,
      'AccessDenied',
    ],
    [
      'a file that is too large for its bucket',
      {
        'upload-length': '1001',
        'upload-metadata': tusMetadata({ bucketName: 'small', objectName: 'x', contentType: 'text/plain' }),
      },
      413,
      'EntityTooLarge',
    ],
    [
      'a type that the bucket refuses',
      { 'upload-metadata': tusMetadata({ bucketName: 'small', objectName: 'x', contentType: 'text/html' }) },
      415,
      'InvalidMimeType',
    ],
    ['no caller', { authorization: '', apikey: '' }, 401, 'InvalidJWT'],
  ])('refuses a request with %s', async (_what, headers, status, code) => {
    const { response } = await beginTus(uploader, { bucket, name: 'refused', size: 5 }, { headers });
    expect([response.status, await codeOf(response)]).toEqual([status, code]);
    expect(response.headers.get('tus-resumable')).toBe('1.0.0');
  });

  it('refuses a path that has an object, unless x-upsert is true', async () => {
    await startTus(uploader, Buffer.from('first'), { bucket, name: 'twice' }).done;
    const refused = await beginTus(uploader, { bucket, name: 'twice', size: 6 });
    expect([refused.response.status, await codeOf(refused.response)]).toEqual([409, 'KeyAlreadyExists']);
    await startTus(uploader, Buffer.from('second'), { bucket, name: 'twice' }, { headers: { 'x-upsert': 'true' } })
      .done;
    expect((await download('twice')).toString()).toBe('second');
  });
});

describe('PATCH /upload/resumable/{id}', () => {
  it('refuses another offset, another content type, too many bytes and another version', async () => {
    const { address } = await beginTus(uploader, { bucket, name: 'refused-parts', size: 5 });
    const part = Buffer.from('abc');
    const refusals = [
      await appendTus(uploader, address, 1, part),
      await appendTus(uploader, address, 0, part, { 'content-type': 'text/plain' }),
      await appendTus(uploader, address, 0, Buffer.from('abcdef')),
      await appendTus(uploader, address, 0, part, { 'tus-resumable': '2.0.0' }),
      await appendTus(uploader, address, 0, part, { 'upload-offset': 'x' }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([409, 415, 413, 412, 400]);
    expect(await offsetOf(uploader, address)).toBe(0);
  });

  it('refuses a chunked body that is longer than the upload, and stays usable', async () => {
    const { address } = await beginTus(uploader, { bucket, name: 'chunked', size: 5 });
    const stream = new Blob(['abcdefgh']).stream();
    expect((await appendTus(uploader, address, 0, stream)).status).toBe(413);
    expect((await appendTus(uploader, address, 0, Buffer.from('abcde'))).status).toBe(204);
    expect((await download('chunked')).toString()).toBe('abcde');
  });

  it('takes one of two requests that send the same part at the same time', async () => {
    const { address } = await beginTus(uploader, { bucket, name: 'parallel', size: 8 });
    const results = await Promise.all(
      ['aaaa', 'bbbb'].map((part) => appendTus(uploader, address, 0, Buffer.from(part))),
    );
    expect(results.map(({ status }) => status).sort()).toEqual([204, 409]);
    const first = results[0]?.status === 204 ? 'aaaa' : 'bbbb';
    expect(await offsetOf(uploader, address)).toBe(4);
    expect((await appendTus(uploader, address, 4, Buffer.from('cccc'))).status).toBe(204);
    expect((await download('parallel')).toString()).toBe(`${first}cccc`);
  });

  it('completes an upload once if many requests send its last part', async () => {
    const { address } = await beginTus(uploader, { bucket, name: 'last', size: 8 });
    await appendTus(uploader, address, 0, Buffer.from('aaaa'));
    const results = await Promise.all(
      Array.from({ length: 6 }, () => appendTus(uploader, address, 4, Buffer.from('bbbb'))),
    );
    const statuses = results.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => ![204, 404, 409].includes(status))).toEqual([]);
    expect((await download('last')).toString()).toBe('aaaabbbb');
    expect(await offsetOf(uploader, address)).toBe('status 404');
  });

  it('stores the bytes that arrive before a connection breaks', async () => {
    const bytes = randomBytes(3 * MIB);
    const { address } = await beginTus(uploader, { bucket, name: 'broken', size: bytes.length });
    await sendHalf(address, uploader, bytes, 2 * MIB);
    await expect.poll(() => offsetOf(uploader, address)).toBeGreaterThan(MIB);
    const offset = Number(await offsetOf(uploader, address));
    expect((await appendTus(uploader, address, offset, bytes.subarray(offset))).status).toBe(204);
    expect(hash(await download('broken'))).toBe(hash(bytes));
  });

  it('lets only the caller who began the upload continue it', async () => {
    const { address } = await beginTus(uploader, { bucket, name: 'mine', size: 4 });
    const others = [
      memberUploader(app, other.session.access_token),
      service,
      { url: app.url, headers: { apikey: app.publishable_key } },
    ];
    for (const each of others) {
      expect(await offsetOf(each, address)).toBe('status 404');
      expect((await appendTus(each, address, 0, Buffer.from('evil'))).status).toBe(404);
      expect((await tus(each, 'DELETE', address)).status).toBe(404);
    }
    expect((await appendTus(uploader, address, 0, Buffer.from('good'))).status).toBe(204);
    expect((await download('mine')).toString()).toBe('good');
  });

  it('asks the policies again for the complete file', async () => {
    const { address } = await beginTus(uploader, { bucket, name: 'later', size: 4 });
    await appendTus(uploader, address, 0, Buffer.from('ab'));
    await runSql(
      node,
      app.ref,
      `create policy later on storage.objects as restrictive for insert with check (name <> 'later')`,
    );
    const refused = await appendTus(uploader, address, 2, Buffer.from('cd'));
    expect([refused.status, await codeOf(refused)]).toEqual([403, 'AccessDenied']);
    expect(await count(`select count(*) from storage.objects where name = 'later'`)).toBe(0);
    await runSql(node, app.ref, 'drop policy later on storage.objects');
    expect(await offsetOf(uploader, address)).toBe(4);
    expect((await download('later')).toString()).toBe('abcd');
  });

  it('refuses a file whose first bytes have a type that the bucket does not take', async () => {
    const html = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(900)]);
    const { address } = await beginTus(
      uploader,
      { bucket: 'small', name: 'x.png', size: html.length },
      {
        headers: {
          'upload-metadata': tusMetadata({ bucketName: 'small', objectName: 'x.png', contentType: 'image/png' }),
        },
      },
    );
    expect((await appendTus(uploader, address, 0, html)).status).toBe(415);
  });
});

describe('the clone of an app', () => {
  it('has no upload of the original', async () => {
    const { address } = await beginTus(service, { bucket, name: 'cloned', size: 4 });
    await appendTus(service, address, 0, Buffer.from('ab'));
    const clone = await createApp(node, { from: app.ref });
    const copy = address.replace(`/apps/${app.ref}/`, `/apps/${clone.ref}/`);
    expect(await offsetOf(serviceUploader(clone), copy)).toBe('status 404');
    expect(await offsetOf(service, address)).toBe(2);
  });
});

describe('an upload that expired', () => {
  it('is gone', async () => {
    const { address } = await beginTus(uploader, { bucket, name: 'expired', size: 4 });
    await appendTus(uploader, address, 0, Buffer.from('ab'));
    await runSqlAsServer(`update ninefold.uploads set expires_at = now() - interval '1 second' where name = 'expired'`);
    const statuses = [
      (await tus(uploader, 'HEAD', address)).status,
      (await appendTus(uploader, address, 2, Buffer.from('cd'))).status,
    ];
    expect(statuses.every((status) => status === 410 || status === 404)).toBe(true);
    expect(await count(`select count(*) from storage.objects where name = 'expired'`)).toBe(0);
  });
});

describe('OPTIONS /upload/resumable', () => {
  it('returns the versions, the extensions and the largest upload', async () => {
    const response = await fetch(`${app.url}/storage/v1/upload/resumable`, { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('tus-version')).toBe('1.0.0');
    expect(response.headers.get('tus-extension')).toBe(
      'creation,creation-with-upload,creation-defer-length,termination,expiration',
    );
    expect(Number(response.headers.get('tus-max-size'))).toBe(5 * 1024 * MIB);
  });

  it('lets pages of other origins send every method and header of the protocol', async () => {
    for (const method of ['POST', 'PATCH', 'HEAD', 'DELETE']) {
      const asked = 'authorization,tus-resumable,upload-offset,upload-length,upload-metadata,x-signature,x-upsert';
      const response = await fetch(`${app.url}/storage/v1/upload/resumable/x`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://shop.example',
          'access-control-request-method': method,
          'access-control-request-headers': asked,
        },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-methods')).toContain(method);
      const allowed = response.headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
      expect(asked.split(',').filter((name) => !allowed?.includes(name))).toEqual([]);
    }
  });
});

describe('a signed upload URL', () => {
  const sign = async (name: string, upsert = false): Promise<Uploader> => {
    const { data, error } = await member.client.storage.from(bucket).createSignedUploadUrl(name, { upsert });
    if (error) throw error;
    return { url: app.url, headers: { 'x-signature': data.token } };
  };

  it.each(['/upload/resumable/sign', '/upload/resumable'])('uploads its file at %s without a key', async (path) => {
    const name = `signed${path.replaceAll('/', '-')}`;
    const bytes = randomBytes(250_000);
    const endpoint = `${app.url}/storage/v1${path}`;
    await startTus(await sign(name), bytes, { bucket, name }, { endpoint, chunkSize: 100_000 }).done;
    expect(hash(await download(name))).toBe(hash(bytes));
    expect(
      await count(`select count(*) from storage.objects where name = '${name}' and owner_id = '${member.user.id}'`),
    ).toBe(1);
  });

  it('is valid for one path, once', async () => {
    const holder = await sign('once');
    const path = '/storage/v1/upload/resumable/sign';
    const elsewhere = await beginTus(holder, { bucket, name: 'elsewhere', size: 1 }, { path });
    expect([elsewhere.response.status, await codeOf(elsewhere.response)]).toEqual([400, 'InvalidSignature']);
    const [first, second] = [
      await beginTus(holder, { bucket, name: 'once', size: 1 }, { path }),
      await beginTus(holder, { bucket, name: 'once', size: 1 }, { path }),
    ];
    expect((await appendTus(holder, first.address, 0, Buffer.from('1'))).status).toBe(204);
    const refused = await appendTus(holder, second.address, 0, Buffer.from('2'));
    expect([403, 409]).toContain(refused.status);
    expect((await member.client.storage.from(bucket).remove(['once'])).error).toBeNull();
    const again = await beginTus(holder, { bucket, name: 'once', size: 1 }, { path });
    expect([again.response.status, await codeOf(again.response)]).toEqual([403, 'InvalidUploadSignature']);
  });

  it('replaces its file as often as wanted if it was signed with upsert', async () => {
    const holder = await sign('often', true);
    for (const text of ['first', 'second']) {
      await startTus(holder, Buffer.from(text), { bucket, name: 'often' }).done;
      expect((await download('often')).toString()).toBe(text);
    }
  });

  it('does not continue the upload of another token, and no caller continues its upload', async () => {
    const [holder, another] = [await sign('held'), await sign('held')];
    const { address } = await beginTus(holder, { bucket, name: 'held', size: 4 });
    for (const each of [another, uploader, service]) expect(await offsetOf(each, address)).toBe('status 404');
    expect(await offsetOf(holder, address)).toBe(0);
  });

  it('must be sent to the address of signed uploads', async () => {
    const path = '/storage/v1/upload/resumable/sign';
    const { response } = await beginTus(service, { bucket, name: 'unsigned', size: 1 }, { path });
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
      400,
      'Missing x-signature header',
    ]);
  });
});

describe('the quota of a member', () => {
  it('counts the bytes of uploads that are not complete, and not twice when they are completed', async () => {
    const client = clientOf(app, app.secret_key);
    const { code } = await cli(node, ['settings', app.ref, 'set', 'storage-member-bytes', '10000']);
    expect(code).toBe(0);
    const frugal = await signUpMember(app);
    const own = memberUploader(app, frugal.session.access_token);
    const { address } = await beginTus(own, { bucket, name: 'quota', size: 9000 });
    expect((await appendTus(own, address, 0, randomBytes(8000))).status).toBe(204);
    // Each worker sums up the bytes every few seconds.
    const begin = async (name: string, size: number): Promise<string> => {
      const { response } = await beginTus(own, { bucket, name, size });
      return response.ok ? 'begun' : `${response.status} ${await codeOf(response)}`;
    };
    await expect.poll(() => begin('quota-2', 3000)).toBe('413 QuotaExceeded');
    expect((await appendTus(own, address, 8000, randomBytes(1000))).status).toBe(204);
    await expect.poll(() => begin('quota-3', 900)).toBe('begun');
    await expect.poll(() => begin('quota-4', 1100)).toBe('413 QuotaExceeded');
    expect((await client.storage.from(bucket).info('quota')).data?.size).toBe(9000);
  });
});

describe('a builder', () => {
  it('uploads below /admin/v1, and gets an address there', async () => {
    const headers = { authorization: `Bearer ${node.operatorToken}`, [consoleHeader]: '1' };
    const { response, address } = await beginTus(
      { url: `${node.url}/admin/v1/apps/${app.ref}`, headers },
      {
        bucket,
        name: 'by-builder',
        size: 2,
      },
    );
    expect(response.status).toBe(201);
    expect(address).toMatch(new RegExp(`^/admin/v1/apps/${app.ref}/storage/v1/upload/resumable/[0-9a-f-]{36}$`));
    expect(response.headers.get('upload-offset')).toBe('0');
    expect((await appendTus({ headers }, `${node.url}${address}`, 0, Buffer.from('ok'))).status).toBe(204);
    expect((await download('by-builder')).toString()).toBe('ok');
  });
});

/** Runs SQL on Ninefold's own tables. */
async function runSqlAsServer(sql: string): Promise<void> {
  const client = new pg.Client(await superuserUrl(node, `app_${app.ref}`));
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Sends the first `sent` bytes of a part and breaks the connection. */
async function sendHalf(address: string, { headers }: Uploader, bytes: Buffer, sent: number): Promise<void> {
  const { hostname, port, pathname } = new URL(address);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({
    host: `${hostname}:${port}`,
    ...headers,
    'tus-resumable': '1.0.0',
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
    'content-length': String(bytes.length),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`PATCH ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`);
  // The end of the connection follows the bytes, so the node reads them first.
  await new Promise<void>((resolve) => socket.end(bytes.subarray(0, sent), () => resolve()));
  socket.on('data', () => undefined);
}
