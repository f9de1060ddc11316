import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from '../support/apps.ts';
import { superuserUrl } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { deleteHome, makeUsedHome, startNode, type TestNode } from '../support/node.ts';
import { ownNode } from '../support/own-node.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { makeTestHome } from '../support/test-folder.ts';
import { appendTus, beginTus, offsetOf, serviceUploader, startTus, tusMetadata } from '../support/tus.ts';

const port = await freePort();
const bucket = 'files';
const createBucket = `insert into storage.buckets (id, name) values ('${bucket}', '${bucket}')`;
const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function storedHash(url: string, app: AppConnection, name: string): Promise<string> {
  const response = await fetch(`${url}/apps/${app.ref}/storage/v1/object/${bucket}/${name}`, {
    headers: serviceUploader(app).headers,
  });
  expect(response.status).toBe(200);
  return hash(new Uint8Array(await response.arrayBuffer()));
}

describe('a node with a name, a path and a domain', () => {
  const settings = () => ({
    NINEFOLD_PORT: String(port),
    NINEFOLD_URL: 'https://example.com/base',
    NINEFOLD_DOMAIN: 'apps.example.com',
    NINEFOLD_HOSTS: '127.0.0.1',
    NINEFOLD_WORKERS: '2',
  });
  const node = ownNode('named-uploads', settings);
  let app: AppConnection;
  /** The address of the node behind its proxy. */
  let url: string;
  beforeAll(async () => {
    url = `http://127.0.0.1:${port}`;
    app = await createAppWith({ ...node, url }, createBucket);
  });

  /** Begins an upload with a Host header. Returns the header Location. */
  const locationAt = (host: string, path: string): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      const headers = {
        ...serviceUploader(app).headers,
        host,
        'tus-resumable': '1.0.0',
        'upload-length': '3',
        'upload-metadata': tusMetadata({ bucketName: bucket, objectName: 'x' }),
      };
      request(
        { host: '127.0.0.1', port, path: `${path}/storage/v1/upload/resumable`, method: 'POST', headers },
        (response) => {
          response.resume();
          resolve(response.headers.location);
        },
      )
        .on('error', reject)
        .end();
    });

  it('returns addresses of uploads that clients outside of the proxy reach', async () => {
    const id = '[0-9a-f-]{36}$';
    const below = 'storage/v1/upload/resumable';
    expect(await locationAt('example.com', `/apps/${app.ref}`)).toMatch(
      new RegExp(`^https://example.com/base/apps/${app.ref}/${below}/${id}`),
    );
    expect(await locationAt(`${app.ref}.apps.example.com:9009`, '')).toMatch(
      new RegExp(`^https://${app.ref}.apps.example.com/${below}/${id}`),
    );
    expect(await locationAt(`${app.ref}.localhost:9009`, '')).toMatch(
      new RegExp(`^https://${app.ref}.localhost:9009/${below}/${id}`),
    );
  });

  it('continues an upload after a restart', async () => {
    const bytes = randomBytes(2_000_000);
    const uploader = { ...serviceUploader(app), url: `${url}/apps/${app.ref}` };
    const { address } = await beginTus(uploader, { bucket, name: 'restarted', size: bytes.length });
    const { pathname } = new URL(address.replace('/base', ''));
    expect((await appendTus(uploader, url + pathname, 0, bytes.subarray(0, 1_500_000))).status).toBe(204);
    await node.stop();
    await node.startAgain(settings());
    expect(await offsetOf(uploader, url + pathname)).toBe(1_500_000);
    expect((await appendTus(uploader, url + pathname, 1_500_000, bytes.subarray(1_500_000))).status).toBe(204);
    expect(await storedHash(url, app, 'restarted')).toBe(hash(bytes));
  });
});

describe('two nodes with one S3 bucket', () => {
  let s3: S3Server;
  let nodes: [TestNode, TestNode];
  let homes: [string, string];
  let app: AppConnection;
  beforeAll(async () => {
    s3 = await startS3Server();
    homes = [await makeUsedHome('s3-uploads'), await makeTestHome('s3-uploads-second')];
    const env = {
      NINEFOLD_WORKERS: '1',
      NINEFOLD_STORAGE_URL: `s3://${s3.bucket}/files?endpoint=${s3.url}&region=${s3.region}&style=path`,
      NINEFOLD_STORAGE_KEY: s3.accessKey,
      NINEFOLD_STORAGE_SECRET: s3.secret,
    };
    const first = await startNode({ home: homes[0], env });
    await mkdir(join(homes[1], 'secrets'));
    await cp(join(first.home, 'secrets'), join(homes[1], 'secrets'), { recursive: true });
    const url = new URL(await superuserUrl(first, 'postgres'));
    url.search = '';
    nodes = [first, await startNode({ home: homes[1], env: { ...env, NINEFOLD_DATABASE_URL: url.href } })];
    app = await createAppWith(first, createBucket);
  });
  afterAll(async () => {
    await nodes[1].stop();
    await nodes[0].stop();
    await s3.close();
    await Promise.all(homes.map(deleteHome));
  });

  it('continue the upload of each other, and delete the parts', async () => {
    const bytes = randomBytes(3_000_000);
    const uploader = { ...serviceUploader(app), url: `${nodes[0].url}/apps/${app.ref}` };
    const { address } = await beginTus(uploader, { bucket, name: 'shared', size: bytes.length });
    for (const [i, offset] of [0, 1_000_000, 2_000_000].entries()) {
      const at = nodes[i % 2 === 0 ? 0 : 1].url + new URL(address).pathname;
      expect(await offsetOf(uploader, at)).toBe(offset);
      expect((await appendTus(uploader, at, offset, bytes.subarray(offset, offset + 1_000_000))).status).toBe(204);
    }
    expect(await storedHash(nodes[1].url, app, 'shared')).toBe(hash(bytes));
    expect([...s3.objects.keys()].filter((key) => key.includes('/uploads/'))).toEqual([]);
  });

  it('agree on one of two parts at the same offset, and complete an upload once', async () => {
    const uploader = { ...serviceUploader(app), url: `${nodes[0].url}/apps/${app.ref}` };
    const { address } = await beginTus(uploader, { bucket, name: 'raced', size: 8 });
    const everywhere = (offset: number, parts: readonly [string, string]) =>
      Promise.all(
        nodes.map((node, i) =>
          appendTus(uploader, node.url + new URL(address).pathname, offset, Buffer.from(parts[i === 0 ? 0 : 1])),
        ),
      );
    const first = await everywhere(0, ['aaaa', 'bbbb']);
    expect(first.map(({ status }) => status).sort()).toEqual([204, 409]);
    const second = await everywhere(4, ['cccc', 'cccc']);
    expect(second.filter(({ status }) => status === 204)).toHaveLength(1);
    const winner = first[0]?.status === 204 ? 'aaaacccc' : 'bbbbcccc';
    expect(await storedHash(nodes[0].url, app, 'raced')).toBe(hash(Buffer.from(winner)));
  });

  it('take an upload of tus-js-client', async () => {
    const bytes = randomBytes(2_500_000);
    const uploader = { ...serviceUploader(app), url: `${nodes[1].url}/apps/${app.ref}` };
    await startTus(uploader, bytes, { bucket, name: 'by-client' }, { chunkSize: 700_000 }).done;
    expect(await storedHash(nodes[0].url, app, 'by-client')).toBe(hash(bytes));
  });
});
