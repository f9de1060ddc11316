import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { FileCheck } from '../../contract/file-check.ts';
import { admin, createAppWith } from '../support/apps.ts';
import { ownNode } from '../support/own-node.ts';
import { killAll, partsOf } from '../support/processes.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const CLIENTS = 6;

/**
 * Uploads, moves, copies and deletes files, several at a time, and remembers what each acknowledged call promised. What
 * became of a call without an answer is unknown, so its paths are not used again.
 */
class FileWriter {
  /** The hash of each file that must exist, by its path. */
  readonly promised = new Map<string, string>();
  /** The paths that must not exist. */
  readonly gone = new Set<string>();
  acknowledged = 0;
  failed = 0;
  readonly #app: AppConnection;

  constructor(app: AppConnection) {
    this.#app = app;
  }

  /** Works until the signal ends it. */
  async work(signal: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: CLIENTS }, (_, client) => this.#workAs(client, signal)));
  }

  async #workAs(client: number, signal: AbortSignal): Promise<void> {
    for (let i = 0; !signal.aborted; i++) {
      const path = `${client}/${i}`;
      // Some files have a content that other files have too.
      const bytes = i % 5 === 0 ? Buffer.from(`shared ${i % 3}`) : randomBytes(1 + ((i * 7919) % 300_000));
      const sum = hash(bytes);
      if (!(await this.#call('POST', `/object/files/${path}`, bytes))) continue;
      this.promised.set(path, sum);
      const body = { bucketId: 'files', sourceKey: path, destinationKey: `${path}-new` };
      if (i % 3 === 0) {
        this.promised.delete(path);
        if (!(await this.#call('POST', '/object/move', body))) continue;
        this.promised.set(`${path}-new`, sum);
        this.gone.add(path);
      } else if (i % 3 === 1) {
        if (await this.#call('POST', '/object/copy', body)) this.promised.set(`${path}-new`, sum);
        this.promised.delete(path);
        if (await this.#call('DELETE', `/object/files/${path}`)) this.gone.add(path);
      }
    }
  }

  /** Returns true if the call was acknowledged. */
  async #call(method: string, path: string, body?: Buffer | object): Promise<boolean> {
    try {
      const response = await fetch(`${this.#app.url}/storage/v1${path}`, {
        method,
        headers: {
          apikey: this.#app.secret_key ?? '',
          authorization: `Bearer ${this.#app.secret_key}`,
          ...(body !== undefined && {
            'content-type': Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json',
          }),
        },
        ...(body !== undefined && { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
        signal: AbortSignal.timeout(15_000),
      });
      await response.arrayBuffer();
      if (response.ok) this.acknowledged++;
      if (response.ok) return true;
    } catch {}
    this.failed++;
    await delay(50);
    return false;
  }
}

const bucket = `insert into storage.buckets (id, name, public) values ('files', 'files', true)`;

/** Reads every promised file, and compares rows and bytes of the app. */
async function expectKept(node: Parameters<typeof admin>[0], app: AppConnection, writer: FileWriter): Promise<void> {
  const wrong: string[] = [];
  for (const [path, sum] of writer.promised) {
    const response = await fetch(`${app.url}/storage/v1/object/public/files/${path}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.status !== 200 || hash(bytes) !== sum) wrong.push(`${path}: ${response.status}`);
  }
  for (const path of writer.gone) {
    const response = await fetch(`${app.url}/storage/v1/object/public/files/${path}`);
    await response.arrayBuffer();
    if (response.status !== 404) wrong.push(`${path} exists`);
  }
  expect(wrong).toEqual([]);
  const check = await admin<FileCheck>(node, 'POST', `/apps/${app.ref}/files/verify`, { read: true });
  expect(check.differences.filter(({ kind }) => kind !== 'unused' && kind !== 'orphan')).toEqual([]);
}

describe('files of a folder', () => {
  const node = ownNode('storage-fault');
  let app: AppConnection;
  beforeAll(async () => {
    app = await createAppWith(node, bucket);
  });
  const startAgain = () => node.startAgain({ NINEFOLD_PORT: new URL(app.url).port });

  it.each<[string, () => Promise<void>]>([
    ['a worker', async () => process.kill((await partsOf(node.pid)).workers[0] ?? 0, 'SIGKILL') && undefined],
    ['PostgreSQL', async () => process.kill((await partsOf(node.pid)).postmaster, 'SIGKILL') && undefined],
    [
      'every process at once',
      async () => {
        await killAll(node);
        await startAgain();
      },
    ],
  ])('are as acknowledged after a kill of %s during uploads, moves, copies and deletions', async (_, strike) => {
    const writer = new FileWriter(app);
    const end = new AbortController();
    const working = writer.work(end.signal);
    await expect.poll(() => writer.acknowledged, { timeout: 60_000 }).toBeGreaterThan(60);
    const failed = writer.failed;
    await strike();
    // Calls are still answered in the moment after the kill, so the test waits for a call that failed first.
    await expect.poll(() => writer.failed, { timeout: 60_000 }).toBeGreaterThan(failed);
    const before = writer.acknowledged;
    await expect.poll(() => writer.acknowledged, { timeout: 60_000 }).toBeGreaterThan(before + 10);
    end.abort();
    await working;
    await expectKept(node, app, writer);
    // The next strike begins with an empty bucket.
    await fetch(`${app.url}/storage/v1/bucket/files/empty`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.secret_key}` },
    });
  });
});

const s3 = await startS3Server();
afterAll(() => s3.close());

describe('files of an S3 store', () => {
  let app: AppConnection;
  const node = ownNode('storage-s3', () => ({
    NINEFOLD_STORAGE_URL: `s3://${s3.bucket}/files?endpoint=${encodeURIComponent(s3.url)}&region=${s3.region}&style=path`,
    NINEFOLD_STORAGE_KEY: s3.accessKey,
    NINEFOLD_STORAGE_SECRET: s3.secret,
  }));
  beforeAll(async () => {
    app = await createAppWith(node, bucket);
  });
  const call = (method: string, path: string, body?: string) =>
    fetch(`${app.url}/storage/v1/object${path}`, {
      method,
      headers: { authorization: `Bearer ${app.secret_key}`, 'x-upsert': 'true' },
      ...(body !== undefined && { body }),
    });

  it.each<[string, Partial<S3Server['faults']>]>([
    ['fails now and then', { unavailable: 2, resets: 2 }],
    ['is slow', { delay: 50 }],
    ['confirms what it has truncated', { truncatedWrites: 3 }],
    ['confirms another entity tag', { wrongEtags: 3 }],
  ])('are as acknowledged while the store %s', async (what, faults) => {
    s3.reset();
    Object.assign(s3.faults, faults);
    const promised = new Map<string, string>();
    for (let i = 0; i < 8; i++) {
      const [path, text] = [`${what.replaceAll(' ', '-')}/${i}`, `${what} ${i}`];
      if ((await call('POST', `/files/${path}`, text)).ok) promised.set(path, text);
    }
    s3.reset();
    expect(promised.size).toBeGreaterThan(0);
    for (const [path, text] of promised)
      expect([path, await (await call('GET', `/files/${path}`)).text()]).toEqual([path, text]);
    const check = await admin<FileCheck>(node, 'POST', `/apps/${app.ref}/files/verify`, { read: true });
    expect(check.differences.filter(({ kind }) => kind !== 'unused' && kind !== 'orphan')).toEqual([]);
  });

  it('are refused with 503 while the store is down, and no row is written', async () => {
    s3.reset();
    s3.faults.unavailable = 1_000_000;
    const refused = await call('POST', '/files/down', 'x');
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'storage_unavailable' }]);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    s3.reset();
    expect((await call('GET', '/files/down')).status).toBe(404);
    expect((await call('POST', '/files/down', 'x')).status).toBe(200);
  });

  it('end a download that the store cuts, instead of sending half of the file as the whole', async () => {
    s3.reset();
    await call('POST', '/files/cut', 'x'.repeat(300_000));
    for (const fault of ['truncatedReads', 'shortReads'] as const) {
      s3.faults[fault] = 100;
      const text = await call('GET', '/files/cut').then(
        (response) => (response.ok ? response.text().catch(() => 'an error') : 'an error'),
        () => 'an error',
      );
      expect([fault, text.length]).toEqual([fault, 'an error'.length]);
      s3.reset();
    }
  });
});
