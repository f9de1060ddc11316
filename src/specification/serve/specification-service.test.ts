import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type AppDatabase, startAppDatabase } from '../../../test/support/app-database.ts';
import { App } from '../../apps/app.ts';
import { serverPassword } from '../../apps/app-connections.ts';
import { makeKeys } from '../../apps/keys/make-keys.ts';
import { Origins } from '../../apps/registry/origins.ts';
import { plain } from '../../database/statement.ts';
import { Events } from '../../observe/events.ts';
import { ScreensOfCallers } from './portal-screens.ts';
import type { Input, Output, TaskName, TaskRunner } from './process/task-result.ts';
import { Tasks } from './process/tasks.ts';
import { SpecificationService } from './specification-service.ts';

/** Longest time in milliseconds until a notification of PostgreSQL has had its effect, on a machine that does much else. */
const TIMEOUT = 30_000;

let database: AppDatabase;
let app: App;
beforeAll(async () => {
  database = await startAppDatabase('specifier');
  const record = {
    ...makeKeys('desk'),
    ...{ name: 'Desk', database: database.target.database, schemaFile: '', createdAt: new Date().toISOString() },
    ...{ ownerPassword: 'for-tests-only', authenticatorPassword: 'for-tests-only' },
  };
  await database.pool.script(
    `create role app_desk login; create role app_desk_authenticator login noinherit password '${record.authenticatorPassword}';
     create role app_desk_server login password '${serverPassword(record)}'; grant ninefold_server to app_desk_server;
     grant authenticator to app_desk_authenticator; grant connect on database ${record.database} to app_desk_authenticator, app_desk_server`,
  );
  const limits = { connections: 3, idleMilliseconds: 60_000, waitMilliseconds: 10_000 };
  app = new App(record, {}, database.target, limits, new Events());
  await app.ready();
});
afterAll(async () => {
  await app?.close();
  await database?.stop();
});

/**
 * Runs tasks, and runs other work at two moments of a derivation: before the next task `deriveFromCached`, and before
 * the result of `derive` is reported.
 */
class InterruptedTasks implements TaskRunner {
  readonly #tasks = new Tasks();
  readonly names: TaskName[] = [];
  beforeDerivation: () => Promise<unknown> = async () => undefined;
  beforeReport: () => Promise<unknown> = async () => undefined;

  async run<Name extends TaskName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
    this.names.push(name);
    const before = this.beforeDerivation;
    if (name === 'deriveFromCached') {
      this.beforeDerivation = async () => undefined;
      await before();
    }
    const output = (this.#tasks[name] as (given: Input<Name>) => Output<Name>).call(this.#tasks, input);
    if (name === 'derive') await this.beforeReport();
    return output;
  }
}

const specificationsOf = (tasks: TaskRunner) =>
  new SpecificationService(
    tasks,
    new Origins({ url: 'http://127.0.0.1', isNamed: false, domain: null, defaultApp: null }),
  );

/** Runs SQL as the superuser. Waits until the worker has received the notification of a changed setting. */
async function run(sql: string): Promise<void> {
  const before = await app.settings();
  await database.pool.run([plain(sql)]);
  if (sql.includes('ninefold.settings')) await vi.waitUntil(async () => (await app.settings()) !== before, TIMEOUT);
}

it('SpecificationService reads the facts again after a change of a setting only if they depend on this setting', async () => {
  const tasks = new InterruptedTasks();
  const specifications = specificationsOf(tasks);
  const page = async () => Buffer.from(await specifications.page(app, 'markdown')).toString();
  const derivations = () => tasks.names.splice(0).filter((name) => name.startsWith('derive'));
  await page();
  derivations();
  await run(`insert into ninefold.settings (key, value) values ('db_max_rows', '1234')`);
  expect(await page()).toContain('1,234');
  expect(derivations()).toEqual(['deriveFromCached']);
  await run(`insert into ninefold.settings (key, value) values ('db_schemas', '["public", "shelf"]')`);
  await database.pool.script('create schema shelf; create table shelf.books (id int primary key)');
  expect(await page()).toContain('books');
  expect(derivations()).toEqual(['deriveFromCached', 'derive']);
  await run(`delete from ninefold.settings where key = 'db_schemas'`);
  await page();
  expect(derivations()).toEqual(['deriveFromCached', 'derive']);
  await run(`delete from ninefold.settings where key = 'db_max_rows'`);
  await database.pool.script('drop schema shelf cascade');
});

it.each([
  [
    'a setting',
    `insert into ninefold.settings (key, value) values ('db_max_rows', '17')`,
    `delete from ninefold.settings where key = 'db_max_rows'`,
  ],
  ['a table', 'create table public.between (id int)', 'drop table public.between'],
  [
    'a setting of the database',
    `alter database postgres set work_mem = '5MB'`,
    'alter database postgres reset work_mem',
  ],
])(
  'SpecificationService does not cache a specification if %s was changed and reversed during its derivation',
  async (_, change, reversal) => {
    const tasks = new InterruptedTasks();
    const specifications = specificationsOf(tasks);
    const hash = () => specifications.withVersion(app, async (found) => found);
    const before = await hash();
    await run(change);
    const changed = await hash();
    expect(changed).not.toBe(before);
    await run(reversal);
    tasks.beforeDerivation = () => run(change);
    await hash();
    await run(reversal);
    expect(await hash()).toBe(before);
  },
);

it('SpecificationService sends the task for the screens before the process reports the derivation', async () => {
  const tasks = new InterruptedTasks();
  tasks.beforeReport = () => vi.waitUntil(() => tasks.names.includes('memberScreens'), TIMEOUT);
  const screens = await specificationsOf(tasks).memberScreens(app, { role: 'anon', memberRoles: [] }, 'en');
  expect(JSON.parse(Buffer.from(screens).toString())).toMatchObject({ screens: [] });
  expect(tasks.names).toEqual(['deriveFromCached', 'derive', 'setState', 'memberScreens']);
});

it('SpecificationService derives the screens of the most recent caller after a change before the next request', async () => {
  const tasks = new InterruptedTasks();
  const screens = new ScreensOfCallers(specificationsOf(tasks));
  const before = await screens.for(app, { role: 'anon', userId: null, memberRole: null }, null);
  tasks.names.splice(0);
  await database.pool.script('create table public.shown (id int primary key); grant select on public.shown to anon');
  await vi.waitUntil(() => tasks.names.includes('memberScreens'), TIMEOUT);
  const after = await screens.for(app, { role: 'anon', userId: null, memberRole: null }, null);
  expect(after.etag).not.toBe(before.etag);
  expect(tasks.names.filter((name) => name === 'memberScreens')).toHaveLength(1);
});
