import { afterAll, beforeAll } from 'vitest';
import { type ConnectionConfig, parseConnectionUrl } from '../../src/database/connection-config.ts';
import type { Host } from '../../src/database/host.ts';
import { Pool, type PoolOptions } from '../../src/database/pool.ts';
import type { Statement } from '../../src/database/statement.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

export const poolDefaults: PoolOptions = { max: 4, idleMilliseconds: 60_000, waitMilliseconds: 30_000 };

/** The PostgreSQL of a test file, with a function that opens pools of connections to it. */
export interface Pools {
  target(): ConnectionConfig;
  /** Runs `work` with a pool, and then closes the pool. Options that are not given have the values of `poolDefaults`. */
  withPool<T>(work: (pool: Pool) => Promise<T>, options?: Partial<PoolOptions>): Promise<T>;
}

/** Starts a PostgreSQL before all tests of the calling file, and stops it after them. */
export function pools(name: string): Pools {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres(name);
  });
  afterAll(() => postgres.stop());
  const target = () => parseConnectionUrl(postgres.url, 'test');
  return {
    target,
    withPool: async (work, options = {}) => {
      const pool = new Pool(target(), { ...poolDefaults, ...options });
      try {
        return await work(pool);
      } finally {
        await pool.close();
      }
    },
  };
}

export const query = (text: string, ...params: (string | null)[]): Statement => ({ text, params });
export const prepared = (text: string, ...params: (string | null)[]): Statement => ({
  text,
  params,
  planKey: 'test',
});

/** Runs a statement and returns the first value of its first row. */
export async function value(pool: Pool, statement: Statement): Promise<string | null> {
  const [result] = await pool.run([statement]);
  return result?.rows[0]?.[0]?.toString('utf8') ?? null;
}

/** Returns the only host of a server. */
export function hostOf({ address: { hosts } }: ConnectionConfig): Host {
  const [host] = hosts;
  if (!host || hosts.length > 1) throw new Error(`The server has ${hosts.length} hosts.`);
  return host;
}

/** Returns the connection parameters for another port of 127.0.0.1, without a Unix socket. */
export const targetAt = (target: ConnectionConfig, ...ports: number[]): ConnectionConfig => ({
  ...target,
  address: { ...target.address, socketFolder: null, hosts: ports.map((port) => ({ host: '127.0.0.1', port })) },
});
