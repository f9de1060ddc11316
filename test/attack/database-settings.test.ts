import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Specification } from '../../contract/specification.ts';
import { createAppWith, deleteApp } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { probeOf } from '../support/probe.ts';
import { uniqueEmail } from '../support/unique.ts';

/** The owner of an app may set any setting of PostgreSQL for its database. The server's statements must not change. */
const node = inject('node');
let app: AppConnection;

beforeAll(async () => {
  app = await createAppWith(
    node,
    `create table public.notes (id int primary key, body text not null, at timestamptz not null default '2026-01-02 03:04:05+00',
       lasts interval not null default '1 day 2 hours', raw bytea not null default '\\x00ff', tags text[] not null default '{a,NULL}',
       owner uuid default auth.uid(), amount float8 not null default 0.1);
     alter table public.notes enable row level security;
     create policy own on public.notes to authenticated using (owner = (select auth.uid()) or owner is null);
     create view public.bodies with (security_invoker) as select id, body from public.notes;
     create function public.half(n int) returns numeric language plpgsql stable as $$ begin return n / 2.0; end $$;
     insert into public.notes (id, body, owner) select n, 'note ' || n, null from generate_series(1, 50) n;
     select ninefold.define_role('editor', 'Edits');`,
  );
});

afterAll(() => deleteApp(node, app.ref));

/**
 * Values that change the effect of a setting. Values of text settings are listed here; other values follow from
 * pg_settings.
 */
const texts: Readonly<Record<string, string>> = {
  DateStyle: 'SQL, DMY',
  TimeZone: 'Australia/Eucla',
  client_encoding: 'LATIN1',
  search_path: 'pg_temp',
  default_tablespace: 'pg_default',
  local_preload_libraries: 'nothing',
  default_text_search_config: 'pg_catalog.simple',
  timezone_abbreviations: 'India',
  application_name: 'mine',
  restrict_nonsystem_relation_kind: 'view, foreign-table',
  default_table_access_method: 'heap',
  'plpgsql.extra_errors': 'all',
  'plpgsql.extra_warnings': 'all',
  createrole_self_grant: 'set',
  role: 'anon',
  session_authorization: '',
};

interface SettingRow {
  name: string;
  vartype: string;
  boot_val: string | null;
  min_val: string | null;
  max_val: string | null;
  enumvals: string[] | null;
}

/** Returns the lowest or the highest value; of an enumeration the first or last value that is not the default. */
function hostileValue(
  { name, vartype, boot_val, min_val, max_val, enumvals }: SettingRow,
  end: 'low' | 'high',
): string {
  if (name in texts) return texts[name] === '' ? `app_${app.ref}` : (texts[name] ?? '');
  switch (vartype) {
    case 'bool':
      return boot_val === 'on' ? 'off' : 'on';
    case 'enum': {
      const others = (enumvals ?? []).filter((value) => value !== boot_val);
      return (end === 'low' ? others[0] : others.at(-1)) ?? '';
    }
    case 'string':
      return 'C';
    default:
      return (name.endsWith('_timeout') ? '1' : end === 'low' ? min_val : max_val) ?? '';
  }
}

const settable = async (client: pg.Client): Promise<SettingRow[]> => {
  await client.query('do $$ begin end $$');
  const { rows } = await client.query(
    `select name, vartype, boot_val, min_val, max_val, enumvals from pg_settings where context = 'user' order by name`,
  );
  const hidden = ['role', 'session_authorization'].map((name) => ({ name, vartype: 'string' }) as SettingRow);
  return [...rows, ...hidden];
};

const json = { 'content-type': 'application/json' };
const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<HttpResponse> =>
  send(node.url, `/apps/${app.ref}${path}`, {
    method: 'POST',
    headers: { apikey: app.anon_key, ...json, ...headers },
    body: JSON.stringify(body),
  });
const get = (path: string, headers: Record<string, string>): Promise<HttpResponse> =>
  send(node.url, `/apps/${app.ref}${path}`, { headers: { apikey: app.anon_key, ...headers } });
const manage = (path: string, method = 'GET', body?: object): Promise<HttpResponse> =>
  send(node.url, `/admin/v1/apps/${app.ref}${path}`, {
    method,
    headers: { authorization: `Bearer ${node.operatorToken}`, ...json },
    ...(body && { body: JSON.stringify(body) }),
  });

/** The stable part of a response: the status, and the body if it contains no time and no new row. */
type Seen = Record<string, [status: number, body?: unknown]>;

let nextId = 1000;
let sqlResults: unknown;

