import { loadSchemaCache } from '../src/catalog/load-schema-cache.ts';
import { Connection } from '../src/database/connection.ts';
import { parseConnectionUrl } from '../src/database/connection-config.ts';
import { databaseUrl, makeApp, sql } from './app.ts';
import { CONNECTIONS, median, table, WORKERS } from './figures.ts';
import { load, request } from './load.ts';
import { removeHome, startNode } from './node.ts';

const TABLES = 1000;
const CHANGES = 5;

/** Measures an app with 1,000 tables: how long the first request after a change of the schema waits, and how large the schema cache is. */
export async function measureSchema(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const { app, headers } = await makeApp(node);
    for (let from = 0; from < TABLES; from += 100) await sql(node, app.ref, tables(from, from + 100));
    const url = `${node.url}/apps/bench/rest/v1/items?id=eq.1`;
    const first: number[] = [];
    for (let i = 0; i < CHANGES; i++) {
      await sql(node, app.ref, `alter table public.table_${i} add column more_${i} text`);
      const started = performance.now();
      const response = await fetch(`${node.url}/apps/bench/rest/v1/table_${i}?select=more_${i}&limit=1`, { headers });
      await response.text();
      if (!response.ok) throw new Error(`${response.status}`);
      first.push(performance.now() - started);
    }
    await fetch(url, { headers });
    const calls = load({
      port: node.port,
      connections: CONNECTIONS,
      milliseconds: 10_000,
      next: () => request('GET', '/apps/bench/rest/v1/items?id=eq.1', headers),
    });
    for (let i = 0; i < CHANGES; i++) {
      await sql(node, app.ref, `alter table public.table_${i} drop column more_${i}`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    const { failed, requests, p99 } = await calls;
    table(
      [`A schema of ${TABLES} tables`, 'Measured'],
      [
        [
          'first call after a change',
          `${median(first).toFixed(0)} ms (slowest of ${CHANGES}: ${Math.max(...first).toFixed(0)} ms)`,
        ],
        ['memory of the schema cache', `${((await cacheBytes(await databaseUrl(node, app))) / 1e6).toFixed(1)} MB`],
        [
          `calls that failed during ${CHANGES} changes under load`,
          `${failed} of ${requests} (p99 ${p99.toFixed(0)} ms)`,
        ],
      ],
    );
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

/** Returns SQL that creates tables with five columns. Each table has a foreign key to the table before it. */
function tables(from: number, to: number): string {
  const all: string[] = [];
  for (let i = from; i < to; i++) {
    const parent = i === 0 ? '' : `, parent_id int references public.table_${i - 1} (id)`;
    all.push(
      `create table public.table_${i} (id int primary key, name text not null, amount numeric(10,2), made_at timestamptz default now()${parent});
       grant select on public.table_${i} to authenticated;`,
    );
  }
  return all.join('\n');
}

/** Returns the size of one schema cache in bytes: a tenth of the memory that ten caches use. */
async function cacheBytes(url: string): Promise<number> {
  const connection = await Connection.open(parseConnectionUrl(url, 'bench'), 5000);
  const database = { run: (statements: Parameters<Connection['run']>[0]) => connection.run(statements) };
  const load = () => loadSchemaCache(database, ['public'], ['public', 'extensions']);
  await load();
  const held = [];
  const before = heapAfterCollection();
  for (let i = 0; i < 10; i++) held.push(await load());
  const bytes = (heapAfterCollection() - before) / held.length;
  connection.close();
  return bytes;
}

function heapAfterCollection(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
