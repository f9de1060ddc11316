import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppDatabase, scriptIn, startAppDatabase } from '../../test/support/app-database.ts';
import type { Pool } from '../database/pool.ts';
import { OldMessages } from './old-messages.ts';

let database: AppDatabase;
let owner: Pool;
let server: Pool;
let authenticator: Pool;

beforeAll(async () => {
  database = await startAppDatabase('old-messages');
  [owner, server, authenticator] = [
    database.as('app_owner'),
    database.as('app_server'),
    database.as('app_authenticator'),
  ];
});

afterAll(() => database.stop());

const count = async (): Promise<string | undefined> => {
  const [result] = await owner.run([{ text: 'select count(*) from realtime.messages', params: [] }]);
  return result?.rows[0]?.[0]?.toString();
};

const insert = (age: string) =>
  scriptIn(
    owner,
    `insert into realtime.messages (topic, extension, event, inserted_at)
      values ('room', 'broadcast', 'n', (now() at time zone 'UTC') - interval '${age}')`,
  );

it('deletes old messages once an hour, and asks for the next check when others will be old', async () => {
  const faults: unknown[] = [];
  const old = new OldMessages(server, authenticator, (error) => faults.push(error));
  // The second one is in a partition with a new row.
  await insert('100 hours');
  await insert('121 hours');
  await insert('1 hour');
  const next = new Promise<number>((resolve) => void old.start(resolve));
  expect(await next).toBeGreaterThan(Date.now() + 2 * 86_400_000);
  expect(await count()).toBe('1');
  await insert('100 hours');
  await old.start(() => faults.push('a second check'));
  await old.stop();
  expect([await count(), faults]).toEqual(['2', []]);
});

it('runs triggers of the owner with the privileges of the owner only', async () => {
  await scriptIn(
    owner,
    `create table public.seen (who text);
    grant insert on public.seen to public;
    create function public.spy() returns trigger language plpgsql as $$
      begin insert into public.seen values (current_user); return null; end $$;
    create constraint trigger spy after delete on realtime.messages deferrable initially deferred
      for each row execute function public.spy();`,
  );
  await insert('121 hours');
  await insert('1 hour');
  await new Promise<number>((resolve) => void new OldMessages(server, authenticator, () => undefined).start(resolve));
  const [seen] = await owner.run([{ text: 'select distinct who from public.seen', params: [] }]);
  const users = seen?.rows.map(([who]) => who?.toString()) ?? [];
  // Since PostgreSQL 18, a deferred trigger runs as the role that caused it, before as the role of the transaction.
  expect([['pg_database_owner'], ['service_role']]).toContainEqual(users);
});
