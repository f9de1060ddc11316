import pg from 'pg';
import { CONNECTIONS, median, number, ROUNDS, table } from '../figures.ts';
import { load, request } from '../load.ts';
import { withGenerator } from './generator.ts';
import type { RealtimeApp } from './realtime-bench-app.ts';

const SQL_CONNECTIONS = 8;
const LISTENERS = 2;
const ROWS = 10_000;
const MILLISECONDS = 2000;

const schema = (name: string): string => `
  create table public.${name} (id bigint generated always as identity primary key, title text not null, done boolean not null default false);
  insert into public.${name} (title) select 'Title ' || g from generate_series(1, ${ROWS}) g;
  grant all on public.${name} to service_role;
  grant select on public.${name} to anon`;

/** The tables, with their state. */
const tables = { plain: 'unpublished', idle: 'published, nobody listens', watched: 'published and watched' } as const;
type Table = keyof typeof tables;

type Work = (name: Table) => Promise<number>;

/** Measures writes of a table that is not published, published, and published and watched. */
export async function measureWrites(app: RealtimeApp): Promise<void> {
  await app.sql(Object.keys(tables).map(schema).join(';'));
  await app.sql('alter publication supabase_realtime add table public.idle, public.watched');
  const pool = new pg.Pool({ connectionString: app.app.database_url ?? '', max: SQL_CONNECTIONS });
  const works: Record<string, Work> = {
    'insert through the API': (name) => apiWrites(app, 'POST', `/${name}`, '{"title":"A new title"}'),
    'update through the API': (name) => apiWrites(app, 'PATCH', `/${name}`, '{"title":"Another title"}'),
    'insert by SQL': (name) => sqlWrites(pool, () => `insert into public.${name} (title) values ('A new title')`),
    'update by SQL': (name) =>
      sqlWrites(pool, () => `update public.${name} set title = 'Another title' where id = ${randomId()}`),
  };
  try {
    await withGenerator(async (generator) => {
      const config = { postgres_changes: [{ event: '*', schema: 'public', table: 'watched' }] };
      await generator.open(app.target({ topic: 'watched', config }), LISTENERS);
      const rows: string[][] = [];
      for (const [name, work] of Object.entries(works)) rows.push([name, ...(await compared(work))]);
      table(['Writes a second', ...Object.values(tables)], rows);
    });
  } finally {
    await pool.end();
  }
}

/** Returns the rates of the tables, with their shares of the first. */
async function compared(work: Work): Promise<string[]> {
  const found: Record<Table, number[]> = { plain: [], idle: [], watched: [] };
  for (let i = 0; i < ROUNDS; i++) {
    for (const name of ['plain', 'idle', 'watched'] as const) found[name].push(await work(name));
  }
  const without = median(found.plain);
  return (['plain', 'idle', 'watched'] as const).map((name) => {
    const share = ((median(found[name]) / without) * 100).toFixed(0);
    return `${number(median(found[name]))} (${share} %)`;
  });
}

async function apiWrites({ node, app }: RealtimeApp, method: string, path: string, body: string): Promise<number> {
  const headers = {
    apikey: app.secret_key,
    authorization: `Bearer ${app.secret_key}`,
    'content-type': 'application/json',
    prefer: 'return=minimal',
  };
  const url = `/apps/${app.ref}/rest/v1${path}`;
  const { perSecond, failed } = await load({
    port: node.port,
    connections: CONNECTIONS,
    milliseconds: MILLISECONDS,
    next: () => request(method, method === 'PATCH' ? `${url}?id=eq.${randomId()}` : url, headers, body),
  });
  if (failed > 0) throw new Error(`${failed} writes failed`);
  return perSecond;
}

async function sqlWrites(pool: pg.Pool, text: () => string): Promise<number> {
  let count = 0;
  const started = performance.now();
  const until = started + MILLISECONDS;
  await Promise.all(
    Array.from({ length: SQL_CONNECTIONS }, async () => {
      const client = await pool.connect();
      for (; performance.now() < until; count++) await client.query(text());
      client.release();
    }),
  );
  return (count * 1000) / (performance.now() - started);
}

const randomId = (): number => 1 + Math.floor(Math.random() * ROWS);
