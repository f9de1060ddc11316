import type { RightName } from '../../../contract/server-rights.ts';
import type { ConnectionConfig } from '../../database/connection-config.ts';
import { Pool } from '../../database/pool.ts';
import type { AppRecord } from './app-record.ts';

/** How long a connection for rare work stays open, and how long work waits for a connection. */
const IDLE_MILLISECONDS = 5000;
const WAIT_MILLISECONDS = 15_000;

/**
 * The PostgreSQL server that hosts the apps, with the data to log in as the superuser. On a managed server the login is no superuser,
 * but it creates and owns all databases and roles of the node.
 */
export interface Server {
  /** Connection parameters of the superuser; `database` is the maintenance database. */
  readonly target: ConnectionConfig;
  /** True if the node runs the server, so that no other program uses its databases. */
  readonly isEmbedded: boolean;
  /** AES key that encrypts the secrets of apps, 32 bytes. */
  readonly masterKey: Buffer;
  /** The rights of a superuser that the login lacks; empty for a superuser. */
  readonly missingRights: readonly RightName[];
  /** The limit sessionTemporaryBytes. */
  readonly temporaryBytes: number;
}

/**
 * Returns the superuser's connection parameters for another database of the server. Only Ninefold's own SQL may run
 * there.
 */
export const superuserIn = (server: Server, database: string): ConnectionConfig => ({
  ...server.target,
  database,
  searchPath: '',
});

/** Returns the server of an app. @param own The server of the console. */
export const serverOf = (own: Server, { host }: Pick<AppRecord, 'host'>): Server =>
  host ? { ...own, ...host, isEmbedded: false } : own;

/** Creates a pool with a few connections for rare work. */
export const smallPool = (target: ConnectionConfig, max = 2): Pool =>
  new Pool(target, { max, idleMilliseconds: IDLE_MILLISECONDS, waitMilliseconds: WAIT_MILLISECONDS });

/** Runs `work` with a pool that is closed afterwards. */
export async function withPool<T>(target: ConnectionConfig, work: (pool: Pool) => Promise<T>, max = 1): Promise<T> {
  const pool = smallPool(target, max);
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}
