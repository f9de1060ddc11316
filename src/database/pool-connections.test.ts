import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { hostOf, poolDefaults, pools, prepared, query, targetAt, value } from '../../test/support/pools.ts';
import { timeOf } from '../../test/support/timing.ts';
import { ConnectionBudget } from './connection-budget.ts';
import { ConnectionError, DatabaseError, PoolTimeoutError } from './database-error.ts';
import { Pool } from './pool.ts';

const { target, withPool } = pools('pool-connections');

describe('Pool.run with a signal', () => {
  it('cancels the statement in the database if the client disconnects', async () => {
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

  it('sends nothing to the database if the client disconnects while the call waits for a connection', async () => {
    await withPool(async (pool) => {
      const gone = AbortSignal.abort();
      await expect(pool.run([query('create table never (id int)')], { signal: gone })).rejects.toBeInstanceOf(
        DatabaseError,
      );
      expect(await value(pool, query(`select to_regclass('never')`))).toBeNull();
    });
  });
});

describe.concurrent('IdleCloser', () => {
  it('closes an idle connection of a frozen server process for another pool, and returns its slot to the budget', async () => {
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

  it('closes an unused connection of a frozen server process, and returns its slot to the budget', async ({
    expect,
  }) => {
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

describe('Pool.run with slow statements', () => {
  it('runs a slow statement on a connection that has prepared it, also while other statements run', async () => {
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

  it('does not queue statements whose duration is unknown behind each other on one connection, but opens further connections', async () => {
    const sleep = (pool: Pool) => pool.run([query('select pg_sleep(0.3)')]);
    const one = await withPool((pool) => timeOf(() => sleep(pool)));
    await withPool(async (pool) => {
      const all = await timeOf(() => Promise.all(Array.from({ length: 12 }, () => sleep(pool))));
      expect(pool.size).toBe(4);
      // The calls take three rounds on four connections. If all of them used the first open connection, they would take
      // twelve rounds.
      expect(all / one).toBeLessThan(8);
    });
  });

  it('does not delay fast statements behind slow ones', async () => {
    await withPool(async (pool) => {
      const slow = query('select pg_sleep(0.3), pg_advisory_xact_lock_shared(7)');
      await pool.run([slow]);
      const sleeping = await withPool((other) =>
        other.transaction(async (tx) => {
          await tx.run([query('select pg_advisory_xact_lock(7)')]);
          const both = Promise.all([pool.run([slow]), pool.run([slow])]);
          // The slow statements end only with this transaction. So a fast statement that is queued behind one of them
          // would not end before that.
          await Promise.all(Array.from({ length: 50 }, () => pool.run([prepared('select 1')])));
          return [both];
        }),
      );
      await Promise.all(sleeping);
    });
  });

  it('runs a fast statement before slow ones that wait for a connection', async () => {
    await withPool(
      async (pool) => {
        const [slow, fast] = [query('select pg_sleep(0.2)'), query('select 1')];
        await pool.run([slow]);
        for (let i = 0; i < 5; i++) await pool.run([fast]);
        const ended: string[] = [];
        const runs = Array.from({ length: 6 }, () => pool.run([slow]).then(() => ended.push('slow')));
        runs.push(pool.run([fast]).then(() => ended.push('fast')));
        await Promise.all(runs);
        expect(ended.indexOf('fast')).toBeLessThan(2);
      },
      { max: 1 },
    );
  });

  it('leaves connections to other calls while many clients run a slow statement for the first time', async () => {
    await withPool(
      async (pool) => {
        const sleeping = Array.from({ length: 20 }, () => pool.run([query('select pg_sleep(0.4)')]));
        let ended = 0;
        for (const one of sleeping) void one.then(() => ended++);
        await pool.run([query('select 2')]);
        expect(ended).toBeLessThan(4);
        await Promise.all(sleeping);
      },
      { max: 4 },
    );
  });
});

describe('Pool connections', () => {
  it('are closed when the pool is unused, and reopened for the next call', async () => {
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

  it('fail only the calls in flight if the server ends a connection', async () => {
    await withPool(async (pool) => {
      const sleeping = expect(pool.run([query('select pg_sleep(25)')])).rejects.toBeInstanceOf(ConnectionError);
      await withPool(async (other) => {
        await runningIn(other, 'select pg_sleep(25)');
        // Waits until the statement is seen running, because an administrator would not end it earlier. The pool would
        // retry a statement that has just begun.
        await other.run([
          query('select pg_sleep(1.2)'),
          query(`select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(25)'`),
        ]);
      });
      await sleeping;
      expect(await value(pool, query('select 3'))).toBe('3');
    });
  });

  it('do not fail a call if the server ended them while they were idle, because another connection runs the call', async () => {
    await withPool(
      async (pool) => {
        for (let i = 0; i < 20; i++) {
          const pid = await value(pool, query('select pg_backend_pid()'));
          await withPool((other) => other.run([query('select pg_terminate_backend($1::int)', pid)]));
          // The pool may notice that the connection was ended before the call, during the call, or only after it.
          expect(await value(pool, prepared('select 5'))).toBe('5');
          expect(await pool.transaction((tx) => tx.run([query('select 6')]))).toHaveLength(1);
        }
      },
      { max: 1 },
    );
  });

  it('let a call succeed and run only once if the server ends its connection just as the call is sent', async () => {
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

  it('do not fail a call if the server ends all of them at once, as when a database is closed to be copied', async () => {
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

  it('do not fail a call if the server ends a connection during the login, without a message', async () => {
    const { host, port } = hostOf(target());
    let logins = 0;
    // The first two connections are closed at the first message of PostgreSQL, which asks for the password.
    const between = createServer((client) => {
      const server = connect(port, host);
      const isEnded = ++logins <= 2;
      server.on('data', (bytes) => (isEnded ? client.end(bytes, () => server.destroy()) : client.write(bytes)));
      client.on('data', (bytes) => server.write(bytes));
      for (const socket of [client, server]) socket.on('error', () => undefined);
      client.on('close', () => server.destroy());
    });
    await new Promise<void>((resolve) => between.listen(0, host, resolve));
    const pool = new Pool(targetAt(target(), (between.address() as AddressInfo).port), poolDefaults);
    try {
      expect(await value(pool, query('select 7'))).toBe('7');
      expect(logins).toBe(3);
    } finally {
      await pool.close();
      between.close();
    }
  });

  it('fail a call that has waited for longer than the wait limit', async () => {
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

  it('report a failed connection at once, and report a wrong password differently from an unreachable server', async () => {
    const wrong = new Pool({ ...target(), password: 'wrong' }, poolDefaults);
    await expect(wrong.run([query('select 1')])).rejects.toMatchObject({ sqlstate: '28P01' });
    await expect(wrong.run([query('select 1')])).rejects.toBeInstanceOf(ConnectionError);
    const nowhere = new Pool(targetAt(target(), 1), poolDefaults);
    await expect(nowhere.run([query('select 1')])).rejects.toBeInstanceOf(ConnectionError);
  });
});

describe('Connection whose client does not read', () => {
  it('reports a terminated session as closed without a message from the server', async () => {
    await withPool(
      async (pool) => {
        const pid = await value(pool, query('select pg_backend_pid()'));
        const over = new Int32Array(new SharedArrayBuffer(4));
        const { user, password, database } = target();
        const connection = { ...hostOf(target()), user, password, database };
        const thread = new Worker(endingWhenBlocked, { eval: true, workerData: { connection, pid, over } });
        await once(thread, 'message');
        const rows = pool.run([query(`select repeat('x', 1000000) from generate_series(1, 60)`)]);
        // The statement is sent, and then this thread reads nothing until the session has ended.
        await new Promise(setImmediate);
        expect(Atomics.wait(over, 0, 0, 30_000)).not.toBe('timed-out');
        await expect(rows).rejects.toMatchObject({ sqlstate: null, closedSilently: true });
        await thread.terminate();
      },
      { max: 1 },
    );
  });
});

/** Script of a worker thread that ends the session once it waits for its client. */
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

/** Resolves once pg_stat_activity shows that the statement runs. */
async function runningIn(pool: Pool, text: string): Promise<void> {
  const seen = query(`select count(*) from pg_stat_activity where query = $1 and state = 'active'`, text);
  for (;;) if ((await value(pool, seen)) === '1') return;
}
