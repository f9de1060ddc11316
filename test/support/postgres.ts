import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/postgres/embedded.ts';
import { copyFolder, retainedFolder } from './retained-folder.ts';
import { makeTestHome } from './test-folder.ts';

export interface TestPostgres {
  /** The superuser's URL: `postgres://ninefold:…@127.0.0.1:…/postgres`. */
  url: string;
  stop(): Promise<void>;
}

const options = { port: 0, password: 'for-tests-only', log: () => undefined };

/** The content of a cluster before a test begins. */
export interface Seed {
  /** The files of the clone that determine the content. */
  files: readonly string[];
  /** Creates the content; `url` is the superuser's. */
  plant(url: string): Promise<void>;
}

/** The content that initdb creates. */
const bare: Seed = { files: [], plant: async () => undefined };

/** Starts a separate PostgreSQL for one test file, in a home that is deleted with it. */
export async function startPostgres(
  name: string,
  { seed = bare, maxConnections }: { seed?: Seed; maxConnections?: number } = {},
): Promise<TestPostgres> {
  const home = await makeTestHome(name);
  await copyFolder(await planted(seed), join(home, 'postgres'));
  const postgres = await startEmbeddedPostgres({
    ...{ ...options, home },
    ...(maxConnections !== undefined && { maxConnections }),
  });
  return {
    url: postgres.url,
    stop: async () => {
      await postgres.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Returns the data folder of a cluster that contains the seed and is stopped, so that tests can copy it. */
function planted({ files, plant }: Seed): Promise<string> {
  const sources = ['package-lock.json', 'src/postgres/initialise.ts', 'test/support/postgres.ts', ...files];
  return retainedFolder('cluster', sources, async (home) => {
    const postgres = await startEmbeddedPostgres({ ...options, home });
    await withoutUpkeep(postgres.url);
    await plant(postgres.url);
    await postgres.stop();
    return join(home, 'postgres');
  });
}

/**
 * Turns off fsync and autovacuum, because a test run creates hundreds of databases and autovacuum starts a process for
 * each of them every minute. Not for tests that check data after a crash. `url` is the superuser's.
 */
export async function withoutUpkeep(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  for (const setting of ['fsync', 'full_page_writes', 'autovacuum'])
    await client.query(`alter system set ${setting} = off`);
  await client.query('select pg_reload_conf()');
  await client.end();
}
