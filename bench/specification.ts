import { setTimeout } from 'node:timers/promises';
import { makeApp, sql } from './app.ts';
import { median, table, WORKERS } from './figures.ts';
import { inTurns, reached, turnRows } from './in-turns.ts';
import { request } from './load.ts';
import { type BenchNode, removeHome, startNode } from './node.ts';
import { things } from './things.ts';

const ENTITIES = 200;
const REPEATS = 15;
/** The interval between two requests for the specification while the calls run. */
const LOOK_MILLISECONDS = 1000;
const LOAD_MILLISECONDS = 2000;
const TURNS = 30;
const SETTLED_MILLISECONDS = 2000;

/**
 * Measures the specification of an app with 200 entities: how long it takes to derive, and how requests for it slow
 * down the calls of the app.
 */
export async function measureSpecification(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const { headers } = await makeApp(node);
    for (let from = 0; from < ENTITIES; from += 50) await sql(node, 'bench', things(from, from + 50));
    const derived: number[] = [];
    for (let i = 0; i < REPEATS; i++) {
      // Makes a change, so that no earlier derivation can be reused, after the work for the previous change has ended.
      await setTimeout(SETTLED_MILLISECONDS);
      await sql(node, 'bench', `comment on table public.thing_${i} is 'Looked at ${Date.now()}'`);
      derived.push(await timed(() => look(node)));
    }
    const call = request('GET', '/apps/bench/rest/v1/items?id=eq.1', headers);
    const calls = () => reached(node, call, LOAD_MILLISECONDS);
    await calls();
    const turns = await inTurns(TURNS, calls, () => lookedAt(node, calls));
    table(
      [`The specification of ${ENTITIES} entities`, 'Measured'],
      [
        ['derived anew, over the management API', `${median(derived).toFixed(0)} ms`],
        ...turnRows('somebody who asks for it every second', turns),
      ],
    );
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

async function lookedAt<T>(node: BenchNode, work: () => Promise<T>): Promise<T> {
  let isDone = false;
  const looking = async () => {
    // Starts between two seconds, so that no request for the specification coincides with the end of the calls.
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

/** Receives the complete response but does not parse it, because a browser would parse it on another machine. */
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
