import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { poolDefaults, pools, prepared, query, value } from '../../test/support/pools.ts';
import { ConnectionBudget } from './connection-budget.ts';
import { ConnectionError, DatabaseError, PoolTimeoutError } from './database-error.ts';
import { Pool } from './pool.ts';

const { target, withPool } = pools('pool-connections');

describe('a client that goes away', () => {
  it('cancels its statement in the database', async () => {
    await withPool(async (pool) => {
      const abort = new AbortController();
      const sleeping = pool.run([query('select pg_sleep(30)')], { signal: abort.signal });
      await runningIn(pool, 'select pg_sleep(30)');
      abort.abort();
      await expect(sleeping).rejects.toMatchObject({ sqlstate: '57014' });
    });
  });

  it.each([
    ['does not disturb the call behind it on the same connection', ['select 2']],
    ['makes room for the call that waits for its connection', []],
  ])('%s', async (_, known) => {
    await withPool(
      async (pool) => {
        for (const sql of known) await pool.run([query(sql)]);
        const abort = new AbortController();
        const first = pool.run([query('select pg_sleep(20)')], { signal: abort.signal });
        const second = value(pool, query('select 2'));
        await withPool((other) => runningIn(other, 'select pg_sleep(20)'));
        abort.abort();
        await expect(first).rejects.toMatchObject({ sqlstate: '57014' });
        expect(await second).toBe('2');
      },
      { max: 1 },
    );
  });

  it('never reaches the database when it left before its turn', async () => {
    await withPool(async (pool) => {
      const gone = AbortSignal.abort();
      await expect(pool.run([query('create table never (id int)')], { signal: gone })).rejects.toBeInstanceOf(
        DatabaseError,
      );
      expect(await value(pool, query(`select to_regclass('never')`))).toBeNull();
    });
  });
});

describe('an idle connection whose server process is frozen', () => {
  it('is closed for another pool, and gives its slot of the budget back', async () => {
    const budget = new ConnectionBudget(1, 1);
    await withPool(
      async (pool) => {
        const pid = Number(await value(pool, query('select pg_backend_pid()')));
        process.kill(pid, 'SIGSTOP');
        try {
          expect(await withPool((other) => value(other, query('select 1')), { budget })).toBe('1');
        } finally {
          process.kill(pid, 'SIGCONT');
        }
        expect(await value(pool, query('select 2'))).toBe('2');
      },
      { budget },
    );
  });

  it('is closed by its pool when it is not used any more, and gives its slot back', async () => {
    const budget = new ConnectionBudget(1, 1);
    await withPool(
      async (pool) => {
        const pid = Number(await value(pool, query('select pg_backend_pid()')));
        process.kill(pid, 'SIGSTOP');
        try {
          await expect.poll(() => budget.taken, { timeout: 10_000 }).toBe(0);
        } finally {
          process.kill(pid, 'SIGCONT');
        }
      },
      { budget, idleMilliseconds: 50 },
    );
  });
});

describe('slow calls', () => {
  it('go where they went before, to a server process that knows what they read, whoever else comes and goes', async () => {
    await withPool(async (pool) => {
      const slow = () => value(pool, prepared('select pg_backend_pid() from pg_sleep(0.03)'));
      const others = () =>
        Promise.all(Array.from({ length: 3 }, () => pool.transaction((tx) => tx.run([query('select 1')]))));
      await slow();
      const pid = await slow();
      for (let i = 0; i < 5; i++) {
        await others();
        expect(await slow()).toBe(pid);
      }
      expect(pool.size).toBe(3);
    });
  });

  it('that nobody knows yet do not wait for one another on one connection, while others are opened', async () => {
    await withPool(async (pool) => {
      const started = performance.now();
      await Promise.all(Array.from({ length: 12 }, () => pool.run([query('select pg_sleep(0.3)')])));
      expect(pool.size).toBe(4);
      // Three rounds on four connections; twelve on the first that was open.
      expect(performance.now() - started).toBeLessThan(2400);
    });
  });

  it('leave the fast ones behind them alone', async () => {
    await withPool(async (pool) => {
      const slow = query('select pg_sleep(0.3), pg_advisory_xact_lock_shared(7)');
      await pool.run([slow]);
      const sleeping = await withPool((other) =>
        other.transaction(async (tx) => {
          await tx.run([query('select pg_advisory_xact_lock(7)')]);
          const both = Promise.all([pool.run([slow]), pool.run([slow])]);
          // The slow ones end with this transaction: a fast one behind them would wait for ever.
          await Promise.all(Array.from({ length: 50 }, () => pool.run([prepared('select 1')])));
          return [both];
        }),
      );
      await Promise.all(sleeping);
    });
  });
});

