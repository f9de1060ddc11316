import { setTimeout } from 'node:timers/promises';
import type { ProbeReport, ProbeState } from '../contract/probe.ts';
import { makeApp, sql } from './app.ts';
import { CONNECTIONS, median, number, ROUNDS, table, WORKERS } from './figures.ts';
import { type LoadResult, load, request } from './load.ts';
import { admin, type BenchNode, removeHome, startNode } from './node.ts';

const ENTITIES = 200;
const REPEATS = 15;
/** How often somebody looks at the specification while the calls run. */
const LOOK_MILLISECONDS = 1000;
const LOAD_MILLISECONDS = 4000;
/** What is compared differs by a few percent, as the machine does from one round to the next: so there are more of them. */
const TURNS = 9;
const SETTLED_MILLISECONDS = 2000;

/** The specification of an app with 200 entities: how long it takes to derive and to probe, and what either costs the app's calls. */
export async function measureSpecification(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const { headers } = await makeApp(node);
    for (let from = 0; from < ENTITIES; from += 50) await sql(node, 'bench', tables(from, from + 50));
    const derived: number[] = [];
    for (let i = 0; i < REPEATS; i++) {
      // A change, so that nothing that was derived before can serve; what the one before it set off has ended.
      await setTimeout(SETTLED_MILLISECONDS);
      await sql(node, 'bench', `comment on table public.thing_${i} is 'Looked at ${Date.now()}'`);
      derived.push(await timed(() => look(node)));
    }
    const call = request('GET', '/apps/bench/rest/v1/items?id=eq.1', headers);
    const calls = () =>
      load({ port: node.port, connections: CONNECTIONS, milliseconds: LOAD_MILLISECONDS, next: () => call });
    await calls();
    const alone: number[] = [];
    const beside: number[] = [];
    for (let i = 0; i < TURNS; i++) {
      alone.push((await calls()).perSecond);
      beside.push(await lookedAt(node, async () => (await calls()).perSecond));
    }
    const quiet: number[] = [];
    const probed: number[] = [];
    const took: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const { report, perSecond } = await besideProbe(node, calls);
      probed.push(...perSecond);
      // As often without it as beside it.
      for (const _ of perSecond) quiet.push((await calls()).perSecond);
      took.push(Date.parse(report.finished_at) - Date.parse(report.started_at));
      if (report.disagree > 0) throw new Error(`${report.disagree} cells of the matrix are not as they claim`);
    }
    table(
      [`The specification of ${ENTITIES} entities`, 'Measured'],
      [
        ['derived anew, over the management API', `${median(derived).toFixed(0)} ms`],
        ['calls a second without anybody looking at it', number(median(alone))],
        ['calls a second while it is asked for every second', number(median(beside))],
        ['probe of every cell, beside calls', `${(median(took) / 1000).toFixed(1)} s`],
        ['calls a second without a probe', number(median(quiet))],
        ['calls a second beside a probe', number(median(probed))],
      ],
    );
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

async function lookedAt<T>(node: BenchNode, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => void look(node), LOOK_MILLISECONDS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Starts a probe and measures calls until it has ended; a measurement that it ends within does not count. */
async function besideProbe(
  node: BenchNode,
  calls: () => Promise<LoadResult>,
): Promise<{ report: ProbeReport; perSecond: number[] }> {
  const perSecond: number[] = [];
  let state = await admin<ProbeState>(node, 'POST', '/apps/bench/probe');
  while (state.running !== null) {
    const measured = await calls();
    state = await admin<ProbeState>(node, 'GET', '/apps/bench/probe');
    if (state.running !== null) perSecond.push(measured.perSecond);
  }
  if (state.last === null) throw new Error('the probe came to no end');
  return { report: state.last, perSecond };
}

/** Takes the whole answer, as a browser does, but leaves reading it: browsers have processors of their own. */
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

/** Tables with eight fields, rules, relations and three policies each. */
function tables(from: number, to: number): string {
  const all: string[] = [];
  for (let i = from; i < to; i++) {
    const parent = i === 0 ? '' : `, parent_id int references public.thing_${i - 1} (id)`;
    all.push(
      `create table public.thing_${i} (
         id int generated by default as identity primary key, owner_id uuid not null default auth.uid(),
         name text not null check (char_length(name) between 3 and 80), amount int not null default 0 check (amount >= 0),
         note text, state text not null default 'new' check (state in ('new', 'done')), made_at timestamptz not null default now()${parent});
       alter table public.thing_${i} enable row level security;
       create policy "see own" on public.thing_${i} for select to authenticated using (owner_id = (select auth.uid()));
       create policy "make own" on public.thing_${i} for insert to authenticated with check (owner_id = (select auth.uid()));
       create policy "change own" on public.thing_${i} for update to authenticated using (owner_id = (select auth.uid()));
       insert into public.thing_${i} (owner_id, name) select gen_random_uuid(), 'Thing ' || g from generate_series(1, 5) g;`,
    );
  }
  return all.join('\n');
}
