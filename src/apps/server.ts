import { Pool } from '../database/pool.ts';
import type { Target } from '../database/target.ts';

/** The PostgreSQL server that holds the apps, seen as its superuser. */
export interface Server {
  /** The superuser's login; `database` is the maintenance database. */
  readonly target: Target;
  /** AES key that seals the secrets of apps, 32 bytes. */
  readonly masterKey: Buffer;
  /** The limit sessionTemporaryBytes. */
  readonly temporaryBytes: number;
}

/** The superuser in another database of the server. Only Ninefold's own SQL may run there. */
export const superuserIn = (server: Server, database: string): Target => ({
  ...server.target,
  database,
  searchPath: '',
});

/** A few connections for rare work. */
export const smallPool = (target: Target, max = 2): Pool =>
  new Pool(target, { max, idleMilliseconds: 5000, waitMilliseconds: 15_000 });

/** A pool that lives as long as the work. */
export async function withPool<T>(target: Target, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = smallPool(target, 1);
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}
