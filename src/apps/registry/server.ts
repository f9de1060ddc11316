import type { ConnectionConfig } from '../../database/connection-config.ts';
import { Pool } from '../../database/pool.ts';

/** The PostgreSQL server that hosts the apps, with the data to log in as the superuser. */
export interface Server {
  /** Connection parameters of the superuser; `database` is the maintenance database. */
  readonly target: ConnectionConfig;
  /** AES key that encrypts the secrets of apps, 32 bytes. */
  readonly masterKey: Buffer;
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

/** Creates a pool with a few connections for rare work. */
export const smallPool = (target: ConnectionConfig, max = 2): Pool =>
  new Pool(target, { max, idleMilliseconds: 5000, waitMilliseconds: 15_000 });

/** Runs `work` with a pool that is closed afterwards. */
export async function withPool<T>(target: ConnectionConfig, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = smallPool(target, 1);
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}
