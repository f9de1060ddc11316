import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { BackupPage, BackupState } from '../../contract/backup.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createAppWith, runSql } from '../support/apps.ts';
import { cli, makeUsedHome, startNode, type TestNode } from '../support/node.ts';
import { killAll, partsOf, processTable } from '../support/processes.ts';
import { startS3Server } from '../support/s3-server.ts';
import { makeTestHome } from '../support/test-folder.ts';

const on = (home: string) => ({ NINEFOLD_BACKUP_URL: join(home, 'backups'), NINEFOLD_BACKUP_FLUSH_MS: '100' });
/** The backup process has a low priority, so it takes many times as long while other files use all processors. */
const LONG = { timeout: 150_000, interval: 100 };
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });
afterAll(() => vi.resetConfig());
/** Pause after each attempt, so that the writer does not take the processors from the backup. */
const PAUSE_MILLISECONDS = 2;

const stateOf = async (home: string): Promise<BackupState | null> => {
  const text = await readFile(join(home, 'backup/state.json'), 'utf8').catch(() => null);
  return text === null ? null : JSON.parse(text);
};

/** Waits until the target has all WAL up to this moment. */
async function allStored(home: string): Promise<void> {
  const now = Date.now();
  await expect.poll(async () => Date.parse((await stateOf(home))?.completeAt ?? ''), LONG).toBeGreaterThan(now);
}

const backups = async (home: string) => (await stateOf(home))?.backups ?? [];

async function restoreTo(from: string, args: string[]): Promise<string> {
  const to = join(await makeTestHome('restored'), 'home');
  const result = await cli({ home: from }, ['restore', '--to', to, ...args], { env: on(from) });
  expect(result.code, result.stderr).toBe(0);
  return to;
}

