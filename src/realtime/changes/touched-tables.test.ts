import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type AppDatabase, scriptIn, startAppDatabase } from '../../../test/support/app-database.ts';
import { changesApp, type TestApp } from '../../../test/support/changes-app.ts';
import type { Pool } from '../../database/pool.ts';
import { rowsAsText } from '../../database/statement.ts';
import { ChangeLog } from './change-log.ts';
import { TouchedTables } from './touched-tables.ts';

let database: AppDatabase;
let owner: Pool;
let app: TestApp;
let log: ChangeLog;
let touched: TouchedTables;

beforeAll(async () => {
  database = await startAppDatabase('touched');
  owner = database.as('app_owner');
  await owner.script(`create table public.plain (id int);
    create table public.parted (id int) partition by range (id);
    create table public.first partition of public.parted for values from (0) to (10);
    create table public.published (id int primary key); alter publication supabase_realtime add table public.published;
    create view public.seen as select * from public.plain`);
  app = changesApp(database);
  log = new ChangeLog(app);
  touched = new TouchedTables(app, log);
}, 60_000);

afterAll(async () => {
  touched?.close();
  log?.close();
  await app?.serverDatabase.close();
  await database?.stop();
});

async function watch(...names: string[]) {
  const onTouched = vi.fn();
  const end = await touched.watch(
    names.map((name) => ({ schema: 'public', name })),
    onTouched,
  );
  return { onTouched, end };
}

async function write(sql: string): Promise<void> {
  await scriptIn(owner, sql);
  log.poke();
}

it('reports a table that a transaction has changed, once for each read, and no other table', async () => {
  const [plain, parted, published] = [await watch('plain'), await watch('parted'), await watch('published')];
  await write('insert into public.plain select generate_series(1, 3); insert into public.plain values (4)');
  await expect.poll(() => plain.onTouched.mock.calls.length).toBe(1);
  await write('insert into public.first values (1)');
  await expect.poll(() => parted.onTouched.mock.calls.length).toBe(1);
  await write('insert into public.published values (1)');
  await expect.poll(() => published.onTouched.mock.calls.length).toBe(1);
  await write('truncate public.plain');
  await expect.poll(() => plain.onTouched.mock.calls.length).toBe(2);
  app.notify({ type: 'schema' });
  expect(parted.onTouched).toHaveBeenCalledTimes(2);
  for (const { end } of [plain, parted, published]) end();
});

it('adds no second trigger, and refuses a view', async () => {
  const { end } = await watch('plain');
  const [triggers] = await owner.run([
    {
      text: `select count(*) from pg_trigger where tgrelid = 'public.plain'::regclass and not tgisinternal`,
      params: [],
    },
  ]);
  expect(triggers && rowsAsText(triggers)).toEqual([{ count: '1' }]);
  await expect(watch('seen')).rejects.toThrow('cannot be followed');
  end();
});
