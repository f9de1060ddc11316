import type { AppConnection, CreateAppRequest, SqlResponse } from '../../contract/admin.ts';
import type { NodeAddress } from './node.ts';
import { uniqueRef } from './unique.ts';

/**
 * Sends one request to the management API with the operator's token.
 * @param path Path below `/admin/v1`.
 * @throws Error with status and body if the status is not 2xx
 */
export async function admin<T>(node: NodeAddress, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${node.url}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${node.operatorToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} /admin/v1${path}: ${response.status} ${text}`);
  return text === '' ? (undefined as T) : JSON.parse(text);
}

export interface AppOptions extends Partial<CreateAppRequest> {
  /** Ref of an app to clone. Cloning is much faster than creating the same tables again. */
  from?: string;
}

/** Creates an app with a unique ref. The app is empty, or a clone of `from`. */
export function createApp(
  node: NodeAddress,
  { from, ref = uniqueRef(), ...rest }: AppOptions = {},
): Promise<AppConnection> {
  return admin(node, 'POST', from === undefined ? '/apps' : `/apps/${from}/clone`, { ref, ...rest });
}

/** Creates an app and runs SQL in it. Each test then clones this app, which is faster than running the SQL again. */
export function createTemplate(node: NodeAddress, sql: string): Promise<AppConnection> {
  return createAppWith(node, sql, { ref: uniqueRef('template') });
}

/** Creates an app and runs SQL in it. */
export async function createAppWith(node: NodeAddress, sql: string, options: AppOptions = {}): Promise<AppConnection> {
  const app = await createApp(node, options);
  await runSql(node, app.ref, sql);
  return app;
}

export function deleteApp(node: NodeAddress, ref: string): Promise<void> {
  return admin(node, 'DELETE', `/apps/${ref}`, { confirm: ref });
}

/** Runs SQL as the app's owner, in the same way as the console's SQL page. */
export function runSql(node: NodeAddress, ref: string, sql: string): Promise<SqlResponse> {
  return admin(node, 'POST', `/apps/${ref}/sql`, { sql });
}

/**
 * Sends a request to the app, so that a worker listens to its database. Only then are mails, jobs and HTTP requests of
 * the app processed as soon as they are queued.
 */
export async function openApp(app: AppConnection): Promise<void> {
  const response = await fetch(`${app.url}/auth/v1/settings`, { headers: { apikey: app.publishable_key } });
  if (!response.ok) throw new Error(`${app.ref}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
