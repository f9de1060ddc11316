import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from '../../src/database/pool.ts';
import { parseTarget } from '../../src/database/target.ts';
import { clone } from './clone.ts';
import { startPostgres } from './postgres.ts';

export interface AppDatabase {
  /** The superuser. */
  pool: Pool;
  /** A pool as another login role of this database. */
  as(role: string): Pool;
  stop(): Promise<void>;
}

/**
 * A database as every app has one, on a PostgreSQL of its own: the cluster's roles, Ninefold's schemas, the owner
 * `app_owner` and the login role `app_authenticator`. For tests of what is read from the catalogue.
 */
export async function startAppDatabase(name: string): Promise<AppDatabase> {
  const postgres = await startPostgres(name);
  const target = parseTarget(postgres.url, name);
  const options = { max: 2, idleMilliseconds: 5000, waitMilliseconds: 10_000 };
  const pools = [new Pool(target, options)];
  const pool = pools[0] as Pool;
  const folder = join(clone, 'src/schema');
  const numbered = readdirSync(folder).filter((file) => /^\d+_.*\.sql$/.test(file));
  for (const file of ['cluster.sql', ...numbered.sort()]) await pool.script(readFileSync(join(folder, file), 'utf8'));
  await pool.script(`
    create role app_owner login password 'secret';
    create role app_authenticator login noinherit password 'secret';
    grant authenticator to app_authenticator;
    grant anon, authenticated, service_role to app_owner;
    alter database ${target.database} owner to app_owner;
    grant connect, temporary on database ${target.database} to app_authenticator;`);
  return {
    pool,
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
