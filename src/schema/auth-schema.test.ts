import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultAuthSettings } from '../../contract/settings-auth.ts';
import { type AuthApp, authSeed, makeAuthApp } from '../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { uniqueEmail } from '../../test/support/unique.ts';
import { listSessions, revokeSessions } from '../accounts/sessions/sessions.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-schema', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

/** Runs a statement as the server runs a member's data call. */
async function as(role: string, claims: object | null, text: string): Promise<string | null> {
  const results = await app.database.run([
    {
      text: `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`,
      params: [role, claims === null ? '' : JSON.stringify(claims)],
    },
    { text, params: [] },
  ]);
  return results[1]?.rows[0]?.[0]?.toString('utf8') ?? null;
}

async function member(): Promise<{ id: string; token: string }> {
  const { body } = await app.ask('POST', '/signup', { body: { email: uniqueEmail(), password: 'correct horse' } });
  return { id: (body.user as { id: string }).id, token: String(body.access_token) };
}

describe('functions of schema auth for policies', () => {
  const claims = {
    sub: '6f1c0c9e-0000-4000-8000-000000000001',
    role: 'authenticated',
    email: 'ada@example.com',
    app_metadata: { plan: 'pro' },
  };

  it('return the claims of the caller', async () => {
    expect(await as('authenticated', claims, 'select auth.uid()')).toBe(claims.sub);
    expect(await as('authenticated', claims, 'select auth.role()')).toBe('authenticated');
    expect(await as('authenticated', claims, 'select auth.email()')).toBe('ada@example.com');
    expect(await as('authenticated', claims, `select auth.jwt() -> 'app_metadata' ->> 'plan'`)).toBe('pro');
  });

  it.each(['uid', 'role', 'email', 'jwt'])('return null from auth.%s() if no claims are set', async (name) => {
    expect(await as('anon', null, `select auth.${name}()`)).toBeNull();
  });

  it('return the claims in the settings that older versions of PostgREST used', async () => {
    const results = await app.database.run([
      { text: `select set_config('request.jwt.claim.sub', $1, true)`, params: [claims.sub] },
      { text: `select set_config('role', 'authenticated', true)`, params: [] },
      { text: 'select auth.uid()', params: [] },
    ]);
    expect(results[2]?.rows[0]?.[0]?.toString()).toBe(claims.sub);
  });

  it('cannot be replaced by a function that an app defines', async () => {
    await app.sql(
      `create function public.current_setting(text, boolean) returns text language sql as $$ select 'evil' $$`,
    );
    const results = await app.database.run([
      {
        text: `select set_config('search_path', 'public, pg_catalog', true), set_config('role', 'authenticated', true)`,
        params: [],
      },
      { text: `select set_config('request.jwt.claims', $1, true)`, params: [JSON.stringify(claims)] },
      { text: 'select auth.role()', params: [] },
    ]);
    expect(results[2]?.rows[0]?.[0]?.toString()).toBe('authenticated');
    await app.sql('drop function public.current_setting(text, boolean)');
  });
});

