import { describe, expect, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { pools, prepared, query, value } from '../../test/support/pools.ts';
import { type DatabaseError, ResultTooLargeError } from './database-error.ts';
import type { Pool } from './pool.ts';
import { type Result, rowsAsText, type Statement } from './statement.ts';
import type { StreamedValue } from './streamed-value.ts';

const { withPool } = pools('pool');

describe('Pool.run', () => {
  it('runs a batch as one transaction: a local setting of the first statement applies to the second, and ends with it', async () => {
    await withPool(async (pool) => {
      const both = await pool.run([
        prepared(`select set_config('request.jwt.claims', $1, true)`, '{"sub":"a"}'),
        prepared(`select current_setting('request.jwt.claims', true)`),
      ]);
      expect(both[1]?.rows[0]?.[0]?.toString()).toBe('{"sub":"a"}');
      expect(await value(pool, prepared(`select coalesce(current_setting('request.jwt.claims', true), '')`))).toBe('');
    });
  });

  it('rolls a batch back if its last statement fails', async () => {
    await withPool(async (pool) => {
      await pool.script('create table kept (id int)');
      const batch = pool.run([query('insert into kept values ($1::int)', '1'), query('select 1 / $1::int', '0')]);
      await expect(batch).rejects.toMatchObject({ sqlstate: '22012', statement: 1 });
      expect(await value(pool, query('select count(*) from kept'))).toBe('0');
    });
  });

  it('returns to each of many parallel calls its own result or error', async () => {
    await withPool(async (pool) => {
      const calls = Array.from({ length: 500 }, (_, i) =>
        i % 7 === 0
          ? value(pool, prepared('select 1 / $1::int', '0')).catch((error: DatabaseError) => error.sqlstate)
          : value(pool, prepared('select $1::int * 2', String(i))),
      );
      const answers = await Promise.all(calls);
      expect(answers).toEqual(answers.map((_, i) => (i % 7 === 0 ? '22012' : String(i * 2))));
      expect(pool.size).toBeLessThanOrEqual(4);
    });
  });

  it('queues no other call behind a statement with large parameters', async () => {
    await withPool(async (pool) => {
      const order: string[] = [];
      const call = (text: string) =>
        pool
          .run([prepared('select pg_sleep(case when length($1) > 1000 then 1 else 0 end)', text)])
          .then(() => order.push(text.slice(0, 1)));
      // After these calls, the pool knows that the statement is fast, so its calls share a connection.
      for (let i = 0; i < 20; i++) await call('a');
      order.length = 0;
      await Promise.all([call('b'.repeat(100_000)), ...Array.from({ length: 8 }, () => call('a'))]);
      expect(order.join('')).toBe('aaaaaaaab');
    });
  });

  it('prepares a statement again if preparing it failed or a schema change made its plan stale', async () => {
    await withPool(
      async (pool) => {
        const select = prepared('select * from changing');
        await expect(pool.run([select])).rejects.toMatchObject({ sqlstate: '42P01' });
        await pool.script('create table changing (a int); insert into changing values (1)');
        expect(rowsAsText((await pool.run([select]))[0] as never)).toEqual([{ a: '1' }]);
        await pool.script('alter table changing add column b text default $$x$$');
        expect(rowsAsText((await pool.run([select]))[0] as never)).toEqual([{ a: '1', b: 'x' }]);
      },
      { max: 1 },
    );
  });

  it('passes parameters as values, whatever characters they contain', async () => {
    await withPool(async (pool) => {
      for (const hostile of [`'; drop table kept; --`, '$1', '\\', 'é\u{1F600}', '']) {
        expect(await value(pool, prepared('select $1::text', hostile))).toBe(hostile);
      }
      expect(await value(pool, prepared('select $1::text', null))).toBeNull();
      await expect(pool.run([query('select $1::text', 'a\0b')])).rejects.toMatchObject({ sqlstate: '22021' });
      await expect(pool.run([query('select 1\0; select 2')])).rejects.toThrow('NUL');
      expect(await value(pool, query('select 1'))).toBe('1');
    });
  });

  it('returns a value of many megabytes completely, and small values after it', async () => {
    await withPool(
      async (pool) => {
        const [big, small] = await Promise.all([
          value(pool, query(`select repeat('0123456789', 1000000)`)),
          value(pool, query('select 7')),
        ]);
        expect(big).toHaveLength(10_000_000);
        expect(small).toBe('7');
      },
      { max: 1 },
    );
  });

  it('rejects a result that is larger than the limit, in one row or in many, and serves the next calls', async () => {
    const bytes = limits.resultBytes.default;
    await withPool(
      async (pool) => {
        const rows = `select repeat('x', 1000000) from generate_series(1, ${Math.ceil(bytes / 1_000_000) + 10})`;
        for (const text of [`select repeat('x', ${bytes + 1})`, rows]) {
          const refused = expect(pool.run([query(text)])).rejects.toBeInstanceOf(ResultTooLargeError);
          expect(await value(pool, query('select 7'))).toBe('7');
          await refused;
          await expect(pool.script(text)).rejects.toBeInstanceOf(ResultTooLargeError);
        }
        const first = await pool.script(rows, { maxRows: 1 });
        expect(first[0]?.rows).toHaveLength(1);
      },
      { max: 2 },
    );
  });

  // After such a cancel, PostgreSQL may not have closed its files (see `Connection.mustClose`). Every DROP DATABASE of
  // the server would then wait until the connection ends.
  it('closes the connection on which a statement was cancelled while it sent its result', async () => {
    const tooLarge = query(`select repeat('x', ${limits.resultBytes.default + 1})`);
    const ownPid = query('select pg_backend_pid()');
    await withPool(
      async (pool) => {
        const before = await value(pool, ownPid);
        await expect(pool.run([tooLarge])).rejects.toBeInstanceOf(ResultTooLargeError);
        const after = await value(pool, ownPid);
        expect(after).not.toBe(before);
        await expect(pool.transaction((tx) => tx.run([tooLarge]))).rejects.toBeInstanceOf(ResultTooLargeError);
        expect(await value(pool, ownPid)).not.toBe(after);
      },
      { max: 1 },
    );
  });

  it('closes the connection on which a statement changed a setting beyond its transaction', async () => {
    const ownPid = query('select pg_backend_pid()');
    await withPool(
      async (pool) => {
        const before = await value(pool, ownPid);
        await pool.run([query(`select set_config('default_transaction_read_only', 'on', true)`)]);
        expect(await value(pool, ownPid)).toBe(before);
        await pool.transaction(async (tx) => {
          await tx.run([query(`select set_config('default_transaction_read_only', 'on', true)`)]);
          await tx.run([query('select 1')]);
        });
        expect(await value(pool, ownPid)).toBe(before);
        await pool.run([query(`select set_config('default_transaction_read_only', 'on', false)`)]);
        expect(await value(pool, query('show default_transaction_read_only'))).toBe('off');
        await pool.transaction((tx) => tx.run([query(`set time zone 'Asia/Tokyo'`)]));
        expect(await value(pool, query('show time zone'))).toBe('UTC');
      },
      { max: 1 },
    );
  });

  it('closes the oldest prepared statements beyond the maximum of a connection', async () => {
    await withPool(
      async (pool) => {
        for (let i = 0; i < 450; i++) expect(await value(pool, prepared(`select ${i}`))).toBe(String(i));
        const kept = await value(pool, query('select count(*) from pg_prepared_statements'));
        expect(Number(kept)).toBeLessThanOrEqual(400);
        expect(await value(pool, prepared('select 0'))).toBe('0');
      },
      { max: 1 },
    );
  });
});

describe('Pool.transaction', () => {
  it('commits the changes of the work, or rolls all of them back if the work throws', async () => {
    await withPool(async (pool) => {
      await pool.script('create table ledger (id int)');
      await pool.transaction((tx) => tx.run([query('insert into ledger values (1)')]));
      const failing = pool.transaction(async (tx) => {
        await tx.run([query('insert into ledger values (2)')]);
        throw new Error('changed my mind');
      });
      await expect(failing).rejects.toThrow('changed my mind');
      expect(await value(pool, query('select string_agg(id::text, $1) from ledger', ','))).toBe('1');
    });
  });
});

describe('Pool.script', () => {
  it('returns the result of each statement, retains up to `maxRows` rows and counts the others', async () => {
    await withPool(async (pool) => {
      const results = await pool.script('select 1; select generate_series(1, 50)', { maxRows: 10 });
      expect(results.map(({ rows, rowCount, command }) => [rows.length, rowCount, command])).toEqual([
        [1, 1, 'SELECT 1'],
        [10, 50, 'SELECT 50'],
      ]);
    });
  });

  it('reports the position of an error within the whole script', async () => {
    await withPool(async (pool) => {
      const failing = pool.script('select 1;\nselect nope');
      await expect(failing).rejects.toMatchObject({ fields: { sqlstate: '42703', position: 18 }, statement: 1 });
    });
  });

  it('does not leave a setting of a script in force for the next caller', async () => {
    await withPool(
      async (pool) => {
        await pool.script('set search_path = nowhere; begin');
        expect(await value(pool, query('show search_path'))).toBe('"$user", public');
      },
      { max: 1 },
    );
  });

  it('sends the data of each COPY FROM STDIN, and rejects a COPY without data', async () => {
    await withPool(async (pool) => {
      const text =
        'create temp table copied (a text); copy copied from stdin; copy copied from stdin; select * from copied';
      const results = await pool.script(text, { copies: ['ä\n', 'b\n'] });
      expect(results.at(-1)?.rows.map(([cell]) => String(cell))).toEqual(['ä', 'b']);
      await expect(pool.script(text, { copies: ['a\n'] })).rejects.toMatchObject({ sqlstate: '57014' });
      const counted = pool.transaction(async (tx) => {
        await tx.run([query('create temp table copied (a int)')]);
        await tx.run([query('copy copied from stdin')], { copies: ['1\n2\n'] });
        const [result] = await tx.run([query('select count(*) from copied')]);
        expect(String(result?.rows[0]?.[0])).toBe('2');
        await tx.run([query('copy copied from stdin')]);
      });
      await expect(counted).rejects.toMatchObject({ sqlstate: '57014' });
    });
  });
});

describe('StreamedValue', () => {
  const long = (megabytes: number): Statement =>
    prepared(`select 'head', repeat('x', $1::int * 1024 * 1024)`, String(megabytes));

  async function streamStatement(pool: Pool, megabytes: number): Promise<StreamedValue> {
    const [result] = await pool.run([long(megabytes)], { streamStatement: 0 });
    expect(result?.rows[0]?.[0]?.toString()).toBe('head');
    const { stream } = result as Result;
    if (!stream) throw new Error('there is none');
    return stream;
  }

  it('reads from the socket only as fast as the caller reads the stream, while the pool serves other callers', async () => {
    await withPool(async (pool) => {
      const megabytes = (2 * limits.resultBytes.default) / 1024 / 1024;
      const tail = await streamStatement(pool, megabytes);
      expect(tail.length).toBe(megabytes * 1024 * 1024);
      expect(await value(pool, prepared('select $1::int', '7'))).toBe('7');
      expect(tail.readableLength).toBeLessThan(1024 * 1024);
      let bytes = 0;
      for await (const chunk of tail) bytes += chunk.length;
      expect(bytes).toBe(tail.length);
      expect(await value(pool, prepared('select $1::int', '8'))).toBe('8');
    });
  });

  it('returns its connection to the pool when it is destroyed', async () => {
    await withPool(
      async (pool) => {
        const tail = await streamStatement(pool, 20);
        tail.destroy();
        expect(await value(pool, prepared('select $1::int', '7'))).toBe('7');
        expect(pool.size).toBe(1);
      },
      { max: 1 },
    );
  });

  it('arrives in memory while another call waits for its connection, although nobody reads', async () => {
    await withPool(
      async (pool) => {
        const tail = await streamStatement(pool, 20);
        expect(await value(pool, prepared('select $1::int', '7'))).toBe('7');
        let bytes = 0;
        for await (const chunk of tail) bytes += chunk.length;
        expect(bytes).toBe(tail.length);
      },
      { max: 1, waitMilliseconds: 10_000 },
    );
  });

  it('is given up if it is too large for memory, its reader has stopped and another call waits', async () => {
    await withPool(
      async (pool) => {
        const tail = await streamStatement(pool, (2 * limits.resultBytes.default) / 1024 / 1024);
        expect(await value(pool, prepared('select $1::int', '7'))).toBe('7');
        expect(tail.destroyed).toBe(true);
      },
      { max: 1, waitMilliseconds: 20_000 },
    );
  });

  it('ends with an error if the server disconnects in the middle', async () => {
    await withPool(async (pool) => {
      const [own] = await pool.run([query('select pg_backend_pid()')]);
      const tail = await streamStatement(pool, 50);
      const others = await withPool((other) =>
        other.run([
          query(
            'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and query like $1',
            '%repeat%',
          ),
        ]),
      );
      expect(others[0]?.rowCount).toBeGreaterThan(0);
      expect(own?.rowCount).toBe(1);
      await expect(
        (async () => {
          for await (const chunk of tail) void chunk;
        })(),
      ).rejects.toThrow();
    });
  });

  it('is not used for short values, which arrive complete', async () => {
    await withPool(async (pool) => {
      const [result] = await pool.run([prepared(`select 'head', repeat('x', $1::int)`, '1000')], {
        streamStatement: 0,
      });
      expect(result?.stream).toBeNull();
      expect(result?.rows[0]?.[1]?.length).toBe(1000);
    });
  });
});