describe('connections', () => {
  it('are all closed once nobody calls, and opened again for the next call', async () => {
    let becameIdle: () => void = () => undefined;
    const idle = new Promise<void>((resolve) => {
      becameIdle = resolve;
    });
    await withPool(
      async (pool) => {
        await pool.run([query('select 1')]);
        await idle;
        expect(pool.size).toBe(0);
        expect(await value(pool, query('select 2'))).toBe('2');
      },
      { idleMilliseconds: 100, onIdle: async () => becameIdle() },
    );
  });

  it('that the server ends fail only the calls in flight', async () => {
    await withPool(async (pool) => {
      const sleeping = expect(pool.run([query('select pg_sleep(25)')])).rejects.toBeInstanceOf(ConnectionError);
      await withPool(async (other) => {
        await runningIn(other, 'select pg_sleep(25)');
        // As an administrator does, who has seen it run: what has just begun is tried again.
        await other.run([
          query('select pg_sleep(1.2)'),
          query(`select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(25)'`),
        ]);
      });
      await sleeping;
      expect(await value(pool, query('select 3'))).toBe('3');
    });
  });

  it('that the server ended while they were idle fail nobody: the call goes over another one', async () => {
    await withPool(
      async (pool) => {
        for (let i = 0; i < 20; i++) {
          const pid = await value(pool, query('select pg_backend_pid()'));
          await withPool((other) => other.run([query('select pg_terminate_backend($1::int)', pid)]));
          // The call meets the end of the connection: before, while or after the news of it arrives.
          expect(await value(pool, prepared('select 5'))).toBe('5');
          expect(await pool.transaction((tx) => tx.run([query('select 6')]))).toHaveLength(1);
        }
      },
      { max: 1 },
    );
  });

  it('that the server ended just as a call came fail nobody, and the call is done once', async () => {
    await withPool(async (pool) => {
      await pool.script('create table done_once (at int); create sequence tries');
      const answer = await pool.run([
        query(`insert into done_once select nextval('tries')`),
        query('select pg_terminate_backend(pg_backend_pid()) from done_once where at < 3'),
      ]);
      expect(answer).toHaveLength(2);
      expect(await value(pool, query('select array_agg(at)::text from done_once'))).toBe('{3}');
    });
  });

  it('that the server ended all at once fail nobody either, as when its database is closed to be copied', async () => {
    await withPool(async (pool) => {
      for (let i = 0; i < 20; i++) {
        await Promise.all(
          Array.from({ length: 4 }, () => pool.transaction((tx) => tx.run([query('select pg_sleep(0.01)')]))),
        );
        expect(pool.size).toBe(4);
        await withPool((other) =>
          other.run([query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()')]),
        );
        expect(await value(pool, prepared('select 5'))).toBe('5');
        expect(await pool.transaction((tx) => tx.run([query('select 6')]))).toHaveLength(1);
      }
    });
  });

  it('are waited for only as long as the limit says', async () => {
    await withPool(
      async (pool) => {
        const abort = new AbortController();
        const held = pool.transaction((tx) => tx.run([query('select pg_sleep(15)')], { signal: abort.signal }));
        await expect(pool.transaction((tx) => tx.run([query('select 1')]))).rejects.toBeInstanceOf(PoolTimeoutError);
        await withPool((other) => runningIn(other, 'select pg_sleep(15)'));
        abort.abort();
        await expect(held).rejects.toMatchObject({ sqlstate: '57014' });
      },
      { max: 1, waitMilliseconds: 200 },
    );
  });

  it('that cannot be made say so at once, and a wrong password is told from a missing server', async () => {
    const wrong = new Pool({ ...target(), password: 'wrong' }, poolDefaults);
    await expect(wrong.run([query('select 1')])).rejects.toMatchObject({ sqlstate: '28P01' });
    await expect(wrong.run([query('select 1')])).rejects.toBeInstanceOf(ConnectionError);
    const nowhere = new Pool({ ...target(), port: 1 }, poolDefaults);
    await expect(nowhere.run([query('select 1')])).rejects.toBeInstanceOf(ConnectionError);
  });
});

describe('a session that is ended while its client does not read', () => {
  it('is told as closed without a word', async () => {
    await withPool(
      async (pool) => {
        const pid = await value(pool, query('select pg_backend_pid()'));
        const over = new Int32Array(new SharedArrayBuffer(4));
        const { host, port, user, password, database } = target();
        const connection = { host, port, user, password, database };
        const thread = new Worker(endingWhenBlocked, { eval: true, workerData: { connection, pid, over } });
        await once(thread, 'message');
        const rows = pool.run([query(`select repeat('x', 1000000) from generate_series(1, 60)`)]);
        // The statement is sent, and this thread reads nothing until the session is over.
        await new Promise(setImmediate);
        expect(Atomics.wait(over, 0, 0, 30_000)).not.toBe('timed-out');
        await expect(rows).rejects.toMatchObject({ sqlstate: null, closedSilently: true });
        await thread.terminate();
      },
      { max: 1 },
    );
  });
});

/** Ends the session once it waits for its client, in a thread of its own. */
const endingWhenBlocked = `
  const { parentPort, workerData: { connection, pid, over } } = require('node:worker_threads');
  const { Client } = require('pg');
  (async () => {
    const client = new Client(connection);
    await client.connect();
    parentPort.postMessage('connected');
    const found = async (sql) => (await client.query(sql, [pid])).rowCount > 0;
    while (!(await found("select from pg_stat_activity where pid = $1 and wait_event = 'ClientWrite'")));
    await client.query('select pg_terminate_backend($1)', [pid]);
    while (await found('select from pg_stat_activity where pid = $1'));
    await client.end();
    Atomics.store(over, 0, 1);
    Atomics.notify(over, 0);
  })();
`;

/** Resolves once a statement is seen running. */
async function runningIn(pool: Pool, text: string): Promise<void> {
  const seen = query(`select count(*) from pg_stat_activity where query = $1 and state = 'active'`, text);
  for (;;) if ((await value(pool, seen)) === '1') return;
}
