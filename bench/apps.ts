import pg from 'pg';
import type { AppConnection } from '../contract/admin.ts';
import { median, number, table } from './figures.ts';
import { admin, type BenchNode, removeHome, startNode } from './node.ts';

/** Number of apps on the node. The variable BENCH_APPS sets another number, for a quick run. */
const APPS = Number(process.env.BENCH_APPS ?? 1000);
const CALLERS = 8;
const SAMPLE_MILLISECONDS = 500;

const TABLE = `create table public.notes (id bigint primary key, title text not null);
  insert into public.notes select g, 'note ' || g from generate_series(1, 20) g;
  grant select on public.notes to anon`;

/**
 * Measures a node with many apps: creates them, restarts the node, sends the first request to each app, scrapes its
 * metrics, and lists the apps.
 */
export async function measureApps(): Promise<void> {
  const first = await startNode();
  const { apps, times } = await createApps(first);
  await first.stop();
  const node = await startNode({ home: first.home });
  const opened = await openedByScrape(node);
  const cold = await callEach(node, apps);
  const scrapes = await measureScrapes(node);
  const lists = await timesOf(10, () => admin(node, 'GET', '/apps'));
  const created = await timesOf(10, (i) => admin(node, 'POST', '/apps', { ref: `late-${i}` }));
  const stopping = performance.now();
  await node.stop();
  const stopped = performance.now() - stopping;
  removeHome(first.home);
  const { statuses } = cold;
  table(
    ['What', 'Measured'],
    [
      ['Apps', number(APPS)],
      ['A new app, the first tenth', inMilliseconds(times.slice(0, APPS / 10))],
      ['A new app, the last tenth', inMilliseconds(times.slice(-APPS / 10))],
      ['A new app after the cold calls', inMilliseconds(created)],
      ['Start with these apps, to the first answer', `${number(node.startMilliseconds)} ms`],
      [`First call of each app, ${CALLERS} callers`, inMilliseconds(cold.times)],
      ['First calls by status', [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')],
      ['Processor time per first call: Node.js', `${(cold.processor.node / APPS).toFixed(0)} ms`],
      ['Processor time per first call: PostgreSQL', `${(cold.processor.postgres / APPS).toFixed(0)} ms`],
      ['Processor time in the 30 s after, in all', `${number(cold.after)} ms`],
      ['Connections to the server, most', number(cold.connections)],
      ['Memory of all processes before (PSS)', `${number(cold.memory.before / 1e6)} MB`],
      ['Memory of all processes, most (PSS)', `${number(cold.memory.most / 1e6)} MB`],
      ['Memory of the Node.js processes, most (PSS)', `${number(cold.memory.node / 1e6)} MB`],
      ['Databases of apps that a scrape opens', number(opened)],
      ['Scrape with the first counts of all apps', `${scrapes.first.toFixed(1)} ms`],
      ['Scrape', inMilliseconds(scrapes.times)],
      ['Size of a scrape', `${number(scrapes.bytes / 1000)} kB`],
      ['List of all apps', inMilliseconds(lists)],
      ['Clean stop', `${number(stopped)} ms`],
    ],
  );
}

async function scrape(node: BenchNode): Promise<string> {
  const response = await fetch(`${node.url}/metrics`, { headers: { authorization: `Bearer ${node.operatorToken}` } });
  return response.text();
}

/** Scrapes a node whose apps are idle. Returns the number of databases of apps that have a connection afterwards. */
async function openedByScrape(node: BenchNode): Promise<number> {
  await scrape(node);
  const { database_url: url } = await admin<{ database_url: string }>(node, 'GET', '/status');
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ opened: number }>(
    `select count(distinct datname)::int as opened from pg_stat_activity where datname like 'app\\_cold%'`,
  );
  await client.end();
  return rows[0]?.opened ?? 0;
}

async function measureScrapes(node: BenchNode): Promise<{ first: number; times: number[]; bytes: number }> {
  const started = performance.now();
  const { length: bytes } = await scrape(node);
  const first = performance.now() - started;
  return { first, times: await timesOf(30, () => scrape(node)), bytes };
}

async function createApps(node: BenchNode): Promise<{ apps: AppConnection[]; times: number[] }> {
  const apps: AppConnection[] = [];
  const times: number[] = [];
  for (let i = 1; i <= APPS; i++) {
    const started = performance.now();
    const app = await admin<AppConnection>(node, 'POST', '/apps', { ref: `cold-${i}` });
    times.push(performance.now() - started);
    apps.push(app);
    // Connects as the owner, so that the node itself does not open the app.
    const owner = new pg.Client(app.database_url ?? '');
    await owner.connect();
    await owner.query(TABLE);
    await owner.end();
  }
  return { apps, times };
}

interface ColdCalls {
  times: number[];
  statuses: Map<number, number>;
  processor: { node: number; postgres: number };
  after: number;
  connections: number;
  memory: { before: number; most: number; node: number };
}

/** Sends one request to each app. Several callers do this at the same time, and the processes of the node are sampled meanwhile. */
async function callEach(node: BenchNode, apps: readonly AppConnection[]): Promise<ColdCalls> {
  const { database_url: url } = await admin<{ database_url: string }>(node, 'GET', '/status');
  const watcher = new pg.Client(url);
  await watcher.connect();
  const found: ColdCalls = {
    times: [],
    statuses: new Map(),
    processor: { node: 0, postgres: 0 },
    after: 0,
    connections: 0,
    memory: { before: node.memory(), most: 0, node: 0 },
  };
  let isCalling = true;
  const watch = async () => {
    while (isCalling) {
      const { rows } = await watcher.query<{ used: number }>(
        `select count(*)::int as used from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      found.connections = Math.max(found.connections, rows[0]?.used ?? 0);
      found.memory.most = Math.max(found.memory.most, node.memory());
      found.memory.node = Math.max(found.memory.node, node.memory('node'));
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MILLISECONDS));
    }
  };
  const before = processorTimes(node);
  const watching = watch();
  const left = apps.values();
  const call = async () => {
    for (const app of left) {
      const started = performance.now();
      const response = await fetch(`${app.url.replace(/^http:\/\/[^/]+/, node.url)}/rest/v1/notes?select=id,title`, {
        headers: { apikey: app.publishable_key },
      });
      await response.arrayBuffer();
      found.times.push(performance.now() - started);
      found.statuses.set(response.status, (found.statuses.get(response.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  isCalling = false;
  await watching;
  const called = processorTimes(node);
  found.processor = { node: called.node - before.node, postgres: called.postgres - before.postgres };
  await new Promise((resolve) => setTimeout(resolve, 30_000));
  const later = processorTimes(node);
  found.after = later.node - called.node + later.postgres - called.postgres;
  await watcher.end();
  return found;
}

/** Returns the processor time that the node and its PostgreSQL have used so far, in milliseconds. */
const processorTimes = (node: BenchNode): { node: number; postgres: number } => ({
  node: node.processorTime('node'),
  postgres: node.processorTime('postgres'),
});

async function timesOf(many: number, work: (i: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < many; i++) {
    const started = performance.now();
    await work(i);
    times.push(performance.now() - started);
  }
  return times;
}

function inMilliseconds(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  return `${number(median(times))} ms (99 %: ${number(p99)} ms, most: ${number(sorted.at(-1) ?? 0)} ms)`;
}
