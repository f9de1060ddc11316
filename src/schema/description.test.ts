import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppDatabase, startAppDatabase } from '../../test/support/app-database.ts';
import type { Pool } from '../database/pool.ts';
import { rowsAsText } from '../database/statement.ts';

let database: AppDatabase;
let owner: Pool;
let calls: Pool;

const ada = randomUUID();
const bob = randomUUID();

beforeAll(async () => {
  database = await startAppDatabase('description');
  owner = database.as('app_owner');
  calls = database.as('app_authenticator');
  await owner.script(`create schema if not exists public; grant usage on schema public to authenticated;
    insert into auth.users (id) values ('${ada}'), ('${bob}');
    select ninefold.define_role('agent', 'Answers.'), ninefold.define_role('lead')`);
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

/** Returns one value as a data call with these claims reads it. */
async function ask(claims: object | null, text: string, role = 'authenticated'): Promise<string | null> {
  const [, result] = await calls.run([
    {
      text: `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`,
      params: [role, claims === null ? '' : JSON.stringify(claims)],
    },
    { text, params: [] },
  ]);
  return result?.rows[0]?.[0]?.toString('utf8') ?? null;
}

const isAgent = (claims: object | null, role?: string) => ask(claims, `select ninefold.has_role('agent')`, role);

describe('roles of members', () => {
  it('apply from the moment they are granted until they are revoked, whatever the token contains', async () => {
    const token = { sub: ada, role: 'authenticated', app_metadata: { roles: ['agent'] }, roles: ['agent'] };
    expect(await isAgent(token)).toBe('f');
    await owner.script(`select ninefold.grant_role('${ada}', 'agent'), ninefold.grant_role('${ada}', 'agent')`);
    expect([await isAgent(token), await isAgent({ sub: bob })]).toEqual(['t', 'f']);
    expect(await ask(token, 'select ninefold.my_roles()')).toBe('{agent}');
    await owner.script(`select ninefold.revoke_role('${ada}', 'agent')`);
    expect(await isAgent(token)).toBe('f');
  });

  it('do not apply without a session, with the token of another issuer, or with a claim that is not an id', async () => {
    expect(await isAgent(null, 'anon')).toBe('f');
    expect(await isAgent({ sub: 'firebase|123' })).toBe('f');
    expect(await isAgent({ role: 'service_role' }, 'service_role')).toBe('f');
  });

  it('are visible only to the member who has them, also through a view or a function of the owner', async () => {
    await owner.script(`select ninefold.grant_role('${ada}', 'lead'), ninefold.grant_role('${bob}', 'lead');
      create function public.leads() returns boolean language sql stable security definer set search_path = ''
        as $$ select ninefold.has_role('lead') $$`);
    expect(await ask({ sub: ada }, 'select count(*) from ninefold.member_roles')).toBe('1');
    expect(await ask({ sub: ada }, 'select public.leads()')).toBe('t');
    expect(await ask({ sub: randomUUID() }, 'select public.leads()')).toBe('f');
  });

  it('are granted and revoked by the owner and the service key, and not by a member', async () => {
    await ask({ role: 'service_role' }, `select ninefold.grant_role('${bob}', 'agent')`, 'service_role');
    expect(await isAgent({ sub: bob })).toBe('t');
    await expect(ask({ sub: ada }, `select ninefold.grant_role('${ada}', 'agent')`)).rejects.toMatchObject({
      fields: { sqlstate: '42501' },
    });
    await expect(ask({ sub: ada }, `select ninefold.revoke_role('${bob}', 'agent')`)).rejects.toMatchObject({
      fields: { sqlstate: '42501' },
    });
  });

  it('must be defined, and cannot have the name of a role of the database', async () => {
    const refused = (sql: string, sqlstate: string) =>
      expect(owner.script(sql)).rejects.toMatchObject({ fields: { sqlstate } });
    await refused(`select ninefold.grant_role('${ada}', 'boss')`, '42704');
    await refused(`select ninefold.grant_role('${randomUUID()}', 'agent')`, '23503');
    for (const name of ['service_role', 'anon', '', 'Agent', 'x y', 'x'.repeat(64)]) {
      await refused(`select ninefold.define_role('${name}')`, '23514');
    }
  });

  it('are removed from every member when they are dropped, and are removed with a deleted member', async () => {
    await owner.script(`select ninefold.drop_role('agent'); delete from auth.users where id = '${bob}'`);
    expect(await isAgent({ sub: ada })).toBe('f');
    const [left] = await owner.run([{ text: 'select user_id, role from ninefold.member_roles', params: [] }]);
    expect(left && rowsAsText(left)).toEqual([{ user_id: ada, role: 'lead' }]);
    await expect(owner.script(`select ninefold.drop_role('agent')`)).rejects.toMatchObject({
      fields: { sqlstate: '42704' },
    });
  });

  it('are read once per query, and not once per row, if a policy reads them in a subquery', async () => {
    await owner.script(`create table public.many as select g as id from generate_series(1, 100) g;
      alter table public.many enable row level security; grant select on public.many to authenticated;
      create policy leads on public.many using ((select ninefold.has_role('lead')))`);
    const explained = await ask(
      { sub: ada },
      'explain (analyze, costs off, timing off, format json) select id from public.many',
    );
    const [{ Plan: scan }] = JSON.parse(explained ?? '') as [{ Plan: { 'Actual Rows': number; Plans: object[] } }];
    expect(scan['Actual Rows']).toBe(100);
    expect(scan.Plans).toMatchObject([{ 'Parent Relationship': 'InitPlan', 'Actual Loops': 1 }]);
  });
});