/** Sends requests of every kind to the app and returns the responses by name. */
async function look(): Promise<Seen> {
  const seen: Seen = {};
  const note = (what: string, response: HttpResponse, body?: unknown): void => {
    const failed = response.status >= 400;
    seen[what] = failed || body !== undefined ? [response.status, failed ? response.body : body] : [response.status];
  };
  const email = uniqueEmail();
  const password = 'correct horse battery';
  const signUp = await post('/auth/v1/signup', { email, password, data: { name: 'Ada' } });
  note('sign-up', signUp);
  const signIn = await post('/auth/v1/token?grant_type=password', { email, password });
  note('sign-in', signIn);
  const wrong = await post('/auth/v1/token?grant_type=password', { email, password: 'wrong' });
  note('wrong password', wrong, JSON.parse(wrong.body).error_code);
  const { refresh_token = '' } = JSON.parse(signIn.body) as { refresh_token?: string };
  const refreshed = await post('/auth/v1/token?grant_type=refresh_token', { refresh_token });
  note('refresh', refreshed);
  const { access_token = '' } = JSON.parse(refreshed.body) as { access_token?: string };
  const bearer = { authorization: `Bearer ${access_token}` };
  const user = await get('/auth/v1/user', bearer);
  note('user', user, Object.keys(JSON.parse(user.body)).sort());
  note(
    'password',
    await send(node.url, `/apps/${app.ref}/auth/v1/user`, {
      method: 'PUT',
      headers: { apikey: app.anon_key, ...json, ...bearer },
      body: JSON.stringify({ password: `${password} staple` }),
    }),
  );
  const read = await get(
    '/rest/v1/notes?select=id,body,at,lasts,raw,tags,amount&owner=is.null&order=id&limit=3',
    bearer,
  );
  note('read', read, read.body);
  const view = await get('/rest/v1/bodies?id=lt.4&order=id', bearer);
  note('view', view, view.body);
  const rpc = await get('/rest/v1/rpc/half?n=3', bearer);
  note('rpc', rpc, rpc.body);
  const id = nextId++;
  note('insert', await post('/rest/v1/notes', { id, body: 'mine' }, bearer));
  note('duplicate', await post('/rest/v1/notes', { id, body: 'mine' }, bearer), 'duplicate');
  const explained = await get('/rest/v1/notes?select=id', { prefer: 'explain=access' });
  note('explain', explained, 'explained');
  note('members', await get('/auth/v1/admin/users', { apikey: app.service_role_key }));
  note('settings', await manage('/settings'));
  note('set', await manage('/settings/db_max_rows', 'PUT', { value: 40 }));
  note('unset', await manage('/settings/db_max_rows', 'DELETE'));
  const sql = await manage('/sql', 'POST', { sql: 'select 1 as one, 0.5 as half, true as yes' });
  // The owner's own SQL obeys the owner's timeouts. A statement sometimes exceeds one millisecond.
  const isTimedOut = sql.status === 400 && /due to \w+ timeout/.test(sql.body);
  if (!isTimedOut) sqlResults ??= JSON.parse(sql.body).results;
  note('sql', isTimedOut ? { ...sql, status: 200 } : sql, isTimedOut ? sqlResults : JSON.parse(sql.body).results);
  note('activity', await manage('/activity'));
  note('sessions', await manage('/sessions'));
  note('journal', await manage('/migrations/unsaved'));
  note('versions', await manage('/versions'));
  const specification = await manage('/specification');
  note('specification', specification, chaptersOf(specification));
  const probed = await probeOf(node, app.ref);
  seen.probe = [
    200,
    probed.cells.map(({ entity, role, operation, outcome, note }) =>
      [entity, role, operation, outcome, note].join(' '),
    ),
  ];
  return seen;
}

/** Returns the specification without figures and without chapter 9, which shows the settings themselves. */
function chaptersOf({ status, body }: HttpResponse): unknown {
  if (status !== 200) return body;
  const { chapters } = JSON.parse(body) as Specification;
  const { limits: _, ...rest } = chapters;
  // Chapter 7 lists the settings that calls obey and the settings of the owner's own sessions.
  const isOfDatabase = (value: unknown) => {
    const { key, id } = (value ?? {}) as { key?: string; id?: string };
    return /\(everyone\)$/.test(String(key)) || /^setting .* of everyone$/.test(String(id));
  };
  const left = (key: string, value: unknown) => {
    if (key === 'figures') return undefined;
    return Array.isArray(value) ? value.filter((entry) => !isOfDatabase(entry)) : value;
  };
  return JSON.parse(JSON.stringify(rest, left));
}

describe('ALTER DATABASE … SET by the owner of an app', () => {
  it.each(['low', 'high'] as const)(
    'leaves all responses of the server unchanged with every setting at its %s value',
    async (end) => {
      const before = await look();
      expect(Object.entries(before).filter(([, [status]]) => status >= 500)).toEqual([]);
      const superuser = await superuserUrl(node, 'postgres');
      await withClient(app.database_url ?? '', async (owner) => {
        const settings = await settable(owner);
        expect(settings.length).toBeGreaterThan(120);
        const refused: string[] = [];
        try {
          for (const setting of settings) {
            const value = hostileValue(setting, end).replaceAll("'", "''");
            const literal = setting.name === 'search_path' ? value : `'${value}'`;
            await owner
              .query(`alter database "app_${app.ref}" set ${setting.name} = ${literal}`)
              .catch((error: pg.DatabaseError) => refused.push(`${setting.name} = ${value}: ${error.message}`));
          }
          expect(refused.length, refused.join('\n')).toBeLessThan(12);
          await withClient(superuser, (client) =>
            client.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
              `app_${app.ref}_authenticator`,
            ]),
          );
          expect(await look()).toEqual(before);
        } finally {
          await withClient(superuser, (client) =>
            client.query(
              `alter database "app_${app.ref}" reset all;
               alter database "app_${app.ref}" set search_path = "$user", public, extensions`,
            ),
          );
        }
      });
    },
    60_000,
  );

  it('does not limit how long a change of a setting of the app waits for a lock', async () => {
    const superuser = await superuserUrl(node, `app_${app.ref}`);
    await withClient(superuser, async (holder) => {
      await holder.query(`alter database "app_${app.ref}" set lock_timeout = 1`);
      try {
        await holder.query('begin; lock table ninefold.settings in share mode');
        const change = manage('/settings/db_max_rows', 'PUT', { value: 41 });
        const waits = async () =>
          (await holder.query(`select from pg_locks where not granted and relation = 'ninefold.settings'::regclass`))
            .rowCount === 1;
        await Promise.race([vi.waitUntil(waits, { timeout: 20_000 }), change]);
        await holder.query('commit');
        expect(await change).toMatchObject({ status: 200 });
      } finally {
        await holder.query(`alter database "app_${app.ref}" reset lock_timeout`);
        await manage('/settings/db_max_rows', 'DELETE');
      }
    });
  });
});
