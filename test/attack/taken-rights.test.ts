import { describe, expect, inject, it } from 'vitest';
import { createAppWith } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { adminCalls, appCalls, callAdmin, callApp, notesAndPing } from '../support/every-call.ts';
import type { HttpResponse } from '../support/http.ts';

/** A superuser revokes privileges that Ninefold needs in an app's database. Calls name the missing privilege. */
const node = inject('node');

const damage = (response: HttpResponse) => {
  const { code, error_code = code, message, msg = message } = JSON.parse(response.body) as Record<string, unknown>;
  return { code: error_code, message: msg };
};

describe.concurrent.each([
  {
    take: 'revoke usage on schema ninefold from public',
    give: 'grant usage on schema ninefold to public',
    cause: 'permission denied for schema ninefold',
  },
  {
    take: 'revoke all on ninefold.settings from ninefold_server, supabase_auth_admin',
    give: 'grant all on ninefold.settings to ninefold_server; grant select on ninefold.settings to supabase_auth_admin',
    cause: 'permission denied for table settings',
  },
  {
    take: 'revoke usage on schema auth from supabase_auth_admin',
    give: 'grant usage on schema auth to supabase_auth_admin',
    cause: 'permission denied for schema auth',
  },
  {
    take: 'alter table ninefold.settings rename to mislaid',
    give: 'alter table ninefold.mislaid rename to settings',
    cause: 'relation "ninefold.settings" does not exist',
  },
])('$take', ({ take, give, cause }) => {
  it('is reported by every call that it affects, until the privilege is granted again', async ({ expect }) => {
    const app = await createAppWith(node, notesAndPing);
    const member = (await signUpMember(app)).session.access_token;
    const everyCall = async () => [
      ...(await Promise.all(appCalls.map((call) => callApp(node, app, member, call)))),
      ...(await Promise.all(adminCalls.map((call) => callAdmin(node, app, call)))),
    ];
    await withClient(await superuserUrl(node, `app_${app.ref}`), async (superuser) => {
      await superuser.query(take);
      // A cached value would be served until the worker drops it.
      await superuser.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
        `app_${app.ref}_authenticator`,
      ]);
      const broken = (await everyCall()).filter(({ status }) => status >= 500);
      expect(broken.length).toBeGreaterThan(5);
      const sentence = `Something that Ninefold needs in the app’s database was taken away: ${cause}.`;
      for (const response of broken) {
        expect(response.status, response.body).toBe(503);
        expect(damage(response)).toEqual({ code: 'app_damaged', message: sentence });
      }
      await superuser.query(give);
      expect((await everyCall()).filter(({ status }) => status >= 500).map(({ body }) => body)).toEqual([]);
    });
  });
});

it('the node does not report app_damaged if a function of the app lacks a privilege', async () => {
  const app = await createAppWith(
    node,
    `create table public.profiles (id uuid);
     create function public.make_profile() returns trigger language plpgsql as $$
       begin insert into public.profiles values (new.id); return new; end $$;
     create trigger make_profile after insert on auth.users for each row execute function public.make_profile();`,
  );
  const signup = appCalls.find(([path]) => path === '/auth/v1/signup');
  if (!signup) throw new Error('there is none');
  expect(damage(await callApp(node, app, app.anon_key, signup)).code).not.toBe('app_damaged');
});
