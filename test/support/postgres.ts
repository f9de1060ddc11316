import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { startEmbeddedPostgres } from '../../src/postgres/embedded.ts';
import { makeTestFolder } from './test-folder.ts';

export interface TestPostgres {
  /** `postgres://ninefold:…@127.0.0.1:…/postgres`, the superuser's. */
  url: string;
  stop(): Promise<void>;
}

/** A PostgreSQL of its own for one test file, in a home that goes with it. */
export async function startPostgres(name: string, maxConnections?: number): Promise<TestPostgres> {
  const home = await makeTestFolder(name);
  const postgres = await startEmbeddedPostgres({
    ...{ home, port: 0, password: randomUUID(), log: () => undefined },
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
