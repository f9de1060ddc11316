import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp } from '../support/apps.ts';
import { overSocket, withClient } from '../support/database.ts';
import { ownNode } from '../support/own-node.ts';
import { partsOf } from '../support/processes.ts';

const node = ownNode('queues');
const readers = 16;
const messages = 2000;
/** A message stays hidden for longer than the test. */
const hiddenSeconds = 3600;
let app: AppConnection;
let url: string;

beforeAll(async () => {
  app = await createApp(node);
  // The proxy for TCP limits the number of connections of an owner.
  url = await overSocket(node, app.database_url ?? '');
});

interface Outcome {
  /** Messages whose read was acknowledged. */
  readonly read: string[];
  /** Messages whose archiving was acknowledged. */
  readonly archived: string[];
}

/**
 * Reads and archives messages until the queue is empty or the server is gone, and reports every acknowledged step.
 * @param onStep Called after each acknowledged archiving.
 */
async function consume(queue: string, onStep: () => void): Promise<Outcome> {
  const outcome: Outcome = { read: [], archived: [] };
  const client = new pg.Client({ connectionString: url, application_name: randomUUID() });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (;;) {
      const { rows } = await client.query('select msg_id from pgmq.read($1, $2, 3)', [queue, hiddenSeconds]);
      if (rows.length === 0) return outcome;
      const ids = rows.map(({ msg_id }) => msg_id as string);
      outcome.read.push(...ids);
      const archived = await client.query('select * from pgmq.archive($1, $2::bigint[]) id', [queue, ids]);
      outcome.archived.push(...archived.rows.map(({ id }) => id as string));
      onStep();
    }
  } catch {
    return outcome;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function makeQueue(queue: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('select pgmq.create($1)', [queue]);
    await client.query(`select pgmq.send_batch($1, array(select to_jsonb(n) from generate_series(1, ${messages}) n))`, [
      queue,
    ]);
  });
}

const consumeInParallel = (queue: string, onStep: () => void = () => {}): Promise<Outcome[]> =>
  Promise.all(Array.from({ length: readers }, () => consume(queue, onStep)));

const duplicates = (ids: readonly string[]) => ids.filter((id, i) => ids.indexOf(id) !== i);

it(`each of ${messages} messages reaches exactly one of ${readers} parallel readers`, async () => {
  await makeQueue('parallel');
  const outcomes = await consumeInParallel('parallel');
  const read = outcomes.flatMap((outcome) => outcome.read);
  expect([read.length, duplicates(read)]).toEqual([messages, []]);
  expect(outcomes.flatMap(({ archived }) => archived)).toHaveLength(messages);
  expect(outcomes.filter((outcome) => outcome.read.length > 0).length).toBeGreaterThan(1);
});

it(`no message is lost or read twice when PostgreSQL is killed under ${readers} readers`, async () => {
  await makeQueue('killed');
  let steps = 0;
  let postmaster: number | null = (await partsOf(node.pid)).postmaster;
  const before = await consumeInParallel('killed', () => {
    steps++;
    if (steps < 60 || postmaster === null) return;
    process.kill(postmaster, 'SIGKILL');
    postmaster = null;
  });
  expect(postmaster).toBeNull();
  // The node starts PostgreSQL again.
  await expect
    .poll(
      () =>
        withClient(url, (client) => client.query('select 1')).then(
          () => true,
          () => false,
        ),
      { timeout: 30_000 },
    )
    .toBe(true);
  const stored = await withClient(url, async (client) => {
    const { rows } = await client.query(
      'select msg_id::text, read_ct, false as archived from pgmq.q_killed union all select msg_id::text, read_ct, true from pgmq.a_killed',
    );
    return new Map(rows.map((row) => [row.msg_id as string, row as { read_ct: number; archived: boolean }]));
  });
  expect(stored.size).toBe(messages);
  const archivedBefore = before.flatMap(({ archived }) => archived);
  expect(archivedBefore.length).toBeGreaterThan(100);
  expect(archivedBefore.filter((id) => !stored.get(id)?.archived)).toEqual([]);
  const readBefore = before.flatMap(({ read }) => read);
  expect(readBefore.filter((id) => stored.get(id)?.read_ct !== 1)).toEqual([]);

  const after = await consumeInParallel('killed');
  const read = [...readBefore, ...after.flatMap((outcome) => outcome.read)];
  expect(duplicates(read)).toEqual([]);
  // A read that was committed but not acknowledged hides its message until its time is over: at most one read of each reader.
  expect(messages - read.length).toBeLessThanOrEqual(readers * 3);
}, 90_000);
