import { makeApp, sql } from './app.ts';
import { dataCases } from './cases.ts';
import { CONNECTIONS, MILLISECONDS, median, number, ROUNDS, table, WORKERS } from './figures.ts';
import { type LoadResult, load, request } from './load.ts';
import { removeHome, startNode } from './node.ts';

/** Number of connections that send slow requests, one after the other. */
const SLOW_CONNECTIONS = Math.round(CONNECTIONS * 0.05);
const SLEEP = 'create function public.nap() returns int volatile language sql as $$ select 1 from pg_sleep(0.2) $$';

/**
 * Measures how slow requests affect fast ones. Measures the same fast requests alone, and while 5 % of the connections
 * send requests that sleep for 200 ms.
 */
export async function measureMixed(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const { member, headers } = await makeApp(node);
    await sql(node, 'bench', SLEEP);
    const [byKey] = dataCases(member.id);
    const fast = (byKey?.calls ?? []).map(({ path, query }) =>
      request('GET', `/apps/bench/rest/v1${path}?${query}`, headers),
    );
    const slow = request('POST', '/apps/bench/rest/v1/rpc/nap', headers, '');
    let turn = 0;
    const fastLoad = (connections: number): Promise<LoadResult> =>
      load({
        port: node.port,
        connections,
        milliseconds: MILLISECONDS,
        next: () => fast[turn++ % fast.length] as Buffer,
      });
    const slowLoad = (): Promise<LoadResult> =>
      load({ port: node.port, connections: SLOW_CONNECTIONS, milliseconds: MILLISECONDS, next: () => slow });
    const connections = CONNECTIONS - SLOW_CONNECTIONS;
    await fastLoad(connections);
    const alone: LoadResult[] = [];
    const beside: LoadResult[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      alone.push(await fastLoad(connections));
      const [result] = await Promise.all([fastLoad(connections), slowLoad()]);
      beside.push(result);
    }
    const row = (name: string, results: LoadResult[]): string[] => [
      name,
      number(median(results.map((each) => each.perSecond))),
      `${median(results.map((each) => each.p50)).toFixed(1)} ms`,
      `${median(results.map((each) => each.p99)).toFixed(1)} ms`,
    ];
    table(
      ['Fast calls', 'Requests a second', 'p50', 'p99'],
      [row('alone', alone), row(`while ${SLOW_CONNECTIONS} of ${CONNECTIONS} connections sleep`, beside)],
    );
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}
