/**
 * Starts a node and measures it: each case with the limit of the same run beside it. Prints a Markdown table, as
 * docs/performance.md shows it. Medians of three rounds.
 */
import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { AppConnection, SqlResponse } from '../contract/admin.ts';
import { dataCases, type LimitOrder, type LimitReport, schema } from './cases.ts';
import { type LoadResult, load, request } from './load.ts';
import { admin, type BenchNode, removeHome, startNode } from './node.ts';

const WORKERS = 2;
const CONNECTIONS = 32;
const ROUNDS = 3;
const MILLISECONDS = 5000;
const PASSWORD = 'correct horse battery';
const EMAIL = 'bench@example.com';

interface Row {
  name: string;
  result: LoadResult;
  limit: number;
}

const only = process.argv[2];
mkdirSync('.tmp/bench', { recursive: true });
process.stdout.write(
  `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node.js ${process.versions.node}, ${WORKERS} workers, ${CONNECTIONS} connections\n\n`,
);
if (!only || only === 'calls') await measureCalls();
if (!only || only === 'start') await measureStart();

async function measureCalls(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const app = await admin<AppConnection>(node, 'POST', '/apps', { ref: 'bench' });
    const member = await signUp(app);
    await admin<SqlResponse>(node, 'POST', `/apps/${app.ref}/sql`, { sql: schema(member.id) });
    const runtimeUrl = await authenticatorUrl(node, app);
    const rows: Row[] = [];
    for (const { name, calls } of dataCases(member.id)) {
      const headers = { apikey: app.publishable_key, authorization: `Bearer ${member.accessToken}` };
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
    const signIn = request(
      'POST',
      '/apps/bench/auth/v1/token?grant_type=password',
      { apikey: app.publishable_key, 'content-type': 'application/json' },
      JSON.stringify({ email: EMAIL, password: PASSWORD }),
    );
    rows.push(
      await measureCase(
        'sign in',
        () => load({ port: node.port, connections: 8, milliseconds: MILLISECONDS, next: () => signIn }),
        {
          kind: 'sign-in',
          email: EMAIL,
          password: PASSWORD,
          databaseUrl: runtimeUrl,
          concurrency: 4,
          milliseconds: MILLISECONDS,
        },
      ),
    );
    rows.push(
      await measureCase(
        'refresh',
        () => refreshAll(node, app),
        async () => ({
          kind: 'refresh',
          tokens: await refreshTokensOf(app),
          databaseUrl: runtimeUrl,
          concurrency: CONNECTIONS / WORKERS,
          milliseconds: MILLISECONDS,
        }),
      ),
    );
    print(rows);
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

async function measureStart(): Promise<void> {
  const first = await startNode();
  await first.stop();
  const second: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const again = await startNode({ home: first.home });
    second.push(again.startMilliseconds);
    await again.stop();
  }
  const node = await startNode({ home: first.home });
  const create: number[] = [];
  const times = { one: 0, many: 0 };
  for (let i = 1; i <= 200; i++) {
    const started = performance.now();
    await admin(node, 'POST', '/apps', { ref: `app-${i}` });
    create.push(performance.now() - started);
    if (i === 1) {
      await idle(node, 'app-1');
      times.one = node.memory();
    }
  }
  await idle(node, 'app-1');
  times.many = node.memory();
  const big = `create table public.filler as select g as id, repeat('x', 1000) as pad from generate_series(1, 48000) g`;
  await admin(node, 'POST', '/apps/app-1/sql', { sql: big });
  const clone: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const started = performance.now();
    await admin(node, 'POST', '/apps/app-1/clone', { ref: `copy-${i}` });
    clone.push(performance.now() - started);
  }
  await node.stop();
  removeHome(first.home);
  const lines = [
    ['First start, nothing there, to the first answer', `${first.startMilliseconds.toFixed(0)} ms`],
    ['Second start, to the first answer', `${median(second).toFixed(0)} ms`],
    ['A new app', `${median(create).toFixed(0)} ms (slowest of 200: ${Math.max(...create).toFixed(0)} ms)`],
    ['Clone of an app of 50 MB', `${median(clone).toFixed(0)} ms`],
    ['Memory of all processes, idle, 1 app', `${(times.one / 1e6).toFixed(0)} MB`],
    ['Memory of all processes, idle, 200 apps', `${(times.many / 1e6).toFixed(0)} MB`],
  ];
  process.stdout.write(
    `| What | Measured |\n| --- | --- |\n${lines.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}\n`,
  );
}