describe('tables of schema auth', () => {
  it.each(['anon', 'authenticated'])('are closed to %s, even if the owner grants privileges on them', async (role) => {
    await member();
    for (const table of [
      'users',
      'identities',
      'sessions',
      'refresh_tokens',
      'mfa_factors',
      'one_time_tokens',
      'audit_log_entries',
      'custom_oauth_providers',
      'webauthn_credentials',
      'webauthn_challenges',
    ]) {
      await expect(as(role, null, `select count(*) from auth.${table}`)).rejects.toMatchObject({ sqlstate: '42501' });
    }
    await expect(as(role, null, 'select * from ninefold.sign_in_failures')).rejects.toMatchObject({
      sqlstate: '42501',
    });
    await app.sql(`grant select on auth.users to ${role}`);
    expect(await as(role, null, 'select count(*) from auth.users')).toBe('0');
    await app.sql(`revoke select on auth.users from ${role}`);
  });

  it('can be referenced, seeded and observed by the app’s own tables and triggers', async () => {
    await app.sql(
      'create table public.profiles (id uuid primary key references auth.users on delete cascade, name text)',
    );
    await app.sql(`create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
      begin
        insert into public.profiles values (new.id, new.raw_user_meta_data ->> 'full_name');
        return new;
      end $$`);
    await app.sql(`create trigger on_auth_user_created after insert on auth.users
      for each row execute procedure public.handle_new_user()`);
    const { body } = await app.ask('POST', '/signup', {
      body: { email: uniqueEmail(), password: 'correct horse', data: { full_name: 'Ada' } },
    });
    const { id } = body.user as { id: string };
    expect(await app.sql('select name from public.profiles where id = $1', [id])).toEqual([{ name: 'Ada' }]);
    await app.sql('delete from auth.users where id = $1', [id]);
    expect(await app.sql('select from public.profiles where id = $1', [id])).toEqual([]);
  });

  it('confirm an account by an UPDATE after its INSERT, because triggers of apps expect this', async () => {
    await app.sql('create table public.confirmed (id uuid)');
    await app.sql(`create function public.note_confirmed() returns trigger language plpgsql security definer as $$
      begin insert into public.confirmed values (new.id); return new; end $$`);
    await app.sql(`create trigger on_confirmed after update on auth.users for each row
      when (old.email_confirmed_at is null and new.email_confirmed_at is not null) execute function public.note_confirmed()`);
    const { id } = await member();
    expect(await app.sql('select from public.confirmed where id = $1', [id])).toHaveLength(1);
  });

  it('run an app’s trigger as the owner of schema auth, without schemas of the app in the search path', async () => {
    await app.sql('create table public.seen (who text, path text)');
    await app.sql('grant insert on public.seen to public');
    await app.sql(`create function public.note_caller() returns trigger language plpgsql as $$
      begin insert into public.seen values (current_user, current_setting('search_path')); return new; end $$`);
    await app.sql(
      'create trigger note_caller after insert on auth.users for each row execute function public.note_caller()',
    );
    await member();
    expect(await app.sql('select * from public.seen')).toEqual([{ who: 'supabase_auth_admin', path: 'auth' }]);
    await app.sql('drop function public.note_caller() cascade');
  });

  it('have the tables and constraints of GoTrue’s newest migrations', async () => {
    const { id } = await member();
    await app.sql(
      `insert into auth.webauthn_credentials (user_id, credential_id, public_key) values ($1, '\\x01', '\\x02')`,
      [id],
    );
    await app.sql(
      `insert into auth.webauthn_challenges (user_id, challenge_type, session_data, expires_at) values ($1, 'signup', '{}', now())`,
      [id],
    );
    await expect(
      app.sql(
        `insert into auth.webauthn_challenges (challenge_type, session_data, expires_at) values ('x', '{}', now())`,
      ),
    ).rejects.toMatchObject({ sqlstate: '23514' });
    await expect(
      app.sql(`insert into auth.custom_oauth_providers (provider_type, identifier, name, client_id, client_secret)
        values ('oidc', 'custom:x', 'x', 'x', 'x')`),
    ).rejects.toMatchObject({ sqlstate: '23514' });
    expect(
      await as('service_role', null, `select sign_count || ' ' || transports from auth.webauthn_credentials`),
    ).toBe('0 []');
    await app.sql('delete from auth.users where id = $1', [id]);
    expect(
      await app.sql('select from auth.webauthn_credentials union all select from auth.webauthn_challenges'),
    ).toEqual([]);
  });

  it('belong to a schema that the app’s owner cannot change', async () => {
    for (const text of [
      'create table auth.mine (id int)',
      'drop table auth.sessions',
      'alter table auth.users disable trigger ninefold_user_banned',
      'alter table auth.sessions disable row level security',
      `create function auth.lower(varchar) returns text language sql as $$ select 'x' $$`,
      'drop function auth.uid()',
    ]) {
      await expect(app.sql(text), text).rejects.toMatchObject({ sqlstate: '42501' });
    }
  });
});

