import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { restSettings } from '../../contract/settings.ts';
import { authSettings } from '../../contract/settings-auth.ts';
import { createApp, createAppWith, deleteApp, runSql } from '../support/apps.ts';
import { withClient } from '../support/database.ts';
import { allWell, hostileCalls, statuses } from '../support/hostile.ts';
import { send } from '../support/http.ts';
import { expectRefusal } from '../support/refusal.ts';
import { uniqueEmail } from '../support/unique.ts';

/** An app whose owner tries to damage the server through objects that the server reads, runs or copies. */
const node = inject('node');
const { operator, get, rows, post, signUpDisabled, lookAt, expectServed, makeNeighbour } = hostileCalls(node);

let neighbour: AppConnection;
beforeAll(async () => {
  neighbour = await makeNeighbour();
});

describe('unusual names of tables, columns, functions, rules and comments', () => {
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

  it('do not break reading, showing, copying or deleting an app', async () => {
    const app = await createAppWith(
      node,
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

describe('hostile values in ninefold.settings', () => {
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

  it('cause no server error in the app and in other apps', async () => {
    const app = await createAppWith(node, 'create table public.things (id int)');
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
    await expectServed(neighbour);
  });

  it('are rejected by the management API if the key is unknown or the value invalid', async () => {
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
      const response = await set(key, JSON.stringify({ value }));
      if (response.status !== 200) expect(expectRefusal(response, key)).toBe('setting_invalid');
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

  it('are not read if they are very large', async () => {
    const app = await createAppWith(
      node,
      `create table public.things (id int);
       insert into ninefold.settings (key, value)
       select 'made_up_' || g, to_jsonb(repeat('x', 1000000)) from generate_series(1, 20) g;
       insert into ninefold.settings (key, value) values ('jwt_aud', to_jsonb(repeat('x', 20000000)))`,
    );
    expect(await get(app, '/rest/v1/things')).toMatchObject({ status: 200, body: '[]' });
  });
});

it('a builder copies and deletes an app whatever settings its database has', async () => {
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
