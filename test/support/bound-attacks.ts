import pg from 'pg';

/**
 * Database sessions with which the owner of an app tries to use more of the server than its limits allow. If the server
 * ends such a session, the attack opens another one.
 */
export interface BoundAttack {
  /** Name in contract/limits/apps.ts of the limit that the attack exceeds. */
  readonly limit: string;
  readonly name: string;
  /** SQL that runs once before the attack. */
  readonly setup?: string;
  /** Statements that each session repeats. */
  readonly statements: readonly string[];
  readonly sessions: number;
  /** True if the session is idle after its statements, until the server ends it. */
  readonly waits?: boolean;
}

export const boundAttacks: readonly BoundAttack[] = [
  {
    limit: 'appLocks',
    name: 'advisory locks',
    statements: ['select pg_try_advisory_lock(generate_series(1, 3000000))'],
    sessions: 4,
  },
  {
    limit: 'appLocks',
    name: 'locks of tables that one transaction creates',
    statements: [
      `do $$ begin for i in 1..100000 loop execute format('create table public.t%s ()', i); end loop; raise exception 'again'; end $$`,
    ],
    sessions: 2,
  },
  {
    limit: 'sessionMemoryBytes',
    name: 'memory of one statement',
    statements: [`select length(string_agg(repeat('x', 1000000), '')) from generate_series(1, 900)`],
    sessions: 1,
  },
  {
    limit: 'appMemoryBytes',
    name: 'memory of many sessions',
    statements: [`select length(string_agg(repeat('x', 100000), '')), pg_sleep(1) from generate_series(1, 2500)`],
    sessions: 16,
  },
  {
    limit: 'sessionTemporaryBytes',
    name: 'temporary files',
    statements: [
      `select count(*) from (select i, repeat('x', 500) from generate_series(1, 20000000) i order by 2, 1 desc) big`,
    ],
    sessions: 2,
  },
  {
    limit: 'appTemporaryBytes',
    name: 'exported snapshots',
    statements: ['select count(pg_export_snapshot()) from generate_series(1, 1000000)'],
    sessions: 2,
  },
  {
    limit: 'sharedCatalogBytesPerSecond',
    name: 'writes to shared catalogs',
    statements: [
      `do $$ declare big text := (select string_agg(md5(random()::text), '') from generate_series(1, 100000)); begin
         for i in 1..1000 loop execute format('comment on database %I is %L', current_database(), big || i); end loop; end $$`,
    ],
    sessions: 2,
  },
  {
    limit: 'notifyBytesPerSecond',
    name: 'notifications',
    statements: [`select pg_notify('flood', repeat('x', 7900) || i) from generate_series(1, 5000) i`],
    sessions: 4,
  },
  {
    limit: 'notifyQueueBytes',
    name: 'a listener that does not read',
    statements: [
      'listen flood',
      `select pg_notify('flood', repeat('x', 7900) || i) from generate_series(1, 500) i`,
      // PostgreSQL delivers notifications to a session only outside of its transactions. This transaction stays open, so
      // the queue retains the notifications of the other sessions.
      'begin',
      'select 1',
    ],
    sessions: 18,
    waits: true,
  },
  {
    limit: 'appDatabaseBytes',
    name: 'size of the database',
    setup: 'create table public.heap (x text)',
    statements: ['insert into public.heap select repeat(md5(i::text), 30) from generate_series(1, 100000) i'],
    sessions: 2,
  },
  {
    limit: 'ownerConnections',
    name: 'connections',
    statements: ['select pg_sleep(1)'],
    sessions: 60,
  },
  {
    limit: 'appProcessorShare',
    name: 'processor time',
    statements: ['select count(*) from generate_series(1, 2000000)'],
    sessions: 20,
  },
  {
    limit: 'appStatementSeconds',
    name: 'an endless statement',
    statements: ['set statement_timeout = 0', 'select pg_sleep(3600)'],
    sessions: 18,
  },
  {
    limit: 'appIdleTransactionSeconds',
    name: 'a session idle in a transaction',
    statements: ['set idle_in_transaction_session_timeout = 0', 'begin', 'select txid_current()'],
    sessions: 18,
    waits: true,
  },
  {
    limit: 'appTransactionSeconds',
    name: 'an endless transaction of short statements',
    statements: ['begin', ...Array.from({ length: 600 }, () => 'select pg_sleep(0.1)')],
    sessions: 18,
  },
];

/**
 * Runs an attack for the given time. Returns how often each error occurred. The key of an error is its SQLSTATE, or the
 * reason why the connection was lost.
 */
export async function attack(
  databaseUrl: string,
  { setup, ...what }: BoundAttack,
  milliseconds: number,
): Promise<Map<string, number>> {
  const met = new Map<string, number>();
  if (setup) await once(databaseUrl, [setup]);
  const until = performance.now() + milliseconds;
  await Promise.all(Array.from({ length: what.sessions }, () => session(databaseUrl, what, until, met)));
  return met;
}

async function once(databaseUrl: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function session(
  databaseUrl: string,
  { statements, waits }: Omit<BoundAttack, 'setup'>,
  until: number,
  met: Map<string, number>,
): Promise<void> {
  const note = (error: Error & { code?: string }) => {
    const key = error.code ?? error.message;
    met.set(key, (met.get(key) ?? 0) + 1);
  };
  while (performance.now() < until) {
    const client = new pg.Client({ connectionString: databaseUrl });
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    const over = setTimeout(
      () => (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy(),
      Math.max(0, until - performance.now()),
    );
    try {
      await client.connect();
      do {
        for (const statement of statements) await client.query(statement);
      } while (!waits && performance.now() < until);
      if (waits) await ended;
    } catch (error) {
      note(error as Error);
      // A refused login returns at once. Without a pause, the loop would keep this process so busy that it measures only itself.
      await new Promise((resolve) => setTimeout(resolve, 10));
    } finally {
      clearTimeout(over);
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    }
  }
}
