import { setTimeout } from 'node:timers/promises';
import { smallPool } from '../src/apps/registry/server.ts';
import { readFacts } from '../src/catalog/facts.ts';
import { parseConnectionUrl } from '../src/database/connection-config.ts';
import { databaseUrl, makeApp, sql } from './app.ts';
import { median, table, WORKERS } from './figures.ts';
import { inTurns, reached, turnRows } from './in-turns.ts';
import { request } from './load.ts';
import { admin, type BenchNode, removeHome, startNode } from './node.ts';
import { things } from './things.ts';

const ENTITIES = 200;
const REPEATS = 5;
const RESTARTS = 5;
/** The interval between two requests for the specification while the calls run. */
const LOOK_MILLISECONDS = 1000;
const LOAD_MILLISECONDS = 2000;
const TURNS = 30;
const SETTLED_MILLISECONDS = 2000;

/** Changes of one table, by the kind of change. */
const changes: Readonly<Record<string, (i: number) => string>> = {
  'a comment': (i) => `comment on table public.thing_${i} is 'Looked at ${Date.now()}'`,
  'a new field': (i) => `alter table public.thing_${i} add column extra text not null default ''`,
  'a new policy': (i) => `create policy "delete own" on public.thing_${i} for delete to authenticated
    using (owner_id = (select auth.uid()))`,
  'a new table': (i) => `create table public.other_${i} (id int primary key, thing int references public.thing_${i})`,
};

/** Measures how long the server needs for the specification of an app with 200 entities: after one change, and after a start. */
export async function measureDerivation(): Promise<void> {
  let node = await startNode({ workers: WORKERS });
  try {
    const { app } = await makeApp(node);
    for (let from = 0; from < ENTITIES; from += 50) await sql(node, 'bench', things(from, from + 50));
    await look(node);
    const rows: string[][] = [];
    const pool = smallPool(parseConnectionUrl(await databaseUrl(node, app), 'bench'), 2);
    const reads: number[] = [];
    for (const [what, change] of Object.entries(changes)) {
      const derived: number[] = [];
      for (let i = 0; i < REPEATS; i++) {
        // The pause lets the work for the previous change end before the next change.
        await setTimeout(SETTLED_MILLISECONDS);
        await sql(node, 'bench', change(i));
        derived.push(await timed(() => look(node)));
        reads.push(await timed(() => readFacts(pool, { exposedSchemas: ['public'], authenticator: 'app_bench' })));
      }
      rows.push([`after ${what}, over the management API`, times(derived)]);
    }
    rows.push(['the limit: the catalog is read on two connections after each change', times(reads)]);
    await pool.close();
    const started: number[] = [];
    for (let i = 0; i < RESTARTS; i++) {
      await node.stop();
      node = await startNode({ workers: WORKERS, home: node.home });
      // The first request to the management API starts the specification process.
      await admin(node, 'GET', '/apps');
      await setTimeout(SETTLED_MILLISECONDS);
      started.push(await timed(() => look(node)));
    }
    rows.push(['in a process that has just started', times(started)]);
    table([`The specification of ${ENTITIES} entities`, 'Measured'], rows);
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

const times = (measured: readonly number[]): string =>
  `${median(measured).toFixed(0)} ms (${Math.min(...measured).toFixed(0)} to ${Math.max(...measured).toFixed(0)})`;

/** Measures how requests for the specification of an app with 200 entities slow down the other requests of the app. */
export async function measureSpecification(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const { headers } = await makeApp(node);
    for (let from = 0; from < ENTITIES; from += 50) await sql(node, 'bench', things(from, from + 50));
    const call = request('GET', '/apps/bench/rest/v1/items?id=eq.1', headers);
    const calls = () => reached(node, call, LOAD_MILLISECONDS);
    await calls();
    const turns = await inTurns(TURNS, calls, () => lookedAt(node, calls));
    table(
      [`The specification of ${ENTITIES} entities`, 'Measured'],
      turnRows('somebody who asks for it every second', turns),
    );
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

async function lookedAt<T>(node: BenchNode, work: () => Promise<T>): Promise<T> {
  let isDone = false;
  const looking = async () => {
    // Starts half a second late, so that no request for the specification coincides with the end of a load.
    await setTimeout(LOOK_MILLISECONDS / 2);
    while (!isDone) {
      await look(node);
      await setTimeout(LOOK_MILLISECONDS);
    }
  };
  const looked = looking();
  try {
    return await work();
  } finally {
    isDone = true;
    await looked;
  }
}

/** Receives the complete response without parsing it, because a browser would parse it on another machine. */
async function look(node: BenchNode): Promise<void> {
  const headers = { authorization: `Bearer ${node.operatorToken}` };
  const response = await fetch(`${node.url}/admin/v1/apps/bench/specification`, { headers });
  if (!response.ok) throw new Error(`the specification: ${response.status}`);
  await response.arrayBuffer();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
