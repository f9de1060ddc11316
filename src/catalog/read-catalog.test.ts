import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Meanwhile } from '../../test/support/meanwhile.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { parseConnectionUrl } from '../database/connection-config.ts';
import type { Database } from '../database/database.ts';
import { Pool } from '../database/pool.ts';
import { plain } from '../database/statement.ts';
import { parseCatalog, readCatalog, readCatalogParallel } from './read-catalog.ts';

let postgres: TestPostgres;
let pool: Pool;
beforeAll(async () => {
  postgres = await startPostgres('read-catalog');
  pool = new Pool(parseConnectionUrl(postgres.url, 'test'), {
    max: 4,
    idleMilliseconds: 60_000,
    waitMilliseconds: 5000,
  });
});
afterAll(async () => {
  await pool.close();
  await postgres.stop();
});

it('readCatalog does not fail if a view is dropped while it is read', async () => {
  await pool.script('create view kept as select 1 as one; create view dropped as select 2 as two');
  const views = `select json_object_agg(c.relname, pg_get_viewdef(c.oid)) from pg_class c
    where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace`;
  const meanwhile = new Meanwhile(pool, () => pool.script('drop view dropped'));
  const facts = await readCatalog<{ views: Record<string, string> }>(meanwhile, { views }, 500);
  expect(meanwhile.asked).toBe(2);
  expect(Object.keys(facts.views)).toEqual(['kept']);
});

it('readCatalog retries if its session is ended after any duration, as when the database is copied', async () => {
  const waits = `select json_build_object('locked', pg_advisory_xact_lock_shared(9)::text)`;
  const facts = await pool.transaction(async (tx) => {
    await tx.run([plain('select pg_advisory_xact_lock(9)')]);
    const reading = readCatalog<{ waits: { locked: string } }>(pool, { waits }, 10_000);
    // The pool itself retries a batch that ran for less than a second. So the session is ended only after a longer
    // time.
    const end = `select count(pg_terminate_backend(pid)) from pg_stat_activity
      where wait_event_type = 'Lock' and now() - query_start > '1.1 seconds'`;
    const ended = () => pool.script(end).then(([result]) => result?.rows[0]?.[0]?.toString());
    await expect.poll(ended, { timeout: 10_000 }).toBe('1');
    return { reading };
  });
  expect(await facts.reading).toEqual({ waits: { locked: '' } });
});

describe('readCatalogParallel', () => {
  interface Seen {
    seen: { process: number; tables: string[] };
  }
  const seen = `select json_build_object('process', pg_backend_pid(), 'tables', (select coalesce(json_agg(relname), '[]')
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace))`;
  const read = async (database: Database) => {
    const both = await readCatalogParallel<Seen, Seen>(database, [{ seen }, { seen }], 500);
    return both.map((json) => parseCatalog(json).seen);
  };
  const smallPool = (max: number) =>
    new Pool(parseConnectionUrl(postgres.url, 'test'), { max, idleMilliseconds: 60_000, waitMilliseconds: 5000 });

  it('reads one snapshot on both connections, though the app changes between the two reads', async () => {
    const changing: Pick<Database, 'transaction'> = {
      transaction: async (work, statement) => {
        if (statement && begun++ > 0) {
          creating ??= pool.script('create table late ()');
          await creating;
        }
        return pool.transaction(work, statement);
      },
    };
    let begun = 0;
    let creating: Promise<unknown> | undefined;
    const [one, other] = await read(changing as Database);
    expect(begun).toBe(2);
    expect(one?.tables).toEqual([]);
    expect(other?.tables).toEqual([]);
    // The first connection may have run both reads before the table existed, so this waits until the table exists.
    await creating;
    const [after] = await read(pool);
    expect(after?.tables).toEqual(['late']);
    await pool.script('drop table late');
  });

  it('runs both reads in parallel', async () => {
    const waiting = 'select json_build_object(1, pg_advisory_xact_lock(1), 2, pg_backend_pid())';
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = new Promise<void>((resolve, reject) => {
      const lock = { text: 'select pg_advisory_xact_lock(1)', params: [] };
      pool
        .transaction((tx) =>
          tx.run([lock]).then(() => {
            resolve();
            return released;
          }),
        )
        .catch(reject);
    });
    await held;
    const other = 'select json_build_object(2, pg_backend_pid())';
    const releasing: Pick<Database, 'transaction'> = {
      transaction: (work, statement) =>
        pool.transaction(work, statement).finally(() => statement?.text.includes(other) && release()),
    };
    type Waiting = { read: { 2: number } };
    const queries = [{ read: waiting }, { read: other }] as const;
    const both = await readCatalogParallel<Waiting, Waiting>(releasing as Database, queries, 5000);
    const [one, two] = both.map((json) => parseCatalog(json).read[2]);
    expect(one).not.toBe(two);
  });

  it('waits for a schema change that holds a lock for longer than several attempts', async () => {
    const lockMilliseconds = 20;
    let attempts = 0;
    let unlock = () => {};
    const unlocked = new Promise<void>((resolve) => {
      unlock = resolve;
    });
    const counting: Pick<Database, 'transaction'> = {
      transaction: (work, statement) => {
        attempts++;
        // Each attempt has two transactions.
        if (attempts > 20) unlock();
        return pool.transaction(work, statement);
      },
    };
    const lock = smallPool(1);
    await lock
      .transaction(async (tx) => {
        await tx.run([plain('select pg_advisory_xact_lock(2)')]);
        const waiting = { read: 'select json_build_object(1, pg_advisory_xact_lock(2))' };
        const reading = readCatalogParallel(counting as Database, [waiting, { read: 'select 1' }], lockMilliseconds);
        await unlocked;
        return { reading };
      })
      .then(({ reading }) => reading);
    expect(attempts).toBeGreaterThan(20);
    await lock.close();
  });

  it('works with a pool of one connection', async () => {
    const single = smallPool(1);
    const [one, other] = await read(single);
    expect(one?.process).toBe(other?.process);
    await single.close();
  });

  it('does not deadlock when more reads than connections run at once', async () => {
    const small = smallPool(2);
    const all = await Promise.all(Array.from({ length: 6 }, () => read(small)));
    expect(all.flat()).toHaveLength(12);
    await small.close();
  });
});
