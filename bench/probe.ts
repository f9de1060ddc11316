import { setTimeout } from 'node:timers/promises';
import type { ProbeReport, ProbeState } from '../contract/probe.ts';
import { makeApp, sql } from './app.ts';
import { table, WORKERS } from './figures.ts';
import { type Reached, reached, type Turn, turnRows } from './in-turns.ts';
import { request } from './load.ts';
import { admin, type BenchNode, removeHome, startNode } from './node.ts';
import { things } from './things.ts';

const ENTITIES = 200;
/**
 * Number of entities of the smaller app. It is large enough for a typical probe, and so small that requests without a
 * probe are measured soon after requests with one.
 */
const FEWER_ENTITIES = 110;
const PROBES = 6;
/**
 * Number of measurements during each probe of the smaller app. The same number of measurements is made without a probe.
 * They end before the probe does.
 */
const MEASUREMENTS = 5;
const LOAD_MILLISECONDS = 2000;
/** Approximate time that a probe of all entities takes. */
const LONG_MILLISECONDS = 25_000;
/** Time after the start of a probe until it tests the first entity. */
const BEFORE_MILLISECONDS = 1000;
const POLL_MILLISECONDS = 50;

/**
 * Measures a probe of every cell: how long a probe of 200 entities takes while the app gets requests, and how much the
 * probe slows down these requests.
 */
export async function measureProbe(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const { headers } = await makeApp(node);
    await sql(node, 'bench', things(0, FEWER_ENTITIES));
    const call = request('GET', '/apps/bench/rest/v1/items?id=eq.1', headers);
    const calls = async (): Promise<Reached[]> => {
      const found: Reached[] = [];
      for (let i = 0; i < MEASUREMENTS; i++) found.push(await reached(node, call, LOAD_MILLISECONDS));
      return found;
    };
    await calls();
    const turns: Turn[] = [];
    for (let i = 0; i < PROBES; i++) {
      const { measured, running } = await probed(node, calls);
      if (!running) throw new Error('the probe ended before what was measured beside it');
      const quiet = await calls();
      turns.push(...measured.flatMap((beside, at) => quiet.slice(at, at + 1).map((without) => ({ without, beside }))));
    }
    await sql(node, 'bench', things(FEWER_ENTITIES, ENTITIES));
    const { report } = await probed(node, () => reached(node, call, LONG_MILLISECONDS));
    const seconds = (Date.parse(report.finished_at) - Date.parse(report.started_at)) / 1000;
    table(
      ['A probe', 'Measured'],
      [
        [`of ${ENTITIES} entities, beside calls`, `${seconds.toFixed(1)} s, ${report.attempts} tries`],
        ...turnRows('a probe', turns),
      ],
    );
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

/**
 * Starts a probe, measures while it runs, and waits for its end. `running` is true if the probe ran until the
 * measurement had ended.
 * @throws if the result of a cell differs from the specification
 */
async function probed<T>(
  node: BenchNode,
  measure: () => Promise<T>,
): Promise<{ report: ProbeReport; measured: T; running: boolean }> {
  const state = () => admin<ProbeState>(node, 'GET', '/apps/bench/probe');
  await admin<ProbeState>(node, 'POST', '/apps/bench/probe');
  await setTimeout(BEFORE_MILLISECONDS);
  const measured = await measure();
  let now = await state();
  const running = now.running !== null;
  while (now.running !== null) {
    await setTimeout(POLL_MILLISECONDS);
    now = await state();
  }
  if (now.last === null) throw new Error('the probe came to no end');
  if (now.last.disagree > 0) throw new Error(`${now.last.disagree} cells of the matrix are not as they claim`);
  return { report: now.last, measured, running };
}
