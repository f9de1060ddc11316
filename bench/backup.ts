import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { AppConnection } from '../contract/admin.ts';
import type { BackupState } from '../contract/backup.ts';
import { median, number, ROUNDS, table } from './figures.ts';
import { admin, type BenchNode, removeHome, startNode } from './node.ts';

/** Rows of the large table: about a gigabyte. */
const ROWS = Number(process.env.BENCH_ROWS ?? 4_000_000);
const WRITERS = 4;
const WRITE_MILLISECONDS = 10_000;
/** Time after the start in which the node records an app for drills, which it does once an hour. */
const SETTLE_MILLISECONDS = 10_000;

/** Measures what backups cost writers, and how long a base backup, a drill and a restore to a moment take. */
export async function measureBackup(): Promise<void> {
  const rates: { off: number[]; wal: number[]; base: number[] } = { off: [], wal: [], base: [] };
  const home = mkdtempSync(join(process.cwd(), '.tmp/bench/home-'));
  const env = { NINEFOLD_BACKUP_URL: join(home, 'backups') };
  let node = await startNode({ home });
  const { database_url: url } = await admin<AppConnection>(node, 'POST', '/apps', { ref: 'large' });
  const client = new pg.Client(url ?? '');
  await client.connect();
  await client.query(`create table large (id int primary key, note text);
    insert into large select i, repeat(md5(i::text), 6) from generate_series(1, ${ROWS}) i;
    create table writes (id bigint generated always as identity primary key, note text)`);
  await client.end();
  for (let round = 0; round < ROUNDS; round++) {
    rates.off.push(await writesPerSecond(url ?? ''));
    await node.stop();
    node = await startNode({ home, env });
    await until(node, (state) => state.drill !== null && state.running === null);
    await delay(SETTLE_MILLISECONDS);
    rates.wal.push(await writesPerSecond(url ?? ''));
    await admin(node, 'POST', '/backups/requests', { kind: 'base' });
    await until(node, (state) => state.running?.kind === 'base');
    rates.base.push(await writesPerSecond(url ?? ''));
    await node.stop();
    node = await startNode({ home });
  }
  await node.stop();
  node = await startNode({ home, env });
  const before = (await until(node, (state) => state.running === null)).backups[0]?.id;
  const base = await timed(async () => {
    await admin(node, 'POST', '/backups/requests', { kind: 'base' });
    await until(node, (state) => state.backups[0]?.id !== before);
  });
  const { backups } = await until(node, () => true);
  const drill = await timed(async () => {
    const last = (await until(node, () => true)).drill?.startedAt;
    await admin(node, 'POST', '/backups/requests', { kind: 'drill' });
    await until(node, (state) => state.drill !== null && state.drill.startedAt !== last);
  });
  const at = new Date(Date.now() - 500).toISOString();
  await until(node, (state) => (state.completeAt ?? '') > at);
  await node.stop();
  const restores: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const to = mkdtempSync(join(process.cwd(), '.tmp/bench/home-'));
    rmSync(to, { recursive: true });
    restores.push(
      await timed(async () => {
        execFileSync(process.execPath, ['bin/ninefold.js', 'restore', '--to', to, '--at', at], {
          env: { ...process.env, NINEFOLD_HOME: home, ...env },
          stdio: 'ignore',
        });
      }),
    );
    statSync(join(to, 'postgres/PG_VERSION'));
    removeHome(to);
  }
  removeHome(home);
  const [newest] = backups;
  const share = (with_: number[]) => `${((100 * median(with_)) / median(rates.off)).toFixed(0)} %`;
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
  table(
    ['Backups', 'Measured'],
    [
      [`Commits a second of ${WRITERS} writers without backups`, number(median(rates.off))],
      ['… with WAL', `${number(median(rates.wal))} (${share(rates.wal)})`],
      ['… during a base backup', `${number(median(rates.base))} (${share(rates.base)})`],
      [
        'Data folder; backup',
        `${number((newest?.bytes ?? 0) / 1e6)} MB; ${number((newest?.storedBytes ?? 0) / 1e6)} MB`,
      ],
      ['Base backup, read back and verified', seconds(base)],
      ['Drill', seconds(drill)],
      ['Restore to a moment', seconds(median(restores))],
    ],
  );
}

async function writesPerSecond(url: string): Promise<number> {
  let count = 0;
  const end = performance.now() + WRITE_MILLISECONDS;
  const write = async () => {
    const client = new pg.Client(url);
    await client.connect();
    for (; performance.now() < end; count++) await client.query(`insert into writes (note) values (repeat('x', 200))`);
    await client.end();
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return (count * 1000) / WRITE_MILLISECONDS;
}

/** Waits for a state of the backups that the process wrote after this call. */
async function until({ home }: BenchNode, isReached: (state: BackupState) => boolean): Promise<BackupState> {
  for (const calledAt = Date.now(); ; await delay(100)) {
    try {
      const state = JSON.parse(readFileSync(join(home, 'backup/state.json'), 'utf8')) as BackupState;
      if (state.writtenAt > calledAt && isReached(state)) return state;
    } catch {
      // The process has not written a state yet.
    }
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