describe('a node with backups', () => {
  let home: string;
  let node: TestNode;
  let app: AppConnection;
  /** The ids of acknowledged rows. */
  const acknowledged: number[] = [];
  let last = 0;

  beforeAll(async () => {
    home = await makeUsedHome('backup');
    node = await startNode({ home, env: on(home) });
    app = await createAppWith(
      node,
      `create table public.items (id int primary key, note text);
       insert into storage.buckets (id, name) values ('files', 'files');`,
    );
    await vi.waitFor(async () => expect(await backups(home)).toHaveLength(1), LONG);
  });
  afterAll(async () => {
    await node.stop();
    await rm(home, { recursive: true });
  });

  /** Inserts rows one after the other until `isDone` returns true. A row without an answer is not used again. */
  async function write(isDone: () => boolean): Promise<void> {
    const url = (await admin<AppConnection>(node, 'GET', `/apps/${app.ref}/connection`)).database_url ?? '';
    let client: pg.Client | null = null;
    while (!isDone()) {
      try {
        if (client === null) {
          client = new pg.Client(url);
          client.on('error', () => undefined);
          await client.connect();
        }
        await client.query('insert into public.items values ($1, $2)', [++last, 'x'.repeat(200)]);
        acknowledged.push(last);
      } catch {
        client = null;
      }
      await delay(PAUSE_MILLISECONDS);
    }
    await client?.end();
  }

  const backupProcess = async () => {
    const found = (await processTable()).find(
      ({ parent, command }) => parent === node.pid && /backup-process/.test(command),
    );
    return found?.pid ?? 0;
  };

  /** Returns the ids of the restored rows. */
  async function rowsIn(restored: string): Promise<number[]> {
    const copy = await startNode({ home: restored });
    try {
      const { results } = await runSql(
        copy,
        app.ref,
        'select coalesce(json_agg(id order by id), $$[]$$) from public.items',
      );
      return results[0]?.rows[0]?.[0] as unknown as number[];
    } finally {
      await copy.stop();
    }
  }

  it('loses no acknowledged row when the backup process, PostgreSQL and the node are killed in turn', async () => {
    await expect.poll(() => backups(home), LONG).toHaveLength(1);
    const writing = (phase: Promise<unknown>) => {
      let isDone = false;
      const ended = phase.finally(() => {
        isDone = true;
      });
      return Promise.all([write(() => isDone), ended]);
    };
    await writing(
      (async () => {
        // A base backup is under way when its process ends.
        await admin(node, 'POST', '/backups/requests', { kind: 'base' });
        await expect.poll(async () => (await stateOf(home))?.running?.kind, { ...LONG, interval: 10 }).toBe('base');
        process.kill(await backupProcess(), 'SIGKILL');
        await expect.poll(backupProcess, LONG).not.toBe(0);
        await allStored(home);
        process.kill((await partsOf(node.pid)).postmaster, 'SIGKILL');
        await allStored(home);
      })(),
    );
    await allStored(home);
    await killAll(node);
    node = await startNode({ home, env: on(home) });
    await allStored(home);
    const count = acknowledged.length;
    expect(count).toBeGreaterThan(100);
    const rows = await rowsIn(await restoreTo(home, []));
    // A row whose answer was lost in a kill may be there.
    expect(acknowledged.filter((id) => !rows.includes(id))).toEqual([]);
  });

  it('restores one app and the node as they were at a moment, exact to the transaction, with the files of apps', async () => {
    const bytes = randomBytes(300_000);
    const upload = await fetch(`${node.url}/apps/${app.ref}/storage/v1/object/files/one`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.secret_key}`, apikey: app.secret_key },
      body: bytes,
    });
    expect(upload.status).toBe(200);
    const moment = async () => {
      const { results } = await runSql(
        node,
        app.ref,
        `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
      );
      return String(results[0]?.rows[0]?.[0]);
    };
    const before = last;
    // The server sends the WAL of the moment later, and that of more than a segment before it at the same time.
    const paused = await backupProcess();
    process.kill(paused, 'SIGSTOP');
    await runSql(
      node,
      app.ref,
      'create table public.long as select repeat(md5(i::text), 50) from generate_series(1, 12000) i',
    );
    await write(() => last >= before + 20);
    const at = await moment();
    await write(() => last >= before + 40);
    process.kill(paused, 'SIGCONT');
    await runSql(node, app.ref, 'delete from public.items where id % 2 = 0');
    await allStored(home);
    const countRows = `select count(*), max(id) from public.items where id > ${before}`;
    const one = await cli(node, ['apps', 'restore', app.ref, '--at', at, '--as', `${app.ref}-old`], { env: on(home) });
    expect(one).toMatchObject({ code: 0, stdout: expect.not.stringContaining('no bytes') });
    expect((await runSql(node, `${app.ref}-old`, countRows)).results[0]?.rows[0]).toEqual(
      ['20', before + 20].map(String),
    );
    const restored = await restoreTo(home, ['--at', at]);
    const copy = await startNode({ home: restored });
    try {
      const { results } = await runSql(
        copy,
        app.ref,
        `select count(*), max(id) from public.items where id > ${before}`,
      );
      expect(results[0]?.rows[0]).toEqual(['20', before + 20].map(String));
      const download = await fetch(`${copy.url}/apps/${app.ref}/storage/v1/object/authenticated/files/one`, {
        headers: { authorization: `Bearer ${app.secret_key}`, apikey: app.secret_key },
      });
      const sum = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
      expect(sum(new Uint8Array(await download.arrayBuffer()))).toBe(sum(bytes));
    } finally {
      await copy.stop();
    }
  });

  it('restores on another machine from nothing but the target and the phrase, and refuses any other phrase', async () => {
    const { stdout } = await cli(node, ['backup', 'phrase', '--yes'], { env: on(home) });
    await expect.poll(async () => (await stateOf(home))?.hasPhrase, LONG).toBe(true);
    const elsewhere = await makeTestHome('elsewhere');
    const phrase = join(elsewhere, 'phrase');
    await writeFile(phrase, stdout);
    const from = ['--from', join(home, 'backups'), '--phrase-file', phrase];
    const restored = await restoreTo(join(elsewhere, 'no-home'), from);
    expect(await readFile(join(restored, 'secrets/master-key'), 'utf8')).toBe(
      await readFile(join(home, 'secrets/master-key'), 'utf8'),
    );
    expect((await rowsIn(restored)).length).toBeGreaterThan(10);

    const refusal = async (args: string[]) => {
      const result = await cli({ home: join(elsewhere, 'none') }, ['restore', '--to', join(elsewhere, 'new'), ...args]);
      expect(existsSync(join(elsewhere, 'new/postgres'))).toBe(false);
      return [result.code, result.stderr];
    };
    await writeFile(
      phrase,
      stdout.replace(/^./, (first) => (first === '2' ? '3' : '2')),
    );
    expect(await refusal(from)).toEqual([1, expect.stringContaining('phrase')]);
    expect(await refusal(['--from', join(elsewhere, 'empty'), '--phrase-file', phrase])).toEqual([
      1,
      expect.stringContaining('does not exist'),
    ]);
    expect(await refusal(['--from', join(home, 'backups')])).toEqual([1, expect.stringContaining('--phrase-file')]);
    await writeFile(phrase, stdout);
    expect(await refusal([...from, '--at', '2001-01-01T00:00:00Z'])).toEqual([
      1,
      expect.stringContaining('later time'),
    ]);
  });

  it('proves its backups by a drill, and the drill notices a wrong row count and a damaged backup', async () => {
    const drill = async () => {
      const before = (await stateOf(home))?.drill?.startedAt;
      await admin(node, 'POST', '/backups/requests', { kind: 'drill' });
      await expect.poll(async () => (await stateOf(home))?.drill?.startedAt, LONG).not.toBe(before);
      return (await admin<BackupPage>(node, 'GET', '/backups')).state?.drill;
    };
    const first = await drill();
    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
    expect(chapters.limits?.figures).toMatchObject({
      backup_at: expect.any(String),
      complete_at: expect.any(String),
      drill: { at: first?.finishedAt, is_passed: true },
    });
    expect(first?.checks.filter(({ isPassed }) => !isPassed)).toEqual([]);
    // The record may be of either app, and of a moment before or after the copy was made.
    const kinds = new Set(first?.checks.map(({ check }) => check));
    expect(kinds).toEqual(new Set(['canary', 'specification', 'rows', 'indexes']));

    const file = join(home, 'backup/drill-records.json');
    const records = await readFile(file, 'utf8');
    await writeFile(file, records.replaceAll('"public.items":"', '"public.items":"9'));
    expect((await drill())?.checks.filter(({ isPassed }) => !isPassed)).toMatchObject([{ check: 'rows' }]);
    await writeFile(file, records);

    const series = (await readdir(join(home, 'backups/objects/ninefold-backups')))[0] ?? '';
    const bases = join(home, 'backups/objects/ninefold-backups', series, 'base');
    for (const id of await readdir(bases))
      await truncate(join(bases, id, 'data-00001'), 100_000).catch(() => undefined);
    expect((await drill())?.checks).toMatchObject([{ check: 'restore', isPassed: false }]);
  });

  it('restores in place twice in a row, keeps the earlier data folder, and begins a series of its own each time', async () => {
    await admin(node, 'POST', '/backups/requests', { kind: 'base' });
    const newest = async () => (await backups(home))[0]?.id;
    const damaged = await newest();
    await expect.poll(newest, LONG).not.toBe(damaged);
    const series = new Set<string>();
    for (const round of [1, 2]) {
      await runSql(node, app.ref, `insert into public.items values (${1_000_000 + round})`);
      await node.stop();
      const refused = await cli(node, ['restore'], { env: on(home) });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--yes')]);
      expect(await cli(node, ['restore', '--yes'], { env: on(home) })).toMatchObject({ code: 0 });
      node = await startNode({ home, env: on(home) });
      const { results } = await runSql(node, app.ref, 'select count(*) from public.items where id > 1000000');
      expect(results[0]?.rows[0]).toEqual([String(round)]);
      await expect.poll(() => backups(home), LONG).toHaveLength(1);
      await allStored(home);
      series.add(await readFile(join(home, 'backup/series.json'), 'utf8'));
    }
    expect(series.size).toBe(2);
    expect((await readdir(home)).filter((name) => name.startsWith('postgres.before-'))).toHaveLength(2);
  });
});

