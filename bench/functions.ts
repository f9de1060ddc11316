import type { AppConnection } from '../contract/admin.ts';
import type { FunctionLogLine } from '../contract/functions.ts';
import { CONNECTIONS, MILLISECONDS, number, ROUNDS, table, WORKERS } from './figures.ts';
import { type LoadResult, load, request } from './load.ts';
import { admin, type BenchNode, removeHome, startNode } from './node.ts';

/** Number of apps that are called in turn. */
const APPS = 100;
/** Calls that each find the process of their app stopped. */
const COLD_CALLS = 15;
const NAME = 'hello';
const CODE = 'Deno.serve(async (request) => Response.json({ message: "Hello " + (await request.json()).name }));';
const BODY = '{"name":"Ada"}';

/** Measures calls of edge functions: warm ones, the first ones of an idle app, and those of many apps in turn. */
export async function measureFunctions(): Promise<void> {
  const node = await startNode({ workers: WORKERS, env: { NINEFOLD_FUNCTION_IDLE_SECONDS: '600' } });
  try {
    const app = await appWithFunction(node, 'bench');
    await warm(node, app);
    await cold(node, app);
    await inTurn(node, app);
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

async function appWithFunction(node: BenchNode, ref: string): Promise<AppConnection> {
  const app = await admin<AppConnection>(node, 'POST', '/apps', { ref });
  await admin(node, 'PUT', `/apps/${ref}/functions/${NAME}`, { files: { 'index.ts': CODE }, entrypoint: 'index.ts' });
  return app;
}

const requestOf = (app: AppConnection): Buffer =>
  request(
    'POST',
    `/apps/${app.ref}/functions/v1/${NAME}`,
    { apikey: app.publishable_key, 'content-type': 'application/json' },
    BODY,
  );

async function warm(node: BenchNode, app: AppConnection): Promise<void> {
  const bytes = requestOf(app);
  const rounds = async (connections: number): Promise<LoadResult[]> => {
    const results: LoadResult[] = [];
    // The first round is not counted, because it compiles the code.
    for (let i = 0; i <= ROUNDS; i++) {
      const result = await load({ port: node.port, connections, milliseconds: MILLISECONDS, next: () => bytes });
      if (i > 0) results.push(result);
    }
    return results.sort((a, b) => a.perSecond - b.perSecond);
  };
  const rows: string[][] = [];
  for (const connections of [1, CONNECTIONS]) {
    const results = await rounds(connections);
    const middle = results[Math.floor(results.length / 2)] as LoadResult;
    rows.push([
      String(connections),
      number(middle.perSecond),
      `${middle.p50.toFixed(2)} ms`,
      `${middle.p99.toFixed(1)} ms`,
      number(middle.failed),
    ]);
  }
  table(['Warm calls, connections', 'Calls a second', 'p50', 'p99', 'Failed'], rows);
}

/** Deploys before each call, so that another process must start. */
async function cold(node: BenchNode, app: AppConnection): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < COLD_CALLS; i++) {
    await admin(node, 'PUT', `/apps/${app.ref}/functions/${NAME}`, {
      files: { 'index.ts': `${CODE}\n// ${i}` },
      entrypoint: 'index.ts',
    });
    times.push(await timeOf(node, app));
  }
  const lines = await admin<FunctionLogLine[]>(node, 'GET', `/apps/${app.ref}/function-logs`);
  const starts = lines.flatMap(({ milliseconds }) => (milliseconds === null ? [] : [milliseconds]));
  table(
    ['First calls', 'Median', 'Slowest', 'Start of the process, median'],
    [
      [
        String(times.length),
        `${median(times).toFixed(0)} ms`,
        `${Math.max(...times).toFixed(0)} ms`,
        `${median(starts).toFixed(0)} ms`,
      ],
    ],
  );
}

async function inTurn(node: BenchNode, app: AppConnection): Promise<void> {
  const before = node.memory();
  const deno = () => [...node.residentMemory('deno').values()].reduce((sum, bytes) => sum + bytes, 0);
  const times: number[] = [];
  let most = 0;
  let processes = 0;
  for (let i = 0; i < APPS; i++) {
    const clone = await admin<AppConnection>(node, 'POST', `/apps/${app.ref}/clone`, { ref: `turn-${i}` });
    times.push(await timeOf(node, clone));
    most = Math.max(most, deno());
    processes = Math.max(processes, node.residentMemory('deno').size);
  }
  const mebibytes = (bytes: number) => `${number(bytes / 2 ** 20)} MiB`;
  table(
    [
      'Apps in turn',
      'First call, median',
      'Processes at most',
      'Resident memory of them at most',
      'Memory of the node before',
    ],
    [[String(APPS), `${median(times).toFixed(0)} ms`, String(processes), mebibytes(most), mebibytes(before)]],
  );
}

async function timeOf(node: BenchNode, app: AppConnection): Promise<number> {
  const started = performance.now();
  const response = await fetch(`${node.url}/apps/${app.ref}/functions/v1/${NAME}`, {
    method: 'POST',
    headers: { apikey: app.publishable_key },
    body: BODY,
  });
  await response.text();
  if (!response.ok) throw new Error(`a function answered ${response.status}`);
  return performance.now() - started;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
