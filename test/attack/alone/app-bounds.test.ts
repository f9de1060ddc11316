import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { limits } from '../../../contract/limits.ts';
import { admin, createApp, createAppWith, deleteApp, runSql } from '../../support/apps.ts';
import { attack, boundAttacks } from '../../support/bound-attacks.ts';
import { overSocket, superuserUrl, withClient } from '../../support/database.ts';
import { type HttpResponse, send } from '../../support/http.ts';
import { startNode } from '../../support/node.ts';
import { ownNode } from '../../support/own-node.ts';
import { partsOf } from '../../support/processes.ts';

const MIB = 1024 * 1024;

/** Limits so low that a statement exceeds them within a second. */
const env = {
  NINEFOLD_APP_LOCKS: '1000',
  NINEFOLD_SESSION_MEMORY_BYTES: String(256 * MIB),
  // The neighbour's sessions need about 240 MiB for their caches of the catalog.
  NINEFOLD_APP_MEMORY_BYTES: String(352 * MIB),
  NINEFOLD_SESSION_TEMPORARY_BYTES: String(32 * MIB),
  NINEFOLD_APP_TEMPORARY_BYTES: String(40 * MIB),
  NINEFOLD_APP_DATABASE_BYTES: String(64 * MIB),
  NINEFOLD_APP_STATEMENT_SECONDS: '8',
  NINEFOLD_APP_TRANSACTION_SECONDS: '10',
  NINEFOLD_APP_IDLE_TRANSACTION_SECONDS: '7',
  NINEFOLD_APP_ANALYZE_SECONDS: '2',
  NINEFOLD_SHARED_CATALOG_BYTES_PER_SECOND: String(MIB),
  NINEFOLD_NOTIFY_QUEUE_BYTES: String(4 * MIB),
  NINEFOLD_NOTIFY_LISTENER_SECONDS: '4',
  NINEFOLD_NOTIFY_BYTES_PER_SECOND: String(8 * MIB),
  NINEFOLD_APP_SUSPENSION_SECONDS: '2',
};
const CONNECTIONS = 16;
/** Pause of each connection after a call. Without it, the calls of the neighbour would take all processors from the attack. */
const PAUSE_MILLISECONDS = 100;
/** Connections to the neighbour in each of three tests that run at once. */
const CONNECTIONS_SIDE_BY_SIDE = 6;
const ATTACK_MILLISECONDS = 5000;

/** The memory limits work on Linux only. */
const isEnforcedHere = ([limit = '']: string[]): boolean => process.platform === 'linux' || !limit.includes('Memory');

const node = ownNode('app-bounds', () => env);
let neighbour: AppConnection;
beforeAll(async () => {
  neighbour = await createAppWith(node, 'create table public.notes (id int generated always as identity, note text)');
});

