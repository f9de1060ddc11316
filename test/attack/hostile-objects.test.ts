import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, createAppWith, deleteApp, runSql } from '../support/apps.ts';
import { outcomeOf, superuserUrl, withClient } from '../support/database.ts';
import { allWell, hostileCalls, statuses } from '../support/hostile.ts';
import { send } from '../support/http.ts';
import { expectRefusal } from '../support/refusal.ts';
import { uniqueEmail, uniqueRef } from '../support/unique.ts';

/** An app whose owner tries to damage the server through objects that the server reads, runs or copies. */
const node = inject('node');
const { operator, get, rows, post, lookAt, expectServed, makeNeighbour } = hostileCalls(node);

let neighbour: AppConnection;
beforeAll(async () => {
  neighbour = await makeNeighbour();
});

describe('pages and menus that the owner writes past the functions that check them', () => {
  it('neither reach PostgreSQL as SQL nor end the specification and the screens', async () => {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      'create table public.notes (id int primary key, body text); grant select on public.notes to anon',
    );
    const rowsOf = { title: 'Notes', entity: 'public.notes' };
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const parts = [
      ...[null, 1, 'x', [], {}, { kind: 'pie' }, { kind: '__proto__' }, { kind: 'text' }, { kind: 'text', text: {} }],
      ...[
        { kind: 'text', text: 'x', texts: { en: {} } },
        { kind: 'buttons', routes: [null] },
      ],
      { kind: 'number', ...rowsOf, value: `(select pg_catalog.set_config('role', 'none', true)) || max`, of: 'body' },
      ...[
        { kind: 'number', ...rowsOf, filter: 7 },
        { kind: 'list', ...rowsOf, columns: [{}], rows: 1e9 },
      ],
      { kind: 'number', ...rowsOf },
    ];
    const groups = [null, 1, 'x', {}, { routes: { length: 3 } }, { routes: [null] }, { routes: ['/bad'], titles: [] }];
    await runSql(
      node,
      app.ref,
      `insert into ninefold.pages (route, title, parts, roles) values
        ('/bad', 'Bad', '${JSON.stringify(parts).replaceAll("'", "''")}', '{anon}'),
        ('/deep', 'Deep', '[{"kind": "text", "text": "x", "texts": ${deep}}, {"kind": "text", "text": "shown"}]', '{anon}');
      insert into ninefold.menus (role, groups) values
        ('anon', '${JSON.stringify([...groups, { title: 'Good', routes: ['/bad'] }])}'),
        ('authenticated', '[{"routes": ${deep}}]'), ('service_role', '[{"routes": [], "more": ${deep}}]')`,
    );
    const bodyOf = async (path: string) => JSON.parse((await get(app, path)).body) as unknown;
    expect(await bodyOf('/portal/v1/screens')).toMatchObject({
      pages: [
        { route: '/bad', parts: [{ kind: 'number', value: 'count' }] },
        { route: '/deep', parts: [{ kind: 'text', text: 'shown' }] },
      ],
      navigation: [{ title: 'Good', routes: ['/bad'] }],
    });
    expect(await bodyOf('/portal/v1/figures?route=/bad&days=30')).toMatchObject({
      parts: [{ kind: 'number', value: 0 }],
    });
    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
    expect(chapters.screens?.pages?.map(({ broken }) => broken)).toEqual([
      ['define_page would refuse 14 of its parts'],
      ['define_page would refuse 1 of its parts'],
    ]);
  });
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

  it('run only with the app’s privileges if they are triggers on accounts', async () => {
    const app = await createAppWith(
      node,
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

  it('are copied if they belong to the app’s login, and both apps can be deleted', async () => {
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

  it('are deleted with the app although connections hold locks on them', async () => {
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

describe('notifications and statistics of an app', () => {
  it('are ignored if they are malformed', async () => {
    const app = await createAppWith(node, 'create table public.things (id int)');
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
    await expectServed(neighbour);
  });

  it('do not break the overview if the app’s own code writes them', async () => {
    const app = await createAppWith(
      node,
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
