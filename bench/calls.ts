import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { databaseUrl, makeApp } from './app.ts';
import { dataCases, type LimitOrder, type LimitReport } from './cases.ts';
import { CONNECTIONS, MILLISECONDS, median, number, ROUNDS, table, WORKERS } from './figures.ts';
import { type LoadOptions, type LoadResult, load, request } from './load.ts';
import { type BenchNode, removeHome, startNode } from './node.ts';

export interface Row {
  name: string;
  result: NodeLoad;
  limit: number;
  /** Processor time in milliseconds that one call needs at the limit, which means without Ninefold. */
  limitProcessor: number;
}

/** The result of a load, with the processor time in milliseconds that the node used for each request. */
export type NodeLoad = LoadResult & { processorEach: number };

/** Runs a load and measures the processor time of the node. Other programs on the machine affect this time less than they affect a rate. */
export async function loadNode(node: BenchNode, options: Omit<LoadOptions, 'port'>): Promise<NodeLoad> {
  const before = node.allProcessorTime();
  const result = await load({ ...options, port: node.port });
  return { ...result, processorEach: (node.allProcessorTime() - before) / result.requests };
}

/** Measures each call and its limit (the same work without Ninefold) in the same run. */
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
          node,
          name,
          () => {
            let turn = 0;
            return loadNode(node, {
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

/** Measures a load and its limit in turns, so that a change of the machine's speed affects both. */
export async function measureCase(
  node: BenchNode,
  name: string,
  run: () => Promise<NodeLoad>,
  order: LimitOrder | (() => Promise<LimitOrder>),
): Promise<Row> {
  // A run to warm up. Until the server's code is compiled and its plans are made, times are not representative.
  await run();
  const results: NodeLoad[] = [];
  const limits: Limit[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    limits.push(await limit(node, typeof order === 'function' ? await order() : order));
    results.push(await run());
  }
  results.sort((a, b) => a.perSecond - b.perSecond);
  const result = {
    ...(results[Math.floor(ROUNDS / 2)] as NodeLoad),
    processorEach: median(results.map(({ processorEach }) => processorEach)),
  };
  if (result.failed > 0) process.stderr.write(`${name}: ${result.failed} of ${result.requests} failed\n`);
  return {
    name,
    result,
    limit: median(limits.map(({ perSecond }) => perSecond)),
    limitProcessor: median(limits.map(({ processorEach }) => processorEach)),
  };
}

interface Limit {
  perSecond: number;
  processorEach: number;
}

async function limit(node: BenchNode, order: LimitOrder): Promise<Limit> {
  const before = node.allProcessorTime();
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
  const sum = (value: (report: LimitReport) => number) => reports.reduce((all, report) => all + value(report), 0);
  const used = node.allProcessorTime() - before + sum(({ processorMilliseconds }) => processorMilliseconds);
  return { perSecond: sum(({ perSecond }) => perSecond), processorEach: used / sum(({ times }) => times.length) };
}

export function printRows(rows: readonly Row[]): void {
  const lines = rows.map(({ name, result, limit, limitProcessor }) => [
    name,
    number(result.perSecond),
    `${result.p50.toFixed(1)} ms`,
    `${result.p99.toFixed(1)} ms`,
    number(limit),
    `${Math.round((100 * result.perSecond) / limit)} %`,
    `${result.processorEach.toFixed(2)} ms`,
    `${limitProcessor.toFixed(2)} ms`,
  ]);
  const head = [
    'Case',
    'Requests a second',
    'p50',
    'p99',
    'Limit',
    'Share of it',
    'Processor time each',
    'At the limit',
  ];
  table(head, lines);
}
