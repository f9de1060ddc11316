import pg from 'pg';
import { number, table } from '../figures.ts';
import { admin } from '../node.ts';
import { NOTES } from './changes.ts';
import { withGenerator } from './generator.ts';
import { makeRealtimeApp, type RealtimeApp } from './realtime-bench-app.ts';

/** Number of apps on the node. The variable BENCH_APPS sets another number, for a quick run. */
const APPS = Number(process.env.BENCH_APPS ?? 1000);
const WATCHED = Math.min(100, APPS);
/** Time after which the node has closed the connections of apps that nobody uses. */
const REST_MILLISECONDS = 15_000;
const MEASURED_MILLISECONDS = 15_000;

interface Idle {
  readonly connections: number;
  readonly share: number;
}

/** Measures what many apps with a published table cost while nobody writes: without sockets, and with one socket for some of them. */
export async function measureIdleApps(first: RealtimeApp): Promise<void> {
  const { node } = first;
  const { database_url: url } = await admin<{ database_url: string }>(node, 'GET', '/status');
  const watcher = new pg.Client(url);
  await watcher.connect();
  const after = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const idle = async (): Promise<Idle> => {
    await after(REST_MILLISECONDS);
    const before = node.allProcessorTime();
    await after(MEASURED_MILLISECONDS);
    const share = (node.allProcessorTime() - before) / MEASURED_MILLISECONDS;
    const { rows } = await watcher.query<{ used: number }>(
      `select count(*)::int as used from pg_stat_activity where backend_type = 'client backend' and datname ~ '^app_' and datname <> 'app_console'`,
    );
    return { connections: rows[0]?.used ?? 0, share };
  };
  try {
    const none = await idle();
    const apps: RealtimeApp[] = [];
    for (let i = 1; i <= APPS; i++) {
      const app = await makeRealtimeApp(node, `idle-${i}`);
      await app.sql(NOTES);
      apps.push(app);
    }
    const unwatched = await idle();
    const watched = await withGenerator(async (generator) => {
      const config = { postgres_changes: [{ event: '*', schema: 'public', table: 'notes' }] };
      for (const app of apps.slice(0, WATCHED)) await generator.open(app.target({ topic: 'notes', config }), 1);
      return idle();
    });
    const line = (name: string, { connections, share }: Idle): string[] => [
      name,
      number(connections),
      `${(share * 100).toFixed(1)} %`,
    ];
    table(
      ['Idle apps with a published table', 'Connections to their databases', 'Processor time of the node, of a core'],
      [
        line('1 app', none),
        line(`${number(APPS)} apps, none watched`, unwatched),
        line(`${number(APPS)} apps, ${WATCHED} watched`, watched),
      ],
    );
  } finally {
    await watcher.end();
  }
}
