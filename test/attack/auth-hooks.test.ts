import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { uniqueEmail } from '../support/unique.ts';

/**
 * The owner of an app writes its hooks. A hook must not get more privileges than a trigger on auth.users, which runs on
 * the same connections.
 */
const node = inject('node');
let app: AppConnection;
let other: AppConnection;
beforeAll(async () => {
  [app, other] = await Promise.all([createApp(node), createApp(node)]);
  await runSql(
    node,
    app.ref,
    `create table public.seen (at timestamptz default clock_timestamp(), what text);
     grant insert, select on public.seen to supabase_auth_admin`,
  );
});

const set = (key: string, value: unknown) => admin(node, 'PUT', `/apps/${app.ref}/settings/hook_${key}`, { value });
const seen = async () =>
  (await runSql(node, app.ref, 'select what from public.seen order by at')).results[0]?.rows ?? [];

/** Code that tries to become another role or to leave the database, and records the result of each attempt. */
const attempts = (ref: string) => [
  'reset role',
  'set local role app_console',
  `set local role "app_${ref}"`,
  'set local role postgres',
  'set local role ninefold_server',
  `set local role "app_${other.ref}"`,
  'set local session authorization postgres',
  `perform pg_catalog.pg_read_file('/etc/passwd')`,
  `execute 'copy public.seen to program ''true'''`,
  'alter role supabase_auth_admin superuser',
  'perform pg_catalog.pg_terminate_backend(pid) from pg_catalog.pg_stat_activity where datname <> current_database()',
];

const hostile = (name: string, ref: string, answer: string) =>
  `create or replace function public.${name}(event jsonb) returns jsonb language plpgsql as $f$
   declare before text := current_user; who text; super boolean;
   begin
     ${attempts(ref)
       .map(
         (code) => `begin ${code};
           select current_user, rolsuper or session_user = 'postgres' into who, super from pg_catalog.pg_roles where rolname = current_user;
           set local role supabase_auth_admin;
           insert into public.seen (what) values (case when super then 'superuser by ' else 'no superuser ' end || who);
         exception when others then null; end;`,
       )
       .join('\n')}
     insert into public.seen (what) select 'session ' || session_user || ' ' || rolsuper from pg_catalog.pg_roles where rolname = session_user;
     return ${answer};
   end $f$;
   grant execute on function public.${name} to supabase_auth_admin`;

describe('a hostile hook function', () => {
  it.each([
    ['custom_access_token', 'event', () => signUpMember(app)],
    ['send_email', `'{}'::jsonb`, () => clientOf(app).auth.signInWithOtp({ email: uniqueEmail() })],
  ])('cannot become a role with access outside of the app (hook %s)', async (name, answer, call) => {
    await runSql(node, app.ref, `truncate public.seen; ${hostile(name, app.ref, answer)}`);
    await set(`${name}_uri`, `pg-functions://postgres/public/${name}`);
    await set(`${name}_enabled`, true);
    await call();
    await expect
      .poll(async () => (await seen()).at(-1)?.[0], { timeout: 10_000 })
      .toBe(`session app_${app.ref}_authenticator false`);
    const roles = new Set((await seen()).flat().filter((what) => !what?.startsWith('session')));
    expect(
      [...roles].filter(
        (what) => !/^no superuser (supabase_auth_admin|ninefold_server|app_.*_authenticator)$/.test(what ?? ''),
      ),
    ).toEqual([]);
    await set(`${name}_enabled`, false);
    expect((await signUpMember(app)).user.role).toBe('authenticated');
  });

  it('affects neither other apps nor the next call if it runs for long', async () => {
    await runSql(
      node,
      app.ref,
      `create or replace function public.slow(event jsonb) returns jsonb language plpgsql as $$
       begin perform pg_catalog.set_config('statement_timeout', '0', false); perform pg_catalog.pg_sleep(60); return event; end $$;
       grant execute on function public.slow to supabase_auth_admin`,
    );
    await set('custom_access_token_uri', 'pg-functions://postgres/public/slow');
    await set('custom_access_token_enabled', true);
    const slow = Array.from({ length: 12 }, () =>
      clientOf(app).auth.signUp({ email: uniqueEmail(), password: 'correct horse' }),
    );
    await signUpMember(other);
    for (const { error } of await Promise.all(slow)) expect(error).not.toBeNull();
    await set('custom_access_token_enabled', false);
    await signUpMember(app);
  });
});

describe('a hostile hook URL', () => {
  it.each([
    ['the node itself', () => node.url.replace('localhost', '127.0.0.1')],
    ['another port of the machine', () => 'http://127.0.0.1:5432'],
    ['the metadata service', () => 'https://169.254.169.254/latest/meta-data'],
    ['a private network', () => 'https://10.0.0.1/'],
    ['a mapped loopback address', () => 'https://[::ffff:127.0.0.1]/'],
  ])('is not requested if it is %s', async (_, url) => {
    await set('before_user_created_uri', url());
    await set('before_user_created_secrets', `v1,whsec_${Buffer.alloc(32, 5).toString('base64')}`);
    await set('before_user_created_enabled', true);
    const { error } = await clientOf(app).auth.signUp({ email: uniqueEmail(), password: 'correct horse' });
    expect(error).toMatchObject({ code: 'hook_timeout_after_retry', status: 422 });
    await set('before_user_created_enabled', false);
  });

  it('is ignored if SQL writes an invalid value into the settings', async () => {
    const values = [
      'ftp://x',
      'http://example.com',
      'pg-functions://postgres/public/f"; drop table x',
      `https://${'x'.repeat(70_000)}`,
    ];
    for (const value of values) {
      await runSql(
        node,
        app.ref,
        `insert into ninefold.settings (key, value) values ('hook_before_user_created_uri', to_jsonb('${value}'::text)), ('hook_before_user_created_enabled', 'true')
         on conflict (key) do update set value = excluded.value`,
      );
      const signUp = async () =>
        (await clientOf(app).auth.signUp({ email: uniqueEmail(), password: 'correct horse' })).error?.message;
      await expect.poll(signUp).toContain('hook_before_user_created_uri names neither');
    }
  });
});
