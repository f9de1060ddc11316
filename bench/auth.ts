import type { AppConnection } from '../contract/admin.ts';
import { auth, databaseUrl, EMAIL, makeApp, PASSWORD } from './app.ts';
import { measureCase, printRows, type Row } from './calls.ts';
import { CONNECTIONS, MILLISECONDS, WORKERS } from './figures.ts';
import { type LoadResult, load, request } from './load.ts';
import { type BenchNode, removeHome, startNode } from './node.ts';

/** Connections that sign in, which are enough to keep every processor busy with hashes. */
const SIGN_IN_CONNECTIONS = 8;

/** Measures sign-in, beside the same SQL with its hash and beside the hash alone, and refresh. */
export async function measureAuth(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const { app } = await makeApp(node);
    const runtimeUrl = await databaseUrl(node, app);
    const rows: Row[] = [];
    // Sign-ins of one member wait for each other's write to the disk, so each connection signs another member in.
    const emails = Array.from({ length: SIGN_IN_CONNECTIONS }, (_, i) => `member-${i}@example.com`);
    for (const email of emails) await auth(app, '/signup', { email, password: PASSWORD });
    const requests = emails.map((email) =>
      request(
        'POST',
        '/apps/bench/auth/v1/token?grant_type=password',
        { apikey: app.publishable_key, 'content-type': 'application/json' },
        JSON.stringify({ email, password: PASSWORD }),
      ),
    );
    const signIns = () =>
      load({
        port: node.port,
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
    rows.push(await measureCase('sign in, beside its hash and SQL', signIns, { kind: 'sign-in', ...order }));
    rows.push(await measureCase('sign in, beside the hash alone', signIns, { kind: 'hash', ...order }));
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
    printRows(rows);
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

/** Returns a refresh token for each connection. A token can be exchanged once, so every round needs new ones. */
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
