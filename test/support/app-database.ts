import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConnectionConfig, parseConnectionUrl } from '../../src/database/connection-config.ts';
import { Pool } from '../../src/database/pool.ts';
import { clone } from './clone.ts';
import { type Seed, startPostgres } from './postgres.ts';

export interface AppDatabase {
  /** Pool of connections that are logged in as the superuser. */
  pool: Pool;
  /** The parameters of a connection as the superuser. */
  target: ConnectionConfig;
  /** Returns a pool that logs in as another role of this database. */
  as(role: string): Pool;
  stop(): Promise<void>;
}

const options = { max: 2, idleMilliseconds: 5000, waitMilliseconds: 10_000 };

const numbered = readdirSync(join(clone, 'src/schema')).filter((file) => /^\d+_.*\.sql$/.test(file));
const files = ['cluster.sql', ...numbered.sort()].map((file) => `src/schema/${file}`);

/**
 * Content of a cluster: its roles, Ninefold's schemas, and the roles of an app. `files` includes this file, because its
 * SQL is part of the content.
 */
const seed: Seed = {
  files: [...files, 'test/support/app-database.ts'],
  plant: async (url) => {
    const target = parseConnectionUrl(url, 'seed');
    const pool = new Pool(target, options);
    for (const file of files) await pool.script(readFileSync(join(clone, file), 'utf8'));
    await pool.script(`
      create role app_owner login password 'secret';
      create role app_authenticator login noinherit password 'secret';
      create role app_server login password 'secret';
      grant authenticator to app_authenticator;
      grant ninefold_server to app_server;
      grant anon, authenticated, service_role to app_owner;
      alter database ${target.database} owner to app_owner;
      grant connect, temporary on database ${target.database} to app_authenticator;
      grant connect on database ${target.database} to app_server;`);
    await pool.close();
  },
};

/**
 * Starts a PostgreSQL with a database like that of every app: the cluster's roles, Ninefold's schemas, the owner
 * `app_owner`, and the login roles `app_authenticator` and `app_server`. It is for tests that read the catalog.
 */
export async function startAppDatabase(name: string): Promise<AppDatabase> {
  const postgres = await startPostgres(name, { seed });
  const target = parseConnectionUrl(postgres.url, name);
  const pool = new Pool(target, options);
  const pools = [pool];
  return {
    pool,
    target,
    as: (user) => {
      const other = new Pool({ ...target, user, password: 'secret' }, options);
      pools.push(other);
      return other;
    },
    stop: async () => {
      for (const open of pools) await open.close();
      await postgres.stop();
    },
  };
}

/**
 * Runs SQL in a transaction on a connection of the pool. `Pool.script` opens a connection for each script, which takes
 * longer than most scripts of a test. The SQL must not leave changed settings behind.
 */
export const scriptIn = (pool: Pool, sql: string): Promise<unknown> => pool.transaction((tx) => tx.script(sql));