const call = (app: AppConnection, method: string, path: string, body?: unknown): Promise<HttpResponse> =>
  send(node.url, `/apps/${app.ref}/rest/v1${path}`, {
    method,
    headers: { apikey: app.anon_key, 'content-type': 'application/json' },
    ownConnection: true,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** Calls the neighbour over `connections` parallel connections while the work runs. Expects each call to succeed. */
async function besideNeighbour<T>(work: () => Promise<T>, connections = CONNECTIONS): Promise<T> {
  let isOver = false;
  const failed: string[] = [];
  let calls = 0;
  const callers = Array.from({ length: connections }, async (_, i) => {
    while (!isOver) {
      const response = await (i % 2 === 0
        ? call(neighbour, 'GET', '/notes?limit=1')
        : call(neighbour, 'POST', '/notes', { note: 'x' }));
      calls++;
      if (response.status >= 400) failed.push(`${response.status} ${response.body}`);
      await delay(PAUSE_MILLISECONDS);
    }
  });
  const result = await work().finally(() => {
    isOver = true;
  });
  await Promise.all(callers);
  expect(failed.slice(0, 3)).toEqual([]);
  expect(calls).toBeGreaterThanOrEqual(connections);
  return result;
}

interface Refusal {
  status: number;
  code: string;
  details: Record<string, unknown> | null;
}

/** Runs SQL on the SQL page as the app's owner. Returns the refusal, or null if the SQL succeeded. */
async function sqlRefusal(app: AppConnection, sql: string): Promise<Refusal | null> {
  const response = await send(node.url, `/admin/v1/apps/${app.ref}/sql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sql }),
    ownConnection: true,
  });
  return response.status < 400 ? null : { status: response.status, ...JSON.parse(response.body) };
}

const exceeded = (limit: string) => ({
  status: 503,
  code: 'app_limit_exceeded',
  details: expect.objectContaining({ limit }),
});

const databaseUrl = async (app: AppConnection): Promise<string> =>
  (await admin<{ database_url: string }>(node, 'GET', `/apps/${app.ref}/connection`)).database_url;

/** Logs in as the app's owner, as a builder's own program does. */
async function logIn(app: AppConnection, url?: string): Promise<{ client: pg.Client; ended: Promise<void> }> {
  const client = new pg.Client(url ?? (await databaseUrl(app)));
  const ended = new Promise<void>((resolve) => client.on('end', () => resolve()));
  client.on('error', () => undefined);
  await client.connect();
  return { client, ended };
}

/** Returns the event with app, limit and value that the primary logged when an app exceeded a limit. */
const logged = (app: AppConnection, limit: string): unknown =>
  node
    .logs()
    .split('\n')
    .filter((line) => line.includes('"app bounded"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .find((event) => event.app === app.ref && event.limit === limit);

describe('an app that exceeds a limit', () => {
  it.each([
    ['appLocks', 'advisory locks', 'select pg_try_advisory_lock(generate_series(1, 3000000))'],
    [
      'appLocks',
      'tables created in one transaction',
      `do $$ begin for i in 1..20000 loop execute format('create table public.t%s ()', i); end loop; raise 'end'; end $$`,
    ],
    [
      'appDatabaseBytes',
      'rows of an endless query',
      `create table public.heap (x text);
       insert into public.heap select repeat(md5(i::text), 30) from (select generate_series(1, 3000000) i) numbers`,
    ],
    ['appTemporaryBytes', 'exported snapshots', 'select count(pg_export_snapshot()) from generate_series(1, 300000)'],
    [
      'sharedCatalogBytesPerSecond',
      'comments on the database',
      `do $$ declare big text := (select string_agg(md5(random()::text), '') from generate_series(1, 30000)); begin
         for i in 1..1000 loop execute format('comment on database %I is %L', current_database(), big || i); end loop; end $$`,
    ],
  ])('names the exceeded limit %s (%s) in the error, and other apps keep working', async (limit, _, sql) => {
    const app = await createApp(node);
    const refusal = await besideNeighbour(() => sqlRefusal(app, sql));
    expect(refusal).toMatchObject(exceeded(limit));
    await expect.poll(() => logged(app, limit)).toMatchObject({ value: expect.any(Number), bound: expect.any(Number) });
  });

  it.each(
    [
      [
        'appMemoryBytes',
        `select length(string_agg(repeat('x', 100000), '')), pg_sleep(5) from generate_series(1, 1000)`,
      ],
      ['appTemporaryBytes', 'select pg_sleep(5) from generate_series(1, 1000000) limit 1'],
    ].filter(isEnforcedHere),
  )('ends the largest of several sessions that together exceed %s', async (limit, sql) => {
    const app = await createApp(node);
    const refusals = await besideNeighbour(() => Promise.all(Array.from({ length: 5 }, () => sqlRefusal(app, sql))));
    expect(refusals).toContainEqual(expect.objectContaining(exceeded(limit)));
  });

  it.runIf(process.platform === 'linux')('exceeds appMemoryBytes with memory that parallel workers share', async () => {
    const app = await createAppWith(
      node,
      `create table public.numbers as select generate_series(1, 1200000) i;
       alter table public.numbers set (parallel_workers = 4);
       analyze public.numbers`,
    );
    const refusal = await besideNeighbour(() =>
      sqlRefusal(
        app,
        `set work_mem = '2GB'; set hash_mem_multiplier = 1000; set max_parallel_workers_per_gather = 4; set min_parallel_table_scan_size = 0;
         set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set enable_mergejoin = off; set enable_nestloop = off;
         select count(*) from numbers a ${'bcdefg'.replaceAll(/./g, ' join numbers $& using (i)')}`,
      ),
    );
    expect(refusal).toMatchObject(exceeded('appMemoryBytes'));
  });

  it.each(
    [
      [
        'sessionMemoryBytes',
        '53200',
        `select length(string_agg(repeat('x', 1000000), '')) from generate_series(1, 900)`,
      ],
      [
        'sessionTemporaryBytes',
        '53400',
        'select count(*) from (select i from generate_series(1, 9000000) i order by -i) x',
      ],
    ].filter(isEnforcedHere),
  )(
    'exceeds %s with one statement, which fails with SQLSTATE %s while no process is killed',
    async (_, sqlstate, sql) => {
      const app = await createApp(node);
      const refusal = await besideNeighbour(() => sqlRefusal(app, sql));
      expect(refusal).toMatchObject({ code: 'sql_failed', details: { sqlstate } });
      expect(node.logs()).not.toContain('starting it again');
    },
  );

  it('loses a listener that does not read its notifications, as soon as they exceed notifyQueueBytes', async () => {
    const app = await createApp(node);
    const { client, ended } = await logIn(app);
    await client.query('listen flood');
    await client.query('begin');
    await runSql(node, app.ref, `select pg_notify('flood', repeat('x', 7900) || i) from generate_series(1, 800) i`);
    await besideNeighbour(() => ended);
    await expect.poll(() => logged(app, 'notifyQueueBytes')).toBeDefined();
  });

  it('is suspended if it exceeds notifyBytesPerSecond', async () => {
    const app = await createApp(node);
    const flood = `select pg_notify('flood', repeat('x', 7900) || i) from generate_series(1, 5000) i`;
    const refusal = await besideNeighbour(async () => {
      for (;;) {
        const refused = await sqlRefusal(app, flood);
        if (refused) return refused;
      }
    });
    expect(refusal).toMatchObject(exceeded('notifyBytesPerSecond'));
  });
});

it('the app refuses SQL that PostgreSQL would read for minutes, wherever an owner sends it', async () => {
  const app = await createApp(node);
  const sql = `select 1 ${'/*'.repeat(20_000)}`;
  const refusals = await Promise.all(
    [
      ['/sql', { sql }],
      ['/migrations', { files: [{ name: '1.sql', sql }] }],
      ['/migrations/trial', { files: [{ name: '1.sql', sql }] }],
    ].map(async ([path, body]) => {
      const { status, body: text } = await send(node.url, `/admin/v1/apps/${app.ref}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return [status, JSON.parse(text).code];
    }),
  );
  expect(refusals).toEqual(Array(3).fill([400, 'sql_too_complex']));
  const { client } = await logIn(app);
  await expect(client.query(sql)).rejects.toMatchObject({ code: '54001' });
  await client.query(`select cron.schedule('long', '1 seconds', repeat('/*', 20000))`);
  const runs = async () => (await client.query('select status, return_message from cron.job_run_details')).rows;
  await expect
    .poll(runs, { timeout: 30_000 })
    .toContainEqual({ status: 'failed', return_message: expect.stringContaining('too long to read this SQL') });
  await client.end();
});

