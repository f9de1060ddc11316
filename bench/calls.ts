import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { databaseUrl, makeApp } from './app.ts';
import { dataCases, type LimitOrder, type LimitReport } from './cases.ts';
import { CONNECTIONS, MILLISECONDS, median, number, ROUNDS, table, WORKERS } from './figures.ts';
import { type LoadResult, load, request } from './load.ts';
import { removeHome, startNode } from './node.ts';

export interface Row {
  name: string;
  result: LoadResult;
  limit: number;
}

/** Measures each call and its limit in the same run. */
export async function measureCalls(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const { app, member, headers } = await makeApp(node);
    const runtimeUrl = await databaseUrl(node, app);
    const rows: Row[] = [];
    for (const { name, calls } of dataCases(member.id)) {
      const bytes = calls.map((call) =>
        request(
          call.method,
          `/apps/bench/rest/v1${call.path}${call.query ? `?${call.query}` : ''}`,
          { ...headers, ...call.headers },
          call.body,
        ),
      );
      const claims = JSON.parse(Buffer.from(member.accessToken.split('.')[1] ?? '', 'base64url').toString()) as Record<
        string,
        unknown
      >;
      const identity = JSON.stringify({
        role: 'authenticated',
        claims,
        claimsJson: JSON.stringify(claims),
        userId: member.id,
        sessionId: null,
        source: 'token',
      });
      rows.push(
        await measureCase(
          name,
          () => {
            let turn = 0;
            return load({
              port: node.port,
              connections: CONNECTIONS,
              milliseconds: MILLISECONDS,
              next: () => bytes[turn++ % bytes.length] as Buffer,
            });
          },
          {
            kind: 'rest',
            calls: calls.map((call) => ({ ...call, headers: { ...headers, ...call.headers } })),
            identity,
            databaseUrl: runtimeUrl,
            concurrency: CONNECTIONS / WORKERS,
            milliseconds: MILLISECONDS,
          },
        ),
      );
    }
    printRows(rows);
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

/** Measures load and limit alternately, so that a change of the machine's speed affects both. */
export async function measureCase(
  name: string,
  run: () => Promise<LoadResult>,
  order: LimitOrder | (() => Promise<LimitOrder>),
): Promise<Row> {
  // A warm-up run: until the server's code is compiled and the plans are made, the times are not representative.
  await run();
  const results: LoadResult[] = [];
  const limits: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    limits.push(await limit(typeof order === 'function' ? await order() : order));
    results.push(await run());
  }
  results.sort((a, b) => a.perSecond - b.perSecond);
  const result = results[Math.floor(ROUNDS / 2)] as LoadResult;
  if (result.failed > 0) process.stderr.write(`${name}: ${result.failed} of ${result.requests} failed\n`);
  return { name, result, limit: median(limits) };
}

async function limit(order: LimitOrder): Promise<number> {
  const script = fileURLToPath(new URL('./limit-process.mjs', import.meta.url));
  const reports = await Promise.all(
    Array.from({ length: WORKERS }, (_, i) => {
      const own = <T>(list: readonly T[]) => list.slice(i * order.concurrency, (i + 1) * order.concurrency);
      const mine: LimitOrder =
        order.kind === 'refresh'
          ? { ...order, tokens: own(order.tokens) }
          : order.kind === 'sign-in'
            ? { ...order, emails: own(order.emails) }
            : order;
      return new Promise<LimitReport>((resolve, reject) => {
        const child = fork(script);
        child.once('message', (report) => resolve(report as LimitReport));
        child.once('exit', (code) => reject(new Error(`the limit process ended with ${code}`)));
        child.send(mine);
      });
    }),
  );
  return reports.reduce((sum, report) => sum + report.perSecond, 0);
}

export function printRows(rows: readonly Row[]): void {
  const lines = rows.map(({ name, result, limit }) => [
    name,
    number(result.perSecond),
    `${result.p50.toFixed(1)} ms`,
    `${result.p99.toFixed(1)} ms`,
    number(limit),
    `${Math.round((100 * result.perSecond) / limit)} %`,
  ]);
  table(['Case', 'Requests a second', 'p50', 'p99', 'Limit', 'Share of it'], lines);
}
