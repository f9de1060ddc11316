import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AppConnection, SqlResponse } from '../contract/admin.ts';
import { limits } from '../contract/limits.ts';
import { schema } from './cases.ts';
import { admin, type BenchNode } from './node.ts';

export const PASSWORD = 'correct horse battery';
export const EMAIL = 'bench@example.com';

export interface BenchApp {
  app: AppConnection;
  member: { id: string; accessToken: string };
  /** Headers of a request that the member sends. */
  headers: Record<string, string>;
}

/** Creates an app that has the tables of the cases and one member. */
export async function makeApp(node: BenchNode): Promise<BenchApp> {
  const app = await admin<AppConnection>(node, 'POST', '/apps', { ref: 'bench' });
  // In the bench, one client sends the requests of many members, so the limit per client is raised.
  await admin(node, 'PUT', '/apps/bench/settings/rate_limit_token_refresh', {
    value: limits.refreshesPerNetwork.range[1],
  });
  const member = await signUp(app);
  await sql(node, app.ref, schema(member.id));
  const headers = { apikey: app.publishable_key, authorization: `Bearer ${member.accessToken}` };
  return { app, member, headers };
}

export const sql = (node: BenchNode, ref: string, text: string): Promise<SqlResponse> =>
  admin<SqlResponse>(node, 'POST', `/apps/${ref}/sql`, { sql: text });

async function signUp(app: AppConnection): Promise<BenchApp['member']> {
  const session = await auth<{ access_token: string; user: { id: string } }>(app, '/signup', {
    email: EMAIL,
    password: PASSWORD,
  });
  return { id: session.user.id, accessToken: session.access_token };
}

export async function auth<T>(app: AppConnection, path: string, body: unknown): Promise<T> {
  const headers = { apikey: app.publishable_key, 'content-type': 'application/json' };
  const response = await fetch(`${app.url}/auth/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/**
 * Returns the URL with which the app's database is reached over the Unix socket. The node reaches it in the same way,
 * so the limit is measured under the same conditions.
 */
export async function databaseUrl(node: BenchNode, app: AppConnection): Promise<string> {
  const status = await admin<{ database_url: string }>(node, 'GET', '/status');
  const url = new URL(status.database_url);
  url.pathname = `/app_${app.ref}`;
  const folder = join(node.home, 'postgres');
  if (existsSync(join(folder, `.s.PGSQL.${url.port}`))) url.searchParams.set('host', folder);
  return url.href;
}