describe.concurrent('an app that exceeds a time limit', () => {
  const besideOthers = <T>(work: () => Promise<T>): Promise<T> => besideNeighbour(work, CONNECTIONS_SIDE_BY_SIDE);

  it('names appStatementSeconds in the error of an endless statement, and other apps keep working', async ({
    expect,
  }) => {
    const app = await createApp(node);
    const refusal = await besideOthers(() => sqlRefusal(app, 'set statement_timeout = 0; select pg_sleep(60)'));
    expect(refusal).toMatchObject(exceeded('appStatementSeconds'));
    await expect
      .poll(() => logged(app, 'appStatementSeconds'))
      .toMatchObject({ value: expect.any(Number), bound: expect.any(Number) });
  });

  it.runIf(process.platform === 'linux')(
    'loses a session that computes in a loop without a check for interrupts, and no other session ends',
    async ({ expect }) => {
      const app = await createApp(node);
      const { client: other } = await logIn(app);
      const { client, ended } = await logIn(app);
      const caught = `do $$ begin execute repeat('/*', 5000000); exception when others then loop end loop; end $$`;
      const endless = expect(client.query(caught)).rejects.toMatchObject({ code: '57P01' });
      await besideOthers(() => Promise.all([endless, ended]));
      expect((await other.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      await other.end();
    },
  );

  it.runIf(process.platform === 'linux')(
    'is deleted although a session computes in such a loop',
    async ({ expect }) => {
      const app = await createApp(node);
      const { client, ended } = await logIn(app);
      const orders = Array.from({ length: 150_000 }, (_, i) => `${i}+1`).join();
      const planned = client.query(`set statement_timeout = 0; select 1 order by ${orders}`).catch(() => undefined);
      const { client: other } = await logIn(app);
      const active = `select from pg_stat_activity where state = 'active' and now() - query_start > '1 s' and pid <> pg_backend_pid()`;
      await expect.poll(async () => (await other.query(active)).rowCount).toBe(1);
      // If the machine is so busy that the session is not interrupted in time, the deletion is refused and works later.
      const deletion = () => deleteApp(node, app.ref).then(() => 'deleted', String);
      await expect.poll(deletion, { timeout: 100_000 }).toBe('deleted');
      await Promise.all([planned, ended]);
    },
  );

  it('loses a session that exceeds appIdleTransactionSeconds', async ({ expect }) => {
    const app = await createApp(node);
    const { client, ended } = await logIn(app);
    await client.query('set idle_in_transaction_session_timeout = 0');
    await client.query('begin');
    await besideOthers(() => ended);
    await expect.poll(() => logged(app, 'appIdleTransactionSeconds')).toBeDefined();
  });

  it('loses a session that exceeds appTransactionSeconds with short statements', async ({ expect }) => {
    const app = await createApp(node);
    const { client, ended } = await logIn(app);
    await client.query('set transaction_timeout = 0');
    await client.query('begin');
    const statements = async () => {
      for (;;) await client.query('select pg_sleep(0.2)');
    };
    await besideOthers(() => Promise.all([expect(statements()).rejects.toThrow(), ended]));
    await expect.poll(() => logged(app, 'appTransactionSeconds')).toBeDefined();
  });

  it('ends an autovacuum worker that analyzes one table for longer than appAnalyzeSeconds', async ({ expect }) => {
    const app = await createAppWith(
      node,
      `create function public.wait_for_ever(id int) returns int immutable language plpgsql as
         $$ begin if current_setting('application_name') = '' then perform pg_sleep(3600); end if; return id; end $$;
       create table public.trap (id int) with (autovacuum_analyze_threshold = 1);
       create index on public.trap (wait_for_ever(id));
       insert into public.trap select generate_series(1, 1000)`,
    );
    await withClient(await superuserUrl(node, 'postgres'), async (client) => {
      const set = async (sql: string) => {
        await client.query(`alter system ${sql}`);
        await client.query('select pg_reload_conf()');
      };
      await set(`set autovacuum_naptime = '1s'`);
      try {
        await expect.poll(() => logged(app, 'appAnalyzeSeconds'), { timeout: 30_000 }).toMatchObject({ sessions: 1 });
      } finally {
        await set('reset autovacuum_naptime');
      }
    });
  });
});

describe('an app that blocks an object that all apps share', () => {
  /** Statements that wait for the holder before PostgreSQL checks the privileges. Other sessions wait behind them. */
  it.each([
    ['alter role $self in database $other set work_mem = $$4MB$$', 'drop database $other'],
    ['alter role $self in database $other set work_mem = $$4MB$$', 'alter database $other rename to stolen'],
    ['alter role $self in database postgres set work_mem = $$4MB$$', 'drop database postgres'],
    [
      'select count(*) from pg_catalog.pg_database',
      'create rule trap as on insert to pg_catalog.pg_database_of_server do instead nothing',
    ],
    [
      'comment on database $self is $$own$$',
      'create trigger trap before insert on pg_catalog.pg_shdescription_of_server for each row execute function suppress_redundant_updates_trigger()',
    ],
  ])('is suspended if a session with “%s” blocks “%s”, and other apps can log in', async (held, waiting) => {
    const app = await createApp(node);
    const fill = (sql: string) =>
      sql.replaceAll('$self', () => `"app_${app.ref}"`).replaceAll('$other', () => `"app_${neighbour.ref}"`);
    const own = await logIn(neighbour);
    const [holder, waiter] = await Promise.all([logIn(app), logIn(app)]);
    await own.client.query(
      `begin; comment on database "app_${neighbour.ref}" is 'own'; alter database "app_${neighbour.ref}" set work_mem = '5MB';
       create table public.granted (); grant select on public.granted to anon`,
    );
    await holder.client.query(`begin; ${fill(held)}`);
    const refused = expect(waiter.client.query(fill(waiting))).rejects.toThrow();
    await withClient(await databaseUrl(neighbour), (client) => client.query('select 1'));
    await Promise.all([holder.ended, refused]);
    await expect.poll(() => logged(app, 'appLocks')).toMatchObject({ suspendedSeconds: expect.any(Number) });
    // The watchdog does not end a session for locks on its own database.
    await own.client.query('rollback');
    await Promise.all([own, waiter].map(({ client }) => client.end()));
  });
});

describe('an app whose owner reconnects after each ended session', () => {
  it.each(boundAttacks.filter(({ name }) => ['advisory locks', 'notifications'].includes(name)))(
    'is suspended when it repeats $name, and other apps keep working',
    async (one) => {
      const app = await createApp(node);
      const errors = await besideNeighbour(async () => attack(await databaseUrl(app), one, ATTACK_MILLISECONDS));
      // While the app is suspended its owner cannot log in.
      expect([...errors.keys()]).toContain('28000');
      await expect.poll(() => logged(app, one.limit)).toMatchObject({ suspendedSeconds: expect.any(Number) });
    },
  );
});

describe('a suspended app', () => {
  it('stays suspended in a worker that starts during the suspension', async () => {
    const own = await startNode({ env: { ...env, NINEFOLD_APP_SUSPENSION_SECONDS: '300' } });
    try {
      const app = await createApp(own);
      await runSql(own, app.ref, 'create table public.notes (id int)');
      const status = () =>
        send(own.url, `/apps/${app.ref}/rest/v1/notes`, { headers: { apikey: app.anon_key }, ownConnection: true });
      expect((await status()).status).toBe(200);
      await expect(runSql(own, app.ref, 'select pg_try_advisory_lock(generate_series(1, 3000000))')).rejects.toThrow(
        'app_limit_exceeded',
      );
      const { workers } = await partsOf(own.pid);
      for (const pid of workers) process.kill(pid, 'SIGKILL');
      const isReplaced = async () => {
        const { workers: started } = await partsOf(own.pid);
        return started.length === workers.length && !started.some((pid) => workers.includes(pid));
      };
      await expect.poll(isReplaced, { timeout: 20_000 }).toBe(true);
      const answered = async () => {
        const found = await status().catch(() => null);
        // Under load a worker that has just started may wait too long for its first connection.
        return found && !found.body.includes('database_unavailable') ? found : null;
      };
      const response = await vi.waitUntil(answered, { timeout: 60_000 });
      expect({ status: response.status, ...JSON.parse(response.body) }).toMatchObject(exceeded('appLocks'));
    } finally {
      await own.stop();
    }
  });

  it('is refused and runs no jobs until the suspension ends, and then works as before', async () => {
    const app = await createAppWith(
      node,
      `create table public.notes (id int);
       select cron.schedule('tick', '1 seconds', 'select 1');
       create function public.lock_all() returns bigint language sql as
         'select count(held) from (select pg_try_advisory_lock(generate_series(1, 3000000)) held) locks';
       grant execute on function pg_try_advisory_lock(bigint) to anon`,
    );
    const attacked = await besideNeighbour(() => call(app, 'POST', '/rpc/lock_all'));
    expect({ status: attacked.status, ...JSON.parse(attacked.body) }).toMatchObject(exceeded('appLocks'));
    const refused = await call(app, 'GET', '/notes');
    expect({ status: refused.status, ...JSON.parse(refused.body) }).toMatchObject(exceeded('appLocks'));
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await expect(logIn(app)).rejects.toMatchObject({ code: '28000' });
    await expect.poll(async () => (await call(app, 'GET', '/notes')).status, { timeout: 10_000 }).toBe(200);
    await (await logIn(app)).client.end();
    const runs = async () => {
      const sql = `select count(*) filter (where status = 'failed'), max(start_time) filter (where status = 'succeeded') > now() - interval '1 s'
        from cron.job_run_details`;
      return (await runSql(node, app.ref, sql)).results[0]?.rows[0] ?? [];
    };
    await expect.poll(async () => (await runs())[1], { timeout: 20_000 }).toBe('t');
    // One job may have been running when the suspension began. A node that continued would fail to log in every second.
    expect(Number((await runs())[0])).toBeLessThan(2);
  });

  it('lets its owner log in after the node was killed and restarted', async () => {
    const app = await createApp(node);
    const flood = boundAttacks.find(({ name }) => name === 'advisory locks');
    if (flood) await attack(await databaseUrl(app), flood, 1000);
    await expect(logIn(app)).rejects.toMatchObject({ code: '28000' });
    await node.kill9();
    await node.startAgain(env);
    await (await logIn(app)).client.end();
  });
});

describe('an app whose database has reached appDatabaseBytes', () => {
  it('can read and delete but not insert until rows are deleted', async () => {
    const app = await createAppWith(
      node,
      `create table public.heap (id int generated always as identity, x text);
       create function public.add_one() returns void language sql as 'insert into public.heap (x) values (1)';
       create function public.purge() returns void language sql as 'delete from public.heap';
       create function public.size() returns int language sql as 'select count(*)::int from public.heap'`,
    );
    await sqlRefusal(
      app,
      'insert into public.heap (x) select repeat(md5(i::text), 30) from generate_series(1, 70000) i',
    );
    await expect.poll(async () => (await call(app, 'POST', '/heap', { x: 'x' })).status, { timeout: 10_000 }).toBe(507);
    const refused = await call(app, 'PATCH', '/heap?id=eq.1', { x: 'y' });
    expect(JSON.parse(refused.body)).toMatchObject({
      code: 'app_storage_full',
      details: { limit: 'appDatabaseBytes' },
    });
    expect((await call(app, 'GET', '/heap?limit=1')).status).toBe(200);
    // PostgreSQL cannot know whether a volatile function inserts rows before it runs the function.
    for (const name of ['add_one', 'purge']) {
      const { status, body } = await call(app, 'POST', `/rpc/${name}`, {});
      expect([name, status, JSON.parse(body).code]).toEqual([name, 507, 'app_storage_full']);
    }
    expect((await call(app, 'POST', '/rpc/size', {})).status).toBe(200);
    expect((await call(app, 'DELETE', '/heap?id=eq.1')).status).toBe(204);
    await runSql(node, app.ref, 'truncate public.heap');
    await expect.poll(async () => (await call(app, 'POST', '/heap', { x: 'x' })).status, { timeout: 10_000 }).toBe(201);
  });
});

describe('the owner of an app', () => {
  it('cannot change the limits that PostgreSQL enforces for the app', async () => {
    const app = await createApp(node);
    const role = `"app_${app.ref}"`;
    const refused = await Promise.all(
      [
        `alter role ${role} reset temp_file_limit`,
        `alter role ${role} set temp_file_limit = -1`,
        `alter role ${role} in database ${role} set temp_file_limit = -1`,
        `alter database ${role} set temp_file_limit = -1`,
        `alter role ${role} connection limit 200`,
        'set temp_file_limit = -1',
        `create function public.f() returns int language sql set temp_file_limit = -1 as 'select 1'`,
      ].map((sql) => sqlRefusal(app, sql)),
    );
    expect(refused.map((refusal) => refusal?.details?.sqlstate)).toEqual(Array(7).fill('42501'));
    await sqlRefusal(app, `alter role ${role} reset all`);
    const { results } = await runSql(node, app.ref, 'show temp_file_limit');
    expect(results.at(-1)?.rows).toEqual([['32MB']]);
  });

  it('can grant EXECUTE on the advisory lock functions, which other roles cannot call otherwise', async () => {
    const app = await createAppWith(
      node,
      `create function public.lock_one() returns boolean language sql as 'select pg_try_advisory_xact_lock(1)'`,
    );
    expect((await call(app, 'POST', '/rpc/lock_one')).status).toBe(401);
    await runSql(node, app.ref, 'grant execute on function pg_try_advisory_xact_lock(bigint) to anon');
    expect((await call(app, 'POST', '/rpc/lock_one')).status).toBe(200);
  });

  it('cannot log in more often than loginsPerSecond allows', async () => {
    const app = await createApp(node);
    const flood = boundAttacks.find(({ name }) => name === 'connections');
    const seconds = 3;
    const errors = await besideNeighbour(async () =>
      flood ? attack(await databaseUrl(app), flood, seconds * 1000) : new Map(),
    );
    const logins = [...errors.values()].reduce((sum, times) => sum + times, 0);
    // The limit lets the logins of two seconds through at once and delays others. Each session also ends with an error.
    expect(logins).toBeLessThan(limits.loginsPerSecond.default * (seconds + 2) + 2 * (flood?.sessions ?? 0));
  });

  it('leaves connections for requests while clients hold connections that have not logged in', async () => {
    const app = await createApp(node);
    const { port } = new URL(await databaseUrl(app));
    const user = Buffer.from(`user\0app_${app.ref}\0database\0app_${app.ref}\0\0`);
    const startup = Buffer.concat([Buffer.from([0, 0, 0, 8 + user.length, 0, 3, 0, 0]), user]);
    await withClient(await superuserUrl(node, 'postgres'), async (client) => {
      const sockets = Array.from({ length: 500 }, (_, i) => {
        const socket = connect(Number(port), '127.0.0.1');
        if (i % 2 === 0) socket.write(startup);
        return socket.on('error', () => undefined);
      });
      try {
        // The first request of a new app opens connections of a worker.
        const { status } = await besideNeighbour(async () => call(await createApp(node), 'GET', '/'));
        expect(status).toBe(200);
        const { rows } = await client.query<{ held: number }>(
          `select count(*)::int as held from pg_stat_activity where usename is null and backend_type = 'client backend'`,
        );
        expect(rows[0]?.held).toBeLessThan(60);
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    });
  });

  it('leaves connections for the requests of all apps', async () => {
    const app = await createApp(node);
    // One owner with 400 connections stands for the owners of twenty apps.
    await withClient(await superuserUrl(node, 'postgres'), (client) =>
      client.query(`alter role "app_${app.ref}" connection limit 400`),
    );
    const url = await overSocket(node, await databaseUrl(app));
    const clients: pg.Client[] = [];
    try {
      const refused = await besideNeighbour(async () => {
        const logins = await Promise.allSettled(Array.from({ length: 400 }, () => logIn(app, url)));
        for (const login of logins) if (login.status === 'fulfilled') clients.push(login.value.client);
        expect((await call(await createApp(node), 'GET', '/')).status).toBe(200);
        return logins.filter(({ status }) => status === 'rejected').length;
      });
      expect(refused).toBeGreaterThan(0);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  });
});
