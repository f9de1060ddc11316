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

/** Content of a cluster that exists before a test begins. */
export interface Seed {
  /** The files of the clone on which the content depends. */
  files: readonly string[];
  /** Creates the content. `url` is the superuser's URL. */
  plant(url: string): Promise<void>;
}

/** No content besides that of initdb. */
const bare: Seed = { files: [], plant: async () => undefined };

/** Starts a PostgreSQL of its own for one test file. Its home is deleted when it is stopped. */
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

/** Returns the data folder of a stopped cluster that contains the seed. Tests copy this folder. */
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
 * Turns off fsync and autovacuum, because a test run creates hundreds of databases, and autovacuum would start a
 * process for each of them every minute. Tests that check data after a crash must not use this. `url` is the
 * superuser's URL.
 */
export async function withoutUpkeep(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  for (const setting of ['fsync', 'full_page_writes', 'autovacuum'])
    await client.query(`alter system set ${setting} = off`);
  await client.query('select pg_reload_conf()');
  await client.end();
}
