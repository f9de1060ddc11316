import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { type ConnectionConfig, parseConnectionUrl } from './connection-config.ts';
import { ConnectionError } from './database-error.ts';
import { Pool } from './pool.ts';

const MOST = 12;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres('room', { maxConnections: MOST });
});
afterAll(() => postgres.stop());

const options = { max: 2 * MOST, idleMilliseconds: 60_000, waitMilliseconds: 5000 };

/** Runs `work` with two pools of the superuser. The superuser may use all connections of the server. */
async function withTwo(work: (one: Pool, other: Pool, target: ConnectionConfig) => Promise<void>): Promise<void> {
  const target = parseConnectionUrl(postgres.url, 'test');
  const pools = [new Pool(target, options), new Pool(target, options)] as const;
  try {
    await work(...pools, target);
  } finally {
    for (const pool of pools) await pool.close();
  }
}

/** Opens `many` transactions at once, each on its own connection, and runs `work` while all of them are open. */
async function openAtOnce(
  pool: Pool,
  many: number,
  work: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  let begun = 0;
  let all: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    all = resolve;
  }).then(work);
  const transaction = () =>
    pool.transaction(() => {
      if (++begun === many) all();
      return done;
    });
  await Promise.all(Array.from({ length: many }, transaction));
}

const ask = (pool: Pool) => pool.run([{ text: 'select 1', params: [] }]);
const refusalOf = (pool: Pool) => ask(pool).catch((error: unknown) => error);

describe('ServerState.closeIdleConnections', () => {
  it('closes idle connections of another pool if the server is full; that pool reopens them when it is called', async () => {
    await withTwo(async (one, other) => {
      await openAtOnce(one, 3);
      expect(one.size).toBe(3);
      await openAtOnce(other, MOST);
      expect([one.size, other.size]).toEqual([0, MOST]);
      await ask(one);
      expect(one.size).toBe(1);
    });
  });

  it('closes no connection in use, and reports that the server is full', async () => {
    await withTwo(async (one, other) => {
      await openAtOnce(one, MOST, async () => {
        const refused = await refusalOf(other);
        expect(refused).toBeInstanceOf(ConnectionError);
        expect(refused).toMatchObject({ sqlstate: '53300', message: 'sorry, too many clients already' });
      });
      await ask(other);
    });
  });
});

it('a pool does not close connections of other roles if a role has reached its own connection limit', async () => {
  await withTwo(async (one, _, target) => {
    await one.script(`create role few login password 'few' connection limit 2`);
    await openAtOnce(one, 3);
    const few = new Pool({ ...target, user: 'few', password: 'few' }, options);
    const fewer = new Pool({ ...target, user: 'few', password: 'few' }, options);
    await openAtOnce(few, 2, async () => {
      expect(await refusalOf(fewer)).toMatchObject({ sqlstate: '53300', message: expect.stringContaining('"few"') });
    });
    expect(one.size).toBe(3);
    await Promise.all([few.close(), fewer.close()]);
  });
});
