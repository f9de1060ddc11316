import type { AppConnection } from '../contract/admin.ts';
import { auth, databaseUrl, EMAIL, makeApp, PASSWORD } from './app.ts';
import { loadNode, measureCase, type NodeLoad, printRows, type Row } from './calls.ts';
import { dataCases } from './cases.ts';
import { CONNECTIONS, MILLISECONDS, median, number, ROUNDS, table, WORKERS } from './figures.ts';
import { type LoadResult, load, request } from './load.ts';
import { type BenchNode, removeHome, startNode } from './node.ts';

/** Number of connections that sign in. With eight, every processor is busy with password hashes. */
const SIGN_IN_CONNECTIONS = 8;

/** Measures sign-in and the refresh of tokens. Compares sign-in with the same SQL and hash without HTTP, and with the hash alone. */
export async function measureAuth(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const { app } = await makeApp(node);
    const runtimeUrl = await databaseUrl(node, app);
    const rows: Row[] = [];
    const { emails, requests } = await signInRequests(app);
    const signIns = () =>
      loadNode(node, {
        connections: SIGN_IN_CONNECTIONS,
        milliseconds: MILLISECONDS,
        next: (id) => requests[id] as Buffer,
      });
    const order = {
      emails,
      password: PASSWORD,
      databaseUrl: runtimeUrl,
      concurrency: SIGN_IN_CONNECTIONS / WORKERS,
      milliseconds: MILLISECONDS,
    };
    rows.push(await measureCase(node, 'sign in, beside its hash and SQL', signIns, { kind: 'sign-in', ...order }));
    rows.push(await measureCase(node, 'sign in, beside the hash alone', signIns, { kind: 'hash', ...order }));
    rows.push(
      await measureCase(
        node,
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
    printRows(rows);
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

/** Number of connections that sign in at the same time. This is more than the queues of both workers can hold. */
const FLOOD_CONNECTIONS = 200;
const READ_CONNECTIONS = 16;

/**
 * Measures requests that read one row. Measures them alone, and while so many members sign in that the node cannot hash
 * all their passwords in time.
 */
export async function measureFlood(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const { app, member, headers } = await makeApp(node);
    const { requests } = await signInRequests(app);
    const [byKey] = dataCases(member.id);
    const reads = (byKey?.calls ?? []).map(({ path, query }) =>
      request('GET', `/apps/bench/rest/v1${path}?${query}`, headers),
    );
    let turn = 0;
    const options = { port: node.port, milliseconds: MILLISECONDS };
    const read = () =>
      load({ ...options, connections: READ_CONNECTIONS, next: () => reads[turn++ % reads.length] as Buffer });
    const flood = () =>
      load({ ...options, connections: FLOOD_CONNECTIONS, next: (id) => requests[id % requests.length] as Buffer });
    await Promise.all([read(), flood()]);
    const alone: LoadResult[] = [];
    const beside: LoadResult[] = [];
    const floods: LoadResult[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      alone.push(await read());
      const [reading, flooding] = await Promise.all([read(), flood()]);
      beside.push(reading);
      floods.push(flooding);
    }
    const row = (name: string, results: readonly LoadResult[], value: (result: LoadResult) => number): string[] => [
      name,
      number(median(results.map(value))),
      `${median(results.map(({ p50 }) => p50)).toFixed(1)} ms`,
      `${median(results.map(({ p99 }) => p99)).toFixed(1)} ms`,
      results.map(({ p99 }) => p99.toFixed(1)).join(', '),
      number(median(results.map(({ failed }) => failed))),
    ];
    const perSecond = ({ perSecond: value }: LoadResult) => value;
    table(
      ['Calls', 'A second', 'p50', 'p99', 'p99 of each round', 'Other than 2xx'],
      [
        row('reads alone', alone, perSecond),
        row(`reads beside ${FLOOD_CONNECTIONS} sign-ins at once`, beside, perSecond),
        row('of these sign-ins, done', floods, ({ requests: all, failed }) => ((all - failed) / MILLISECONDS) * 1000),
      ],
    );
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

/**
 * Signs up a member for each connection, because sign-ins of one member would wait for each other's write to the disk.
 */
async function signInRequests(app: AppConnection): Promise<{ emails: string[]; requests: Buffer[] }> {
  const emails = Array.from({ length: SIGN_IN_CONNECTIONS }, (_, i) => `member-${i}@example.com`);
  for (const email of emails) await auth(app, '/signup', { email, password: PASSWORD });
  const headers = { apikey: app.publishable_key, 'content-type': 'application/json' };
  const path = `/apps/${app.ref}/auth/v1/token?grant_type=password`;
  const requests = emails.map((email) => request('POST', path, headers, JSON.stringify({ email, password: PASSWORD })));
  return { emails, requests };
}

/** Returns a refresh token for each connection. A token can be exchanged only once, so every round needs new tokens. */
function refreshTokensOf(app: AppConnection): Promise<string[]> {
  const one = () =>
    auth<{ refresh_token: string }>(app, '/token?grant_type=password', { email: EMAIL, password: PASSWORD });
  return Promise.all(Array.from({ length: CONNECTIONS }, async () => (await one()).refresh_token));
}

async function refreshAll(node: BenchNode, app: AppConnection): Promise<NodeLoad> {
  const tokens = await refreshTokensOf(app);
  return loadNode(node, {
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
