import pg from 'pg';
import type { NodeStatus } from '../../contract/admin.ts';
import { admin } from './apps.ts';
import type { NodeAddress } from './node.ts';

/** Opens a connection with the `pg` driver, as any program that knows the URL can do. Closes the connection after `work`. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs a statement. Returns its rows, or its SQLSTATE if it failed. */
export async function outcomeOf(client: pg.Client, sql: string): Promise<string | unknown[]> {
  try {
    const result: pg.QueryResult | pg.QueryResult[] = await client.query(sql);
    const last = Array.isArray(result) ? result.at(-1) : result;
    return last?.rows ?? [];
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.code ?? '';
    throw error;
  }
}

export const inDatabase = (url: string, database: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
};

/** Returns the superuser's URL for a database of the node's server. */
export async function superuserUrl(node: NodeAddress, database: string): Promise<string> {
  const { database_url: url } = await admin<NodeStatus>(node, 'GET', '/status');
  if (url === null) throw new Error('the operator gets no URL');
  return inDatabase(url, database);
}

/**
 * Returns a URL that reaches the node's server over its Unix socket, if it has one. Such a connection does not pass the
 * proxy that limits logins over TCP.
 */
export async function overSocket(node: NodeAddress, url: string): Promise<string> {
  const changed = new URL(url);
  // The socket of the embedded server is in its data folder.
  const folder: string | null = await withClient(await superuserUrl(node, 'postgres'), async (client) => {
    const { rows } = await client.query(`select current_setting('data_directory') as folder where exists (
      select from pg_settings where name = 'unix_socket_directories' and setting = '.')`);
    return rows[0]?.folder ?? null;
  });
  if (folder !== null) changed.searchParams.set('host', folder);
  return changed.href;
}