describe('notifications of ended sessions', () => {
  const heard = () => app.heard((payload) => payload.includes('revoked'));
  const sessionsOf = (id: string) => app.sql('select id from auth.sessions where user_id = $1', [id]);

  it.each([
    ['a row deleted by SQL', (id: string) => app.sql('delete from auth.sessions where user_id = $1', [id])],
    ['an account deleted', (id: string) => app.sql('delete from auth.users where id = $1', [id])],
    ['a ban by SQL', (id: string) => app.sql(`update auth.users set banned_until = 'infinity' where id = $1`, [id])],
    ['a soft deletion by SQL', (id: string) => app.sql('update auth.users set deleted_at = now() where id = $1', [id])],
    ['the console', (id: string) => revokeSessions(app.database, { userId: id })],
  ])('are sent to every node after: %s', async (_, end) => {
    const { id, token } = await member();
    expect((await app.identify({ authorization: `Bearer ${token}` })).userId).toBe(id);
    const [session] = await sessionsOf(id);
    const notification = heard();
    await end(id);
    expect(JSON.parse(await notification)).toEqual({ type: 'session-revoked', ids: [session?.id] });
    await expect(app.identify({ authorization: `Bearer ${token}` })).rejects.toMatchObject({ code: 'session_revoked' });
    expect(await sessionsOf(id)).toEqual([]);
  });

  const open = (id: string, count: number) =>
    app.sql('insert into auth.sessions (id, user_id) select gen_random_uuid(), $1 from generate_series(1, $2::int)', [
      id,
      String(count),
    ]);

  it('contain the ids of the ended sessions if these fit; otherwise they mean all sessions of the account', async () => {
    const { id, token } = await member();
    const ended = heard();
    await app.sql('delete from auth.sessions where user_id = $1', [id]);
    await ended;
    await open(id, 180);
    const named = heard();
    await app.sql('delete from auth.sessions where user_id = $1', [id]);
    expect(JSON.parse(await named).ids).toHaveLength(180);
    await open(id, 181);
    const all = heard();
    await app.sql('delete from auth.sessions where user_id = $1', [id]);
    expect(JSON.parse(await all)).toEqual({ type: 'sessions-revoked-all' });
    const truncated = heard();
    await app.sql('truncate auth.sessions cascade');
    expect(JSON.parse(await truncated)).toEqual({ type: 'sessions-revoked-all' });
    await expect(app.identify({ authorization: `Bearer ${token}` })).rejects.toMatchObject({ code: 'session_revoked' });
  });

  it('are not sent if a statement ends no session', async () => {
    const { id } = await member();
    await app.sql('delete from auth.sessions where id = gen_random_uuid()');
    await app.sql(`update auth.users set banned_until = now() - interval '1 day' where id = $1`, [id]);
    expect(await sessionsOf(id)).toHaveLength(1);
  });
});

it('listSessions lists sessions newest first with account, device and time', async () => {
  const { id } = await member();
  const [session] = await listSessions(app.database, defaultAuthSettings, { userId: id });
  expect(session).toEqual({
    id: expect.any(String),
    user_id: id,
    email: expect.stringContaining('@'),
    aal: 'aal1',
    ip: '127.0.0.1',
    user_agent: null,
    device: 'unknown client',
    amr: [{ method: 'password', timestamp: expect.any(Number) }],
    refreshed_at: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    ends_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
  const all = (await listSessions(app.database, defaultAuthSettings)).map(({ created_at }) => created_at);
  expect(all).toEqual(all.toSorted().reverse());
  expect(await listSessions(app.database, defaultAuthSettings, { limit: 1 })).toHaveLength(1);
});
