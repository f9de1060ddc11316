import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { superuserUrl } from '../support/database.ts';
import { query } from '../support/embedded-server.ts';
import { ownNode } from '../support/own-node.ts';
import { killAll, partsOf } from '../support/processes.ts';
import { RawSocket } from '../support/realtime.ts';
import { RowReader, type RowVersion, RowWriter } from './row-readers.ts';

/** Writers update rows, and sockets follow them, while parts of a node fail. */
const READERS = 50;
const WRITERS = 6;
/** Changes that are written before and after a fault. */
const CHANGES = 60;

const node = ownNode('fault-realtime', () => ({ NINEFOLD_WORKERS: '2' }));
let app: AppConnection;
let token = '';
let readers: RowReader[] = [];

beforeAll(async () => {
  app = await createAppWith(
    node,
    `create table public.rows (id text primary key, version int not null, hidden boolean not null, owner uuid);
     alter table public.rows enable row level security;
     create policy visible on public.rows for select using (not hidden);
     create function public.next_version(row_id text) returns int language sql security definer
       as 'update public.rows set version = version + 1 where id = row_id returning version';
     insert into public.rows select w || '-' || k, 0, k = 0, null from generate_series(0, ${WRITERS - 1}) w, generate_series(0, 4) k;
     alter publication supabase_realtime add table public.rows;`,
  );
  token = (await signUpMember(app)).session.access_token;
});
afterAll(() => {
  for (const reader of readers) reader.close();
});

const startAgain = () => node.startAgain({ NINEFOLD_PORT: new URL(app.url).port, NINEFOLD_WORKERS: '2' });

async function listeners(): Promise<number[]> {
  const { results } = await runSql(node, app.ref, 'select current_database()');
  const sql = `select pid from pg_stat_activity where (query like 'LISTEN%' or query = '') and datname = '${results[0]?.rows[0]?.[0]}'`;
  const pids = (await query(await superuserUrl(node, 'postgres'), sql)).map(({ pid }) => Number(pid));
  expect(pids.length).toBeGreaterThan(0);
  return pids;
}

const faults: [what: string, strike: () => Promise<unknown>][] = [
  ['a kill of a worker', async () => process.kill((await partsOf(node.pid)).workers[0] ?? 0, 'SIGKILL')],
  ['a kill of PostgreSQL', async () => process.kill((await partsOf(node.pid)).postmaster, 'SIGKILL')],
  [
    'a kill of the whole node',
    async () => {
      await killAll(node);
      await startAgain();
    },
  ],
  [
    'a freeze of the connections that listen',
    async () => {
      const pids = await listeners();
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      await delay(1500);
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    },
  ],
];

it.each(faults)(
  'every channel has each change once and in order, or is told of the gap, after %s',
  async (_, strike) => {
    readers = Array.from({ length: READERS }, (_, i) => new RowReader(app, i % 2 === 0 ? token : undefined));
    await Promise.all(readers.map((reader) => reader.start()));
    const writers = Array.from({ length: WRITERS }, (_, i) => new RowWriter(app, i));
    await Promise.all(writers.map((writer) => writer.write(CHANGES / WRITERS)));
    const writing = Promise.all(writers.map((writer) => writer.write(CHANGES / WRITERS)));
    await strike();
    await writing;
    // A change that all channels get shows that each of them has joined again.
    await Promise.all(readers.map((reader) => reader.settled()));
    await Promise.all(writers.map((writer) => writer.write(2)));
    const stored = await storedRows();
    for (const writer of writers) expect(writer.lostIn(stored)).toEqual([]);
    await Promise.all(readers.map((reader) => reader.reached(stored)));
    const faultsOf = readers.flatMap((reader) => reader.faults);
    for (const reader of readers) reader.close();
    expect(faultsOf).toEqual([]);
  },
  60_000,
);

async function storedRows(): Promise<RowVersion[]> {
  const { results } = await runSql(node, app.ref, 'select json_agg(r) from public.rows r');
  return JSON.parse(results[0]?.rows[0]?.[0] ?? '[]') as RowVersion[];
}

it('nothing that policies decide about arrives a second after a sign-out while the connections that listen are frozen', async () => {
  const { client, session } = await signUpMember(app);
  const socket = await new RawSocket(app).opened();
  const config = { postgres_changes: [{ event: '*', schema: 'public', table: 'rows' }] };
  expect(await socket.join('rows', config, session.access_token)).toMatchObject({ status: 'ok' });
  await socket.next(({ event }) => event === 'system');
  const pids = await listeners();
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    await client.auth.signOut({ scope: 'local' });
    await delay(1000);
    const before = socket.messages.length;
    await new RowWriter(app, 0).write(5);
    await delay(1000);
    const after = socket.messages.slice(before).filter(({ event }) => event === 'postgres_changes');
    expect(after).toEqual([]);
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    socket.close();
  }
});
