import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp, createAppWith, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { send } from '../support/http.ts';

/** A change of a session or an account by SQL affects its access tokens on every worker within a second. */
const node = inject('node');
let app: AppConnection;

beforeAll(async () => {
  app = await createAppWith(
    node,
    `create function public.me() returns uuid language sql stable return auth.uid();
     create function public.change_password(hash text) returns void language sql security definer
       as $$ update auth.users set encrypted_password = hash where id = auth.uid() $$`,
  );
});

/** Returns the statuses of four calls with the token, spread over the workers. */
const statuses = (token: string): Promise<number[]> =>
  Promise.all(
    Array.from({ length: 4 }, async () => {
      const headers = { apikey: app.anon_key, authorization: `Bearer ${token}` };
      return (await send(node.url, `/apps/${app.ref}/rest/v1/rpc/me`, { headers, ownConnection: true })).status;
    }),
  );

const works = [200, 200, 200, 200];
const ended = [401, 401, 401, 401];

async function usedMember(): Promise<Member> {
  const member = await signUpMember(app);
  expect(await statuses(member.session.access_token)).toEqual(works);
  return member;
}

describe.each([
  ['the end of the session', (id: string) => `update auth.sessions set not_after = now() where user_id = '${id}'`],
  [
    'the end of the session, as the service role',
    (id: string) => `set role service_role; update auth.sessions set not_after = now() where user_id = '${id}'`,
  ],
  [
    'the end of the session, as the role of the auth calls',
    (id: string) => `set role supabase_auth_admin; update auth.sessions set not_after = now() where user_id = '${id}'`,
  ],
  [
    'the end of 300 sessions',
    (
      id: string,
    ) => `insert into auth.sessions (id, user_id) select gen_random_uuid(), '${id}' from generate_series(1, 300);
      update auth.sessions set not_after = now() where user_id = '${id}'`,
  ],
  ['a ban', (id: string) => `update auth.users set banned_until = now() + interval '1 day' where id = '${id}'`],
  ['a soft deletion', (id: string) => `update auth.users set deleted_at = now() where id = '${id}'`],
  ['another password', (id: string) => `update auth.users set encrypted_password = 'x' where id = '${id}'`],
])('%s, set by SQL,', (_, sql) => {
  it('ends the access token and the refresh token', async () => {
    const member = await usedMember();
    const other = await usedMember();
    await runSql(node, app.ref, sql(member.user.id));
    await expect.poll(() => statuses(member.session.access_token), { timeout: 1000, interval: 50 }).toEqual(ended);
    const { error } = await clientOf(app).auth.refreshSession(member.session);
    expect(error).not.toBeNull();
    expect(await statuses(other.session.access_token)).toEqual(works);
  });
});

it('the app ends an access token at a future not_after that SQL sets, although the token was used before', async () => {
  const member = await usedMember();
  await runSql(
    node,
    app.ref,
    `update auth.sessions set not_after = now() + interval '3 seconds' where user_id = '${member.user.id}'`,
  );
  const until = performance.now() + 3000;
  expect(await statuses(member.session.access_token)).toEqual(works);
  await expect.poll(() => statuses(member.session.access_token), { timeout: 4500, interval: 100 }).toEqual(ended);
  expect(performance.now()).toBeGreaterThan(until - 1000);
});

it('the app continues a session whose not_after SQL removes', async () => {
  const member = await usedMember();
  const set = (value: string) =>
    runSql(node, app.ref, `update auth.sessions set not_after = ${value} where user_id = '${member.user.id}'`);
  await set('now()');
  await expect.poll(() => statuses(member.session.access_token)).toEqual(ended);
  await set('null');
  await expect.poll(() => statuses(member.session.access_token)).toEqual(works);
});

it('the app ends the sessions of a member whom its trigger bans', async () => {
  const banning = await createAppWith(
    node,
    `create function public.ban() returns trigger language plpgsql as
       $$ begin new.banned_until := now() + interval '1 day'; return new; end $$;
     create trigger ban before update of raw_user_meta_data on auth.users for each row execute function public.ban()`,
  );
  const member = await signUpMember(banning);
  await runSql(
    node,
    banning.ref,
    `update auth.users set raw_user_meta_data = '{"a":1}' where id = '${member.user.id}'`,
  );
  await expect
    .poll(async () => (await runSql(node, banning.ref, 'select count(*) from auth.sessions')).results[0]?.rows)
    .toEqual([['0']]);
});

it('the app ends the other sessions of a member who changes the own password through a function of the app', async () => {
  const { email, password, session, client } = await usedMember();
  const elsewhere = await clientOf(app).auth.signInWithPassword({ email, password });
  const there = elsewhere.data.session?.access_token ?? '';
  expect(await statuses(there)).toEqual(works);
  const { error } = await client.rpc('change_password', { hash: 'x' });
  expect(error).toBeNull();
  await expect.poll(() => statuses(there), { timeout: 1000, interval: 50 }).toEqual(ended);
  expect(await statuses(session.access_token)).toEqual(works);
});

it('the app ends no session when the server replaces the password hash at sign-in', async () => {
  const member = await usedMember();
  // bcrypt of 'secret-word', as an import from an existing project stores it.
  const bcrypt = '$2a$10$abcdefghijklmnopqrstuuC7lnmZ6T1o2p1T1aW7w1xw3mD5i4bqK';
  await runSql(
    node,
    app.ref,
    `set role supabase_auth_admin; update auth.users set encrypted_password = '${bcrypt}' where id = '${member.user.id}'`,
  );
  await clientOf(app).auth.signInWithPassword({ email: member.email, password: 'secret-word' });
  expect(await statuses(member.session.access_token)).toEqual(works);
});

it('the journal records the sender of SQL, whatever author the SQL sets', async () => {
  const fresh = await createApp(node);
  expect((await runSql(node, fresh.ref, 'select * from ninefold.journal')).results[0]?.rows).toEqual([]);
  const journal = async () =>
    (
      await runSql(
        node,
        app.ref,
        `select what, made_by, migration from ninefold.journal where kind in ('schema', 'setting') order by id desc limit 1`,
      )
    ).results[0]?.rows[0];
  const forge = `select set_config('ninefold.made_by', 'Somebody Else', false), set_config('ninefold.migration', 'x.sql', false)`;
  await runSql(node, app.ref, `${forge}; commit; begin; create table public.forged (id int); commit`);
  expect(await journal()).toEqual(['CREATE TABLE', 'operator', null]);
  await admin(node, 'POST', `/apps/${app.ref}/migrations`, {
    files: [{ name: '0001_b.sql', sql: `${forge}; create table public.b (id int); set role service_role` }],
  });
  expect(await journal()).toEqual(['CREATE TABLE', 'operator', '0001_b.sql']);
  await admin(node, 'PUT', `/apps/${app.ref}/settings/db_max_rows`, { value: 7 });
  expect(await journal()).toEqual(['db_max_rows', 'operator', null]);
  for (const sql of [
    'delete from ninefold.journal',
    `insert into ninefold.journal (kind, what) values ('schema', 'x')`,
  ]) {
    await expect(runSql(node, app.ref, sql)).rejects.toThrow(/42501/);
  }
});