/** Waits until no app holds a connection any more. */
async function idle(node: BenchNode, ref: string): Promise<void> {
  const sql = `select count(*) from pg_stat_activity where datname like 'app\\_%' and datname not in ('app_console', 'app_${ref}')`;
  for (;;) {
    const { results } = await admin<SqlResponse>(node, 'POST', `/apps/${ref}/sql`, { sql });
    if (results[0]?.rows[0]?.[0] === '0') return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Load and limit take turns, so that a change of the machine's mood meets both. */
async function measureCase(
  name: string,
  run: () => Promise<LoadResult>,
  order: LimitOrder | (() => Promise<LimitOrder>),
): Promise<Row> {
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
      const mine: LimitOrder =
        order.kind === 'refresh'
          ? { ...order, tokens: order.tokens.slice(i * order.concurrency, (i + 1) * order.concurrency) }
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

async function signUp(app: AppConnection): Promise<{ id: string; accessToken: string }> {
  const session = await auth<{ access_token: string; user: { id: string } }>(app, '/signup', {
    email: EMAIL,
    password: PASSWORD,
  });
  return { id: session.user.id, accessToken: session.access_token };
}

/** A refresh token for each connection; a token is good for one exchange, so every round needs its own. */
function refreshTokensOf(app: AppConnection): Promise<string[]> {
  const one = () =>
    auth<{ refresh_token: string }>(app, '/token?grant_type=password', { email: EMAIL, password: PASSWORD });
  return Promise.all(Array.from({ length: CONNECTIONS }, async () => (await one()).refresh_token));
}

async function refreshAll(node: BenchNode, app: AppConnection): Promise<LoadResult> {
  const tokens = await refreshTokensOf(app);
  return load({
    port: node.port,
    connections: CONNECTIONS,
    milliseconds: MILLISECONDS,
    next: (id) =>
      request(
        'POST',
        `/apps/${app.ref}/auth/v1/token?grant_type=refresh_token`,
        { apikey: app.publishable_key, 'content-type': 'application/json' },
        JSON.stringify({ refresh_token: tokens[id] }),
      ),
    onBody: (id, body) => {
      tokens[id] = (JSON.parse(body) as { refresh_token: string }).refresh_token;
    },
  });
}

async function auth<T>(app: AppConnection, path: string, body: unknown): Promise<T> {
  const headers = { apikey: app.publishable_key, 'content-type': 'application/json' };
  const response = await fetch(`${app.url}/auth/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** The login that the node itself uses for the app: the limit is measured with the same rights. */
async function authenticatorUrl(node: BenchNode, app: AppConnection): Promise<string> {
  const status = await admin<{ database_url: string }>(node, 'GET', '/status');
  const url = new URL(status.database_url);
  url.pathname = `/app_${app.ref}`;
  return url.href;
}

function print(rows: readonly Row[]): void {
  const lines = rows.map(({ name, result, limit }) =>
    [
      name,
      number(result.perSecond),
      `${result.p50.toFixed(1)} ms`,
      `${result.p99.toFixed(1)} ms`,
      number(limit),
      `${Math.round((100 * result.perSecond) / limit)} %`,
    ].join(' | '),
  );
  process.stdout.write(
    `| Case | Requests a second | p50 | p99 | Limit | Share of it |\n| --- | ---: | ---: | ---: | ---: | ---: |\n${lines.map((line) => `| ${line} |`).join('\n')}\n\n`,
  );
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