it('counts no backup that the target did not store completely, reports it, and recovers with the target', async () => {
  const s3 = await startS3Server();
  const home = await makeUsedHome('backup-s3');
  const target = {
    NINEFOLD_BACKUP_URL: `s3://${s3.bucket}/node?endpoint=${encodeURIComponent(s3.url)}&region=${s3.region}`,
    NINEFOLD_BACKUP_KEY: s3.accessKey,
    NINEFOLD_BACKUP_SECRET: s3.secret,
  };
  s3.faults.truncatedWrites = 3;
  s3.faults.unavailable = 5;
  const node = await startNode({ home, env: target });
  try {
    await expect.poll(async () => (await stateOf(home))?.failure?.message, LONG).toBeTruthy();
    expect(await backups(home)).toEqual([]);
    await expect.poll(() => backups(home), LONG).toHaveLength(1);
    await expect.poll(async () => (await stateOf(home))?.failure, LONG).toBe(null);
    s3.faults.truncatedReads = 3;
    const restored = join(await makeTestHome('restored'), 'home');
    const result = await cli({ home }, ['restore', '--to', restored], { env: target });
    expect(result).toMatchObject({ code: 0 });
    expect(existsSync(join(restored, 'postgres/PG_VERSION'))).toBe(true);
  } finally {
    await node.stop();
    await rm(home, { recursive: true });
    await s3.close();
  }
});
