import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith, runSql } from '../support/apps.ts';
import { ownNode } from '../support/own-node.ts';
import { killAll, partsOf } from '../support/processes.ts';
import { type ClientUpload, serviceUploader, startTus } from '../support/tus.ts';

const MIB = 1024 * 1024;
const bucket = 'files';

/** Pauses of the client between attempts. A node needs a few seconds to start. */
const retryDelays = Array.from({ length: 60 }, () => 500);

const node = ownNode('upload-faults', () => ({ NINEFOLD_WORKERS: '2' }));
let app: AppConnection;

beforeEach(async () => {
  app = await createAppWith(node, `insert into storage.buckets (id, name) values ('${bucket}', '${bucket}')`);
});

const startAgain = () => node.startAgain({ NINEFOLD_PORT: new URL(app.url).port, NINEFOLD_WORKERS: '2' });

const kill = (pids: number[]): void => {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
};

/** Faults that happen to the node during an upload. */
const strikes: [what: string, strike: () => Promise<void>][] = [
  [
    'an orderly stop of the node',
    async () => {
      await node.stop();
      await startAgain();
    },
  ],
  ['a kill of every worker', async () => kill((await partsOf(node.pid)).workers)],
  ['a kill of PostgreSQL', async () => kill([(await partsOf(node.pid)).postmaster])],
  [
    'a kill of every process at once',
    async () => {
      await killAll(node);
      await startAgain();
    },
  ],
];

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function storedHashes(): Promise<string[]> {
  const { results } = await runSql(node, app.ref, `select coalesce(json_agg(name), '[]') from storage.objects`);
  const names: string[] = JSON.parse(results[0]?.rows[0]?.[0] ?? '');
  return Promise.all(
    names.map(async (name) => {
      const response = await fetch(`${app.url}/storage/v1/object/${bucket}/${name}`, {
        headers: serviceUploader(app).headers,
      });
      return hash(new Uint8Array(await response.arrayBuffer()));
    }),
  );
}

/** Starts an upload that continues after every fault, and counts its acknowledged bytes. */
function startPatient(bytes: Buffer, chunkSize: number) {
  const acknowledged = { bytes: 0, lost: 0 };
  const started: ClientUpload = startTus(
    serviceUploader(app),
    bytes,
    { bucket, name: 'file' },
    {
      chunkSize,
      retryDelays,
      onShouldRetry: () => true,
      onAfterResponse: (request, response) => {
        const offset = Number(response.getHeader('upload-offset'));
        if (response.getStatus() >= 300 || !Number.isInteger(offset)) return;
        if (request.getMethod() === 'HEAD')
          acknowledged.lost = Math.max(acknowledged.lost, acknowledged.bytes - offset);
        acknowledged.bytes = Math.max(acknowledged.bytes, offset);
      },
    },
  );
  return { ...started, acknowledged };
}

describe('an upload in parts', () => {
  it.each(strikes)(
    'is complete and no acknowledged byte is lost after %s between its first and last part',
    async (_, strike) => {
      const bytes = randomBytes(30 * MIB);
      const { upload, done, acknowledged } = startPatient(bytes, 300_000);
      const begun = new Promise<void>((resolve) => {
        upload.options.onChunkComplete = (_size, accepted) => {
          if (accepted > 3 * MIB) resolve();
        };
      });
      await begun;
      await strike();
      expect(acknowledged.bytes).toBeLessThan(bytes.length); // Otherwise the fault did not happen during the upload.
      await done;
      expect(acknowledged.lost).toBe(0);
      expect(await storedHashes()).toEqual([hash(bytes)]);
    },
  );

  it.each(strikes.slice(1))(
    'is complete, and stored once, after %s while the node writes its row',
    async (_, strike) => {
      await runSql(
        node,
        app.ref,
        `create function public.wait() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(7), pg_sleep(2); return new; end';
       create trigger wait before insert on storage.objects for each row when (new.version <> '') execute function public.wait();`,
      );
      const bytes = randomBytes(3 * MIB);
      const { done, acknowledged } = startPatient(bytes, MIB);
      const waiting = `select count(*) from pg_locks where locktype = 'advisory' and objid = 7 and granted`;
      await expect
        .poll(async () => (await runSql(node, app.ref, waiting)).results[0]?.rows[0]?.[0], { interval: 20 })
        .toBe('1');
      await strike();
      await done;
      expect(acknowledged.lost).toBe(0);
      expect(await storedParts()).toBe(0);
      expect(await storedHashes()).toEqual([hash(bytes)]);
    },
  );

  it('continues behind the last part that the node has stored after a kill in the middle of one request', async () => {
    const bytes = randomBytes(200 * MIB);
    const offsets: number[] = [];
    const { upload, done } = startPatient(bytes, Number.POSITIVE_INFINITY);
    upload.options.onAfterResponse = (request, response) => {
      if (request.getMethod() === 'HEAD') offsets.push(Number(response.getHeader('upload-offset')));
    };
    await expect.poll(() => storedParts(), { interval: 20 }).toBeGreaterThan(0);
    await killAll(node);
    await startAgain();
    await done;
    expect(Math.max(...offsets)).toBeGreaterThan(60 * MIB);
    expect(await storedHashes()).toEqual([hash(bytes)]);
  });
});

/** Returns the number of parts in the folder of the node. */
async function storedParts(): Promise<number> {
  const names = await readdir(`${node.home}/files/apps/${app.ref}/uploads`, { recursive: true }).catch(() => []);
  return names.filter((name) => name.includes('/')).length;
}
