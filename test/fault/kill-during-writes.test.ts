import { beforeEach, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { ownNode } from '../support/own-node.ts';
import { killAll, partsOf } from '../support/processes.ts';
import { Writer } from './writer.ts';

const rows = 500;
const rowsBefore = 150;

const node = ownNode('fault');
let app: AppConnection;

beforeEach(async () => {
  app = await createApp(node);
  await runSql(node, app.ref, 'create table events (id int primary key); grant all on events to anon');
});

/** Starts the node again on the port that its clients use. */
const startAgain = () => node.startAgain({ NINEFOLD_PORT: new URL(app.url).port });

async function storedRows(): Promise<Set<number>> {
  const { results } = await runSql(node, app.ref, "select coalesce(json_agg(id), '[]') from events");
  return new Set<number>(JSON.parse(results[0]?.rows[0]?.[0] ?? ''));
}

const kill = (pids: number[]): void => {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
};

/** Faults that happen to the node while rows are written. The node runs again after each of them. */
const strikes: [what: string, strike: () => Promise<void>][] = [
  [
    'an orderly stop',
    async () => {
      await node.stop();
      await startAgain();
    },
  ],
  [
    'a kill of the primary',
    async () => {
      await node.kill9();
      await startAgain();
    },
  ],
  ['a kill of a worker', async () => kill((await partsOf(node.pid)).workers.slice(0, 1))],
  ['a kill of PostgreSQL', async () => kill([(await partsOf(node.pid)).postmaster])],
  [
    'a kill of every process at once',
    async () => {
      await killAll(node);
      await startAgain();
    },
  ],
];

it.each(strikes)(`the database has every acknowledged row after %s during ${rows} inserts`, async (_, strike) => {
  const writer = new Writer(app);
  const writing = writer.write(rows);
  await writer.reached(rowsBefore);
  await strike();
  expect(writer.acknowledged.size).toBeLessThan(rows); // Otherwise the fault did not happen during the inserts.
  await writing;

  const stored = await storedRows();
  expect([...writer.acknowledged].filter((id) => !stored.has(id))).toEqual([]);
  expect([...stored].filter((id) => !writer.attempted.has(id))).toEqual([]);
  expect((await partsOf(node.pid)).workers.length).toBeGreaterThan(0);
});

const imported = 20_000;

it.each(strikes.filter(([what]) => /primary|every process/.test(what)))(
  `the database has the rows from before an import of ${imported} rows in one request after %s in the middle of it`,
  async (_, strike) => {
    // The row in the middle waits for longer than the test, so that the fault happens during the insert.
    await runSql(
      node,
      app.ref,
      `insert into events select -n from generate_series(1, 3) n;
       create function wait() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(7), pg_sleep(120); return new; end';
       create trigger wait before insert on events for each row when (new.id = ${imported / 2}) execute function wait();`,
    );
    const request = fetch(`${app.url}/rest/v1/events?columns=id`, {
      method: 'POST',
      headers: {
        apikey: app.secret_key,
        'content-type': 'application/json',
        prefer: 'return=minimal, missing=default',
      },
      body: JSON.stringify(Array.from({ length: imported }, (_row, at) => ({ id: at + 1 }))),
    }).then(
      ({ status }) => status,
      () => 0,
    );
    const waiting = `select count(*) from pg_locks where locktype = 'advisory' and objid = 7 and granted`;
    await expect.poll(async () => (await runSql(node, app.ref, waiting)).results[0]?.rows[0]?.[0]).toBe('1');
    await strike();
    expect(await request).not.toBe(201);
    expect([...(await storedRows())].sort((a, b) => a - b)).toEqual([-3, -2, -1]);
  },
);
