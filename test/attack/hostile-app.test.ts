import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { restSettings } from '../../contract/settings.ts';
import { authSettings } from '../../contract/settings-auth.ts';
import { admin, createApp, deleteApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { inDatabase, outcomeOf, superuserUrl, withClient } from '../support/database.ts';
import { type HttpAnswer, send } from '../support/http.ts';
import { expectRefusal } from '../support/refusal.ts';
import { uniqueEmail, uniqueRef } from '../support/unique.ts';

/** An app whose owner tries to harm the server from inside: what the server reads, runs or copies is made to bite. */
const node = inject('node');
let neighbour: AppConnection;
beforeAll(async () => {
  neighbour = await createApp(node);
  await runSql(node, neighbour.ref, 'create table public.canary (id int); insert into public.canary values (1)');
});

const operator = { authorization: `Bearer ${node.operatorToken}` };
const get = (app: AppConnection, path: string) =>
  send(node.url, `/apps/${app.ref}${path}`, { headers: { apikey: app.anon_key } });
const rows = async (app: AppConnection, sql: string) => (await runSql(node, app.ref, sql)).results.at(-1)?.rows;

async function expectNeighbourServed(): Promise<void> {
  expect(await get(neighbour, '/rest/v1/canary')).toMatchObject({ status: 200, body: '[{"id":1}]' });
}

const post = (app: AppConnection, path: string, body: unknown) =>
  send(node.url, `/apps/${app.ref}${path}`, {
    method: 'POST',
    headers: { apikey: app.anon_key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** What four connections, spread over the workers, are told. */
const signUpDisabled = (app: AppConnection): Promise<boolean[]> =>
  Promise.all(
    Array.from({ length: 4 }, async () => {
      const options = { headers: { apikey: app.anon_key }, ownConnection: true };
      const { body } = await send(node.url, `/apps/${app.ref}/auth/v1/settings`, options);
      return (JSON.parse(body) as { disable_signup: boolean }).disable_signup;
    }),
  );

const everything = [
  '',
  '/activity',
  '/entities',
  '/specification',
  '/specification?format=markdown',
  '/sessions',
  '/auth/v1/admin/users',
];

/** Everything that the server does in an app's database for a builder. */
const lookAt = (app: AppConnection, paths = everything): Promise<HttpAnswer[]> =>
  Promise.all(paths.map((path) => send(node.url, `/admin/v1/apps/${app.ref}${path}`, { headers: operator })));

const statuses = (answers: HttpAnswer[]) => answers.map(({ status }) => status);
const allWell = [200, 200, 200, 200, 200, 200, 200];

describe('names', () => {
  const names = [
    `quote"d`,
    `it's`,
    'semi;colon -- comment',
    'new\nline',
    'tab\tcarriage\r',
    'back\\slash',
    '$1 $$ $x',
    '%percent%00',
    'dot.dot/slash?query#hash',
    '(paren),comma:colon!bang',
    '*',
    'ünïcödé ☃ 😀',
    '\u202eright-to-left',
    '<script>alert(1)</script>',
    '| pipe | `code` [link](x)',
    '__proto__',
    'constructor',
    'x'.repeat(63),
  ];
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const literal = (text: string) => ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

  it('of tables, columns, functions, rules and comments break nothing that reads, shows, copies or deletes them', async () => {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      names
        .map(
          (
            name,
          ) => `create table public.${quoted(name)} (${quoted(name)} text primary key check (${quoted(name)} <> ${literal(name)}));
            comment on table public.${quoted(name)} is ${literal(name)};
            alter table public.${quoted(name)} enable row level security;
            create policy ${quoted(name)} on public.${quoted(name)} using (${quoted(name)} <> ${literal(name)});
            create function public.${quoted(name)}(${quoted(name)} text) returns text language sql return ${quoted(name)};
            create schema ${quoted(`${name.slice(0, 62)}_`)};`,
        )
        .join('\n'),
    );
    for (const name of names) {
      const path = encodeURIComponent(name);
      expect([name, (await get(app, `/rest/v1/${path}`)).body]).toEqual([name, '[]']);
      const inserted = await send(node.url, `/apps/${app.ref}/rest/v1/${path}`, {
        method: 'POST',
        headers: { apikey: app.service_role_key, 'content-type': 'application/json', prefer: 'return=headers-only' },
        body: JSON.stringify({ [name]: 'value\r\nx-evil: 1' }),
      });
      expect([name, inserted.status, inserted.headers['x-evil']]).toEqual([name, 201, undefined]);
      expect(inserted.headers.location).toMatch(/^[\x21-\x7e]+$/);
    }
    expect(statuses(await lookAt(app))).toEqual(allWell);
    const copy = await createApp(node, { from: app.ref });
    expect(statuses(await lookAt(copy))).toEqual(allWell);
    await deleteApp(node, app.ref);
    await deleteApp(node, copy.ref);
  });
});

describe('settings', () => {
  const hostile: [string, unknown][] = [
    ['db_schemas', ['nowhere']],
    ['db_schemas', ["'; drop table x; --"]],
    ['db_schemas', ["\\'; drop table x; --"]],
    ['db_schemas', ['pg_catalog']],
    ['db_schemas', [null]],
    ['db_schemas', Array.from({ length: 5000 }, (_, i) => `s${i}`)],
    ['db_extra_search_path', ['"; drop table x; --']],
    ['db_statement_timeout', -1],
    ['db_statement_timeout', 1e300],
    ['db_statement_timeout', '5 s; drop'],
    ['db_max_rows', 1.5],
    ['db_max_rows', -1],
    ['db_anon_role', 'nobody'],
    ['db_anon_role', 'ninefold'],
    ['db_anon_role', `a"; drop role x; --`],
    ['db_anon_role', 5],
    ['db_pre_request', 'no.such.function'],
    ['db_pre_request', 5],
    ['db_root_spec', ''],
    ['app_settings', { '': '' }],
    ['app_settings', { role: 'ninefold' }],
    ['app_settings', { session_authorization: 'ninefold' }],
    ['app_settings', { 'a.b': 5 }],
    ['openapi_server_proxy_uri', 'javascript:alert(1)\r\nx-evil: 1'],
    ['jwt_aud', 5],
    ['jwt_role_claim_key', '.['],
    ['jwt_exp', 1e300],
    ['jwt_exp', -1],
    ['password_min_length', 1e12],
    ['security_refresh_token_reuse_interval', -1],
    ['site_url', { href: 1 }],
    ['__proto__', { disable_signup: true }],
    ['constructor', 1],
  ];

  it('of any kind leave an app that answers, with a status below 500, and its neighbours alone', async () => {
    const app = await createApp(node);
    await runSql(node, app.ref, 'create table public.things (id int)');
    await withClient(app.database_url ?? '', async (client) => {
      let marker = false;
      for (const [key, value] of hostile) {
        const what = `${key} = ${JSON.stringify(value).slice(0, 80)}`;
        marker = !marker;
        await client.query('begin');
        await client.query('delete from ninefold.settings');
        await client.query('insert into ninefold.settings (key, value) values ($1, $2)', [key, JSON.stringify(value)]);
        await client.query(`insert into ninefold.settings (key, value) values ('disable_signup', $1)`, [
          String(marker),
        ]);
        await client.query('commit');
        await expect.poll(() => signUpDisabled(app)).toEqual([marker, marker, marker, marker]);
        const answers = [
          await get(app, '/rest/v1/things'),
          await get(app, '/rest/v1/'),
          await post(app, '/auth/v1/signup', { email: uniqueEmail(), password: 'correct horse' }),
          ...(await lookAt(app, ['/specification'])),
        ];
        expect([what, ...statuses(answers)]).toEqual([
          what,
          ...answers.map(() => expect.toSatisfy((n: number) => n < 500)),
        ]);
      }
    });
    await expectNeighbourServed();
  });

  it('over the management API are taken only where they fit, and only where they exist', async () => {
    const app = await createApp(node);
    const set = (key: string, body: string) =>
      send(node.url, `/admin/v1/apps/${app.ref}/settings/${key}`, {
        method: 'PUT',
        headers: { ...operator, 'content-type': 'application/json' },
        body,
      });
    for (const [key, value] of hostile.filter(
      ([name]) => Object.hasOwn(restSettings, name) || Object.hasOwn(authSettings, name),
    )) {
      const answer = await set(key, JSON.stringify({ value }));
      if (answer.status !== 200) expect(expectRefusal(answer, key)).toBe('setting_invalid');
    }
    for (const [key, body] of [
      ['__proto__', '{"value":1}'],
      ['constructor', '{"value":1}'],
      ['jwt_aud%00', '{"value":"x"}'],
      ['%ff', '{"value":1}'],
      ['jwt_aud', '{"value":"\\u0000"}'],
      ['jwt_aud', '{"value":"\\ud800"}'],
      ['jwt_aud', JSON.stringify({ value: 'x'.repeat(1_000_000) })],
      ['jwt_aud', '{}'],
      ['jwt_aud', '{"value":1e999}'],
      ['jwt_aud', ''],
      ['app_settings', `{"value":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ] as const) {
      expectRefusal(await set(key, body), `${key} ${body.slice(0, 40)}`);
    }
    expect((await send(node.url, `/admin/v1/apps/${app.ref}/settings`, { headers: operator })).status).toBe(200);
  });

  it('as large as the database holds are not read', async () => {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      `create table public.things (id int);
       insert into ninefold.settings (key, value)
       select 'made_up_' || g, to_jsonb(repeat('x', 1000000)) from generate_series(1, 20) g;
       insert into ninefold.settings (key, value) values ('jwt_aud', to_jsonb(repeat('x', 20000000)))`,
    );
    expect(await get(app, '/rest/v1/things')).toMatchObject({ status: 200, body: '[]' });
  });
});

it('settings of the database itself keep a builder from neither copying nor deleting the app', async () => {
  const app = await createApp(node);
  const changes = [
    `set role = 'anon'`,
    'set default_transaction_read_only = on',
    'set statement_timeout = 1',
    `set local_preload_libraries = 'nothing'`,
    'set search_path = pg_temp',
    'set standard_conforming_strings = off',
    `set client_encoding = 'LATIN1'`,
    'set row_security = off',
    'connection limit 0',
    'is_template true',
  ];
  await runSql(
    node,
    app.ref,
    `create table public.things as select 1 as id; ${changes.map((change) => `alter database "app_${app.ref}" ${change};`).join('')}`,
  );
  const copy = await createApp(node, { from: app.ref });
  expect(await rows(copy, 'select id from public.things')).toEqual([['1']]);
  await deleteApp(node, app.ref);
  expect((await createApp(node, { ref: app.ref })).ref).toBe(app.ref);
});

describe('objects of an app', () => {
  it('are never called by the superuser, whatever names they shadow', async () => {
    const app = await createApp(node);
    const shadowed = [
      'lower(text)',
      'now()',
      'current_setting(text)',
      'to_regclass(text)',
      'pg_notify(text, text)',
      'format(text)',
    ];
    await runSql(
      node,
      app.ref,
      `create table public.caught (by text, super text);
       grant all on public.caught to public;
       ${shadowed
         .map(
           (signature) => `create function public.${signature} returns text language plpgsql as
             $$ begin insert into public.caught values (current_user, pg_catalog.current_setting('is_superuser')); return null; end $$;`,
         )
         .join('\n')}
       create function public.caught_equal(a text, b text) returns boolean language plpgsql as
         $$ begin insert into public.caught values (current_user, pg_catalog.current_setting('is_superuser'));
            return a operator(pg_catalog.=) b; end $$;
       create operator public.= (leftarg = text, rightarg = text, function = public.caught_equal);
       create view public.watched as select * from public.caught;
       create rule spy as on insert to public.watched do instead insert into public.caught values (current_user, 'rule');
       alter database "app_${app.ref}" set search_path = public, pg_catalog`,
    );
    expect(await rows(app, `select 'a' = 'b'`)).toBeDefined();
    await get(app, '/rest/v1/caught');
    await lookAt(app);
    const copy = await createApp(node, { from: app.ref });
    await lookAt(copy);
    for (const each of [app, copy]) {
      const caught = await rows(each, 'select distinct super from public.caught');
      expect(caught).not.toContainEqual(['on']);
    }
    expect(await rows(app, 'select count(*) > 0 from public.caught')).toEqual([['t']]);
  });

  it('hung on accounts run with no more rights than the app has', async () => {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      `insert into auth.users (id, email) values ('11111111-1111-4111-8111-111111111111', 'member@example.com');
       insert into auth.sessions (id, user_id) values (gen_random_uuid(), '11111111-1111-4111-8111-111111111111');
       create function public.spy() returns trigger language plpgsql as $$ begin
         reset role;
         begin execute 'alter role ninefold_server superuser'; exception when insufficient_privilege then null; end;
         begin execute 'set role ninefold'; exception when insufficient_privilege then null; end;
         raise exception 'as %, superuser %', current_user, current_setting('is_superuser');
       end $$;
       create trigger spy before insert on auth.users for each row execute function public.spy();
       create trigger spy before delete on auth.sessions for each row execute function public.spy();`,
    );
    const asLogin = (ref: string) => expect.stringContaining(`as app_${ref}_authenticator, superuser off`);
    const signedUp = await post(app, '/auth/v1/signup', { email: uniqueEmail(), password: 'correct horse' });
    expect(expectRefusal(signedUp)).toBe('database_refused');
    expect(signedUp.body).toEqual(asLogin(app.ref));
    const copy = uniqueRef('copy');
    const cloned = await send(node.url, `/admin/v1/apps/${app.ref}/clone`, {
      method: 'POST',
      headers: { ...operator, 'content-type': 'application/json' },
      body: JSON.stringify({ ref: copy }),
    });
    expect(expectRefusal(cloned)).toBe('clone_refused');
    expect(cloned.body).toEqual(asLogin(copy));
    await withClient(await superuserUrl(node, 'postgres'), async (client) => {
      expect(await outcomeOf(client, 'select rolname from pg_roles where rolsuper')).toEqual([{ rolname: 'ninefold' }]);
      expect(await outcomeOf(client, `select 1 from pg_database where datname = 'app_${copy}'`)).toEqual([]);
    });
  });

  it('that the app’s login owns or was granted go along into a copy, and hold neither app back', async () => {
    const app = await createApp(node);
    const login = `"app_${app.ref}_authenticator"`;
    await runSql(
      node,
      app.ref,
      `grant create on schema public to ${login};
       create table public.granted as select 1 as id; grant select on public.granted to ${login};
       create policy p on public.granted to ${login};
       create function public.make() returns void language plpgsql volatile as
         $$ begin reset role; create table public.of_login (id int); end $$;`,
    );
    const made = await post(app, '/rest/v1/rpc/make', {});
    expect(made.status).toBe(204);
    const copy = await createApp(node, { from: app.ref });
    expect(await rows(copy, `select tableowner from pg_tables where tablename = 'of_login'`)).toEqual([
      [`app_${copy.ref}_authenticator`],
    ]);
    expect((await get(app, '/rest/v1/granted')).status).toBe(200);
    await deleteApp(node, app.ref);
    expect((await get(copy, '/rest/v1/granted')).status).toBe(200);
    await deleteApp(node, copy.ref);
  });

  it('held by locks, transactions and connections are deleted all the same', async () => {
    const app = await createApp(node, { ref: uniqueRef('locked') });
    await runSql(node, app.ref, 'create table public.things (id int)');
    await withClient(app.database_url ?? '', async (client) => {
      await client.query('begin');
      await client.query('lock table public.things in access exclusive mode');
      await client.query(
        'select pg_advisory_lock(9009, hashtext($1)), pg_advisory_lock(9009, 0), pg_advisory_lock(9009001)',
        [app.ref],
      );
      await deleteApp(node, app.ref);
    }).catch(() => undefined);
    expect((await get(app, '/rest/v1/things')).status).toBe(404);
    expect((await createApp(node, { ref: app.ref })).ref).toBe(app.ref);
  });
});

describe('notifications and figures', () => {
  it('that make no sense are passed over', async () => {
    const app = await createApp(node);
    await runSql(node, app.ref, 'create table public.things (id int)');
    for (const payload of [
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '{"type":"session-revoked","ids":"x"}',
      '{"type":"session-revoked","ids":[null,1,{}]}',
      '{"type":"__proto__"}',
      '{"type":"app","ref":"console"}',
      `{"type":"app","ref":"${neighbour.ref}"}`,
      '{"type":"listening"}',
      'x'.repeat(7900),
    ]) {
      await runSql(
        node,
        app.ref,
        `select pg_notify('ninefold', $n$${payload}$n$), pg_notify('pgrst', $n$${payload}$n$)`,
      );
      expect((await get(app, '/rest/v1/things')).status).toBe(200);
    }
    await expectNeighbourServed();
  });

  it('that the app’s own code invents do not break the overview', async () => {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      `create function public.run(statement text) returns void language plpgsql as $$ begin
         execute 'set role ninefold_server'; execute statement; execute 'reset role'; end $$`,
    );
    const big = '9223372036854775807';
    for (const values of [
      `(now(), 'minute', 'a', ${big}, ${big}, '{${big},null,-5}')`,
      `(now(), 'minute', 'b', ${big}, -5, '{}')`,
      `(now(), 'hour', 'c', 1, 1, array_fill(${big}::bigint, array[1000]))`,
      `('infinity', 'hour', 'd', 1, 1, '{{1,2},{3,4}}')`,
      `(now(), 'hour', repeat('e', 100000), 1, 1, '{1}')`,
    ]) {
      const made = await post(app, '/rest/v1/rpc/run', {
        statement: `insert into ninefold.call_statistics values ${values}`,
      });
      expect(made.status).toBeLessThan(500);
      expect(statuses(await lookAt(app))).toEqual(allWell);
    }
  });
});

it('a password that the app changes of its own login is said, and ends no more than the app itself', async () => {
  const app = await createApp(node);
  await runSql(node, app.ref, `alter role current_user password 'known'`);
  const migrated = await send(node.url, `/admin/v1/apps/${app.ref}/migrations`, {
    method: 'POST',
    headers: { ...operator, 'content-type': 'application/json' },
    body: '{"files":[]}',
  });
  expect([migrated.status, JSON.parse(migrated.body).code]).toEqual([503, 'database_unavailable']);
  await expectNeighbourServed();
  await deleteApp(node, (await createApp(node, { from: app.ref })).ref);
  await deleteApp(node, app.ref);
});

describe('the keys of an app that was deleted', () => {
  it('open nothing in an app of the same name, nor does its database URL', async () => {
    const old = await createApp(node, { ref: uniqueRef('twice') });
    const member = await signUpMember(old);
    await get(old, '/rest/v1/');
    await deleteApp(node, old.ref);
    const fresh = await createApp(node, { ref: old.ref });
    for (const key of [old.publishable_key, old.secret_key, old.anon_key, old.service_role_key]) {
      expectRefusal(await send(node.url, `/apps/${fresh.ref}/rest/v1/`, { headers: { apikey: key } }));
      expectRefusal(
        await send(node.url, `/apps/${fresh.ref}/auth/v1/admin/users`, { headers: { authorization: `Bearer ${key}` } }),
      );
    }
    const headers = { apikey: fresh.anon_key, authorization: `Bearer ${member.session.access_token}` };
    expectRefusal(await send(node.url, `/apps/${fresh.ref}/auth/v1/user`, { headers }));
    await expect(withClient(old.database_url ?? '', (client) => client.query('select 1'))).rejects.toMatchObject({
      code: '28P01',
    });
    await expect(
      withClient(inDatabase(fresh.database_url ?? '', `app_${neighbour.ref}`), (client) => client.query('select 1')),
    ).rejects.toMatchObject({ code: '42501' });
  });
});

it('a copy of an app opens with none of the source’s keys, sessions or refresh tokens', async () => {
  const source = await createApp(node);
  const member = await signUpMember(source);
  const copy = await createApp(node, { from: source.ref });
  const refreshed = await send(node.url, `/apps/${copy.ref}/auth/v1/token?grant_type=refresh_token`, {
    method: 'POST',
    headers: { apikey: copy.anon_key, 'content-type': 'application/json' },
    body: JSON.stringify({ refresh_token: member.session.refresh_token }),
  });
  expect(expectRefusal(refreshed)).toBe('refresh_token_not_found');
  for (const token of [source.anon_key, source.service_role_key, source.secret_key, member.session.access_token]) {
    const headers = { apikey: copy.anon_key, authorization: `Bearer ${token}` };
    expectRefusal(await send(node.url, `/apps/${copy.ref}/rest/v1/`, { headers }));
  }
  expect(source.jwt_secret).not.toBe(copy.jwt_secret);
  const again = await admin<AppConnection>(node, 'GET', `/apps/${source.ref}/connection`);
  expect(again.anon_key).toBe(source.anon_key);
  expect((await signUpMember(copy)).email).not.toBe(uniqueEmail());
});
