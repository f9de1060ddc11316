import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { rowsAsText } from '../database/statement.ts';

/** The scheduled work of all apps gets one of this many connections, and at least as many as one app may use. */
const SCHEDULED_PART = 16;
const LEAST_SCHEDULED = 2;

/**
 * Connections of one worker that the budget does not count: the superuser's pools, listeners, and the rare connections
 * of apps' owners.
 */
const UNCOUNTED_PER_WORKER = 24;
/** Connections of the primary and of an operator, which the budget does not count either. */
const UNCOUNTED_PER_NODE = 8;
/**
 * The minimum number of connections with which a worker can serve requests: two connections and the listener of one
 * app, and a connection for another app that is being opened.
 */
const LEAST = 4;

/** Returns the maximum number of connections of roles that are not superusers. */
export async function readConnectionLimit(maintenance: Executor): Promise<number> {
  const [result] = await maintenance.run([
    {
      text: `select pg_catalog.current_setting('max_connections')::int
               - pg_catalog.current_setting('superuser_reserved_connections')::int as most`,
      params: [],
    },
  ]);
  return Number(result && rowsAsText(result)[0]?.most);
}

/**
 * Returns the maximum number of connections of one worker to the databases of apps, the number of connections up to
 * which idle connections stay open, and the maximum number of connections of the worker that leads for scheduled work.
 * @param serverLimit Maximum number of connections of the server.
 * @param nodeConnections Maximum number of connections of the node.
 * @param nodes Number of nodes that share the server.
 */
export function connectionShare(
  serverLimit: number,
  nodeConnections: number,
  workers: number,
  nodes: number,
): { max: number; idle: number; scheduled: number } {
  const free = Math.floor(serverLimit / nodes) - UNCOUNTED_PER_NODE - workers * UNCOUNTED_PER_WORKER;
  const all = Math.min(nodeConnections, free);
  const wanted = Math.min(limits.scheduledWorkConnections.default, Math.floor(all / SCHEDULED_PART));
  const scheduled = Math.max(LEAST_SCHEDULED, wanted);
  const share = (connections: number): number => Math.max(LEAST, Math.floor(connections / workers));
  return { max: share(all - scheduled), idle: share(limits.idleConnections.default), scheduled };
}
