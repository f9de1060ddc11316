import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { outcomeOf, superuserUrl, withClient } from '../support/database.ts';
import { uniqueRef } from '../support/unique.ts';

const node = inject('node');
/** A name that no other test file uses. */
const name = `role_${uniqueRef('r').replaceAll('-', '_')}`;
const secret = 'a secret for tokens of other issuers, long enough';

/** Signs a token as a server of the app's builder does. */
function signToken(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

let app: AppConnection;
let other: AppConnection;

const asOwner = (sql: string, from = app) => withClient(from.database_url ?? '', (client) => outcomeOf(client, sql));
const rolesOf = async (from: AppConnection) =>
  asOwner('select ninefold.database_roles()::text as role order by 1', from);
const create = (role: string, from = app) => asOwner(`select ninefold.create_database_role('${role}')`, from);

beforeAll(async () => {
  [app, other] = await Promise.all([createApp(node), createApp(node)]);
});

describe('ninefold.create_database_role', () => {
  it('creates a role without login and power, that privileges, policies and owners can name', async () => {
    expect(await create(name)).toHaveLength(1);
    expect(await create(name)).toBe('42710');
    expect(
      await asOwner(
        `select rolcanlogin, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication from pg_roles where rolname = '${name}'`,
      ),
    ).toEqual([
      {
        rolcanlogin: false,
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolbypassrls: false,
        rolreplication: false,
      },
    ]);
    expect(
      await asOwner(`create table public.notes (id int, open boolean); insert into notes values (1, true), (2, false);
        alter table notes enable row level security; create policy p on notes to ${name} using (open);
        revoke all on notes from ${name}; grant select on notes to ${name};
        grant create on schema public to ${name}; create table public.owned (); alter table public.owned owner to ${name};
        set role ${name}; select id from public.notes`),
    ).toEqual([{ id: 1 }]);
    expect(await asOwner(`set role ${name}; select * from ninefold.migrations`)).toBe('42501');
  });

  it('shows the role to the apps that have created it, with privileges of each database of its own', async () => {
    expect(await asOwner(`select 1 from pg_roles where rolname = '${name}'`, other)).toEqual([]);
    expect(await asOwner(`set role ${name}`, other)).toBe('42501');
    expect(await create(name, other)).toHaveLength(1);
    expect(await asOwner(`select 1 as seen from pg_roles where rolname = '${name}'`, other)).toEqual([{ seen: 1 }]);
    expect(await asOwner(`select ninefold.drop_database_role('${name}')`, other)).toHaveLength(1);
    expect(await asOwner(`select 1 from pg_roles where rolname = '${name}'`, other)).toEqual([]);
    expect(
      await asOwner(
        `select 1 from pg_auth_members m join pg_roles r on r.oid = m.roleid where r.rolname = '${name}'`,
        other,
      ),
    ).toEqual([]);
    expect(await rolesOf(app)).toEqual([{ role: name }]);
    expect(await asOwner(`set role ${name}; select id from public.notes`)).toEqual([{ id: 1 }]);
  });

  it('is dropped only when nothing of the app names it', async () => {
    expect(await asOwner(`select ninefold.drop_database_role('${name}')`)).toBe('2BP01');
    expect(await asOwner(`drop owned by ${name}; select ninefold.drop_database_role('${name}')`)).toHaveLength(1);
    expect(await rolesOf(app)).toEqual([]);
    expect(await asOwner(`select ninefold.drop_database_role('${name}')`)).toBe('42704');
    expect(await asOwner(`select ninefold.drop_database_role('${name}', true)`)).toHaveLength(1);
    expect(await create(name)).toHaveLength(1);
  });

  it('lets tokens name the role after GRANT … TO authenticator alone', async () => {
    const login = `select pg_has_role('app_${app.ref}_authenticator', '${name}', 'SET') as may`;
    expect(await asOwner(login)).toEqual([{ may: false }]);
    const { warnings = [] } = (await runSql(node, app.ref, `grant ${name} to authenticator`)) as {
      warnings?: unknown[];
    };
    expect(warnings).toEqual([]);
    expect(await asOwner(login)).toEqual([{ may: true }]);
    await runSql(node, app.ref, `revoke ${name} from authenticator`);
    expect(await asOwner(login)).toEqual([{ may: false }]);
  });

  it('refuses names of the server and of apps, and more roles than an app may have', async () => {
    for (const role of [
      ...[
        'postgres',
        'pg_monitor',
        'pg_read_server_files',
        'anon',
        'service_role',
        'authenticator',
        'public',
        'none',
        '',
      ],
      ...[
        `app_${other.ref}`,
        `app_${other.ref}_authenticator`,
        'app_new',
        'ninefold',
        'ninefold_server',
        'supabase_admin',
        'x'.repeat(64),
      ],
    ])
      expect(await create(role), role).toBe('42939');
    const odd = `x"; alter role anon superuser; --${name}`;
    expect(await create(odd.replaceAll("'", "''"))).toHaveLength(1);
    const third = await createApp(node);
    expect(
      await asOwner(`select ninefold.create_database_role('${name}_' || n) from generate_series(1, 50) n`, third),
    ).toHaveLength(50);
    expect(await asOwner(`select ninefold.drop_database_role('${name}_1')`, third)).toHaveLength(1);
    expect(await create(`${name}_51`, third)).toBe('54000');
    expect(await create(`${name}_1`, third)).toHaveLength(1);
  });

  it('gives an owner no membership, attribute or other role', async () => {
    for (const sql of [
      `alter role ${name} login`,
      `alter role ${name} superuser`,
      `alter role ${name} connection limit 5`,
      `alter role ${name} rename to free`,
      `grant ${name} to anon`,
      `grant anon to ${name}`,
      `drop role ${name}`,
      'create role free',
      `comment on role ${name} is 'x'`,
      `select ninefold.add_role_member('service_role'::regrole, 'anon'::regrole, true)`,
      'update pg_auth_members_of_server set admin_option = true',
    ])
      expect(await asOwner(sql), sql).toBe('42501');
    for (const role of ['anon', 'authenticated', 'service_role'])
      expect(await asOwner(`set role ${role}; select ninefold.create_database_role('free')`), role).toBe('42501');
    const members = await withClient(await superuserUrl(node, 'postgres'), (client) =>
      client.query(
        'select count(*)::int as n from pg_auth_members m join pg_roles r on r.oid = m.member where r.rolname = $1',
        [name],
      ),
    );
    expect(members.rows).toEqual([{ n: 0 }]);
  });

  it('follows an app into its copy, and a role that no app has is dropped with an app', async () => {
    await runSql(node, app.ref, `grant select on public.notes to ${name}; grant ${name} to authenticator`);
    const copy = await createApp(node, { from: app.ref, ref: uniqueRef('roles-copy') });
    expect(await rolesOf(copy)).toContainEqual({ role: name });
    expect(await asOwner(`select pg_has_role('app_${copy.ref}_authenticator', '${name}', 'SET') as may`, copy)).toEqual(
      [{ may: true }],
    );
    expect(await asOwner(`set role ${name}; select id from public.notes`, copy)).not.toBe('42501');
  });
});

describe('a migration', () => {
  const migrate = async (sql: string, to: AppConnection) => {
    const { warnings } = await admin<{ warnings: { message: string }[] }>(node, 'POST', `/apps/${to.ref}/migrations`, {
      files: [{ name: `${uniqueRef('m')}.sql`, sql }],
    });
    return warnings.map(({ message }) => message);
  };

  it('creates, grants and drops roles by statements, in DO blocks and with EXECUTE', async () => {
    const project = await createApp(node);
    const roles = ['a', 'b', 'c', 'd', 'e', 'f'].map((end) => `${name}_${end}`);
    const [a, b, c, d, e, f] = roles;
    expect(
      await migrate(
        `create role ${a} nologin noinherit;
         grant ${a} to authenticator;
         create table public.notes (id int);
         create function public.f() returns int language sql as 'select 1';
         do $$ begin execute 'create role ${b} nologin'; end $$;
         do $$ begin if not exists (select 1 from pg_roles where rolname = '${c}') then create role ${c}; end if; end $$;
         do $$ begin if not exists (select 1 from pg_roles where rolname = '${c}') then create role ${c}; end if; end $$;
         do $$ begin create role ${c}; exception when duplicate_object then null; end $$;
         do $$ declare r text; begin foreach r in array array['${d}', '${e}'] loop
           execute format('create role %I', r);
           execute format('grant %I to authenticator', r);
           execute format('revoke all on function public.f() from public, %I', r);
           execute format('grant select on public.notes to %I', r) || '';
         end loop; end $$;
         grant usage on schema public to ${a}, ${b};
         create policy p on public.notes to ${a}, authenticated using (true);
         create role ${f}; drop role ${f}; drop role if exists ${f};`,
        project,
      ),
    ).toEqual([]);
    expect(await asOwner('select ninefold.database_roles()::text as role order by 1', project)).toEqual(
      [a, b, c, d, e].map((role) => ({ role })),
    );
    expect(
      await asOwner(
        `select r, pg_has_role('app_${project.ref}_authenticator', r, 'SET') as allowed, has_table_privilege(r, 'public.notes', 'select') as reads
         from unnest(array['${a}', '${b}', '${d}']) r`,
        project,
      ),
    ).toEqual([
      { r: a, allowed: true, reads: false },
      { r: b, allowed: false, reads: false },
      { r: d, allowed: true, reads: true },
    ]);
  });

  it('says in a warning which attributes and memberships a role does not get', async () => {
    const project = await createApp(node);
    const role = `${name}_w`;
    expect(
      await migrate(
        `create role ${role} login password 'x' superuser; grant ${role} to authenticated; grant anon to ${role}; alter role ${role} bypassrls`,
        project,
      ),
    ).toEqual([
      expect.stringContaining('without login and attributes'),
      expect.stringContaining(`${role} is not granted to authenticated`),
      expect.stringContaining('anon is not granted'),
      expect.stringContaining('stays without login'),
    ]);
    expect(await asOwner(`select pg_has_role('authenticated', '${role}', 'MEMBER') as is_member`, project)).toEqual([
      { is_member: false },
    ]);
  });

  it('serves requests whose token names a role that GRANT … TO authenticator allows', async () => {
    const project = await createApp(node, { jwt_secret: secret });
    const [reader, writer] = [`${name}_reader`, `${name}_writer`];
    await migrate(
      `create role ${reader}; create role ${writer}; grant ${reader} to authenticator;
       create table public.notes (id int); insert into notes values (1); revoke all on notes from anon, authenticated;
       grant usage on schema public to ${reader}, ${writer}; grant select on notes to ${reader}, ${writer};
       alter table notes enable row level security; create policy p on notes to ${reader}, ${writer} using (true)`,
      project,
    );
    const call = async (role: string, at = project) => {
      const token = signToken({ role, exp: Math.floor(Date.now() / 1000) + 600 });
      const response = await fetch(`${at.url}/rest/v1/notes`, {
        headers: { apikey: at.publishable_key ?? '', authorization: `Bearer ${token}` },
      });
      return [response.status, await response.json()];
    };
    expect(await call(reader)).toEqual([200, [{ id: 1 }]]);
    expect((await call(writer))[0]).not.toBe(200);
    expect((await call(`app_${project.ref}_vault`))[0]).not.toBe(200);
  });

  it('does not wait for an app that holds the creation of the same name for longer than five seconds', async () => {
    const role = `${name}_held`;
    await withClient(other.database_url ?? '', async (client) => {
      await client.query(`begin; select ninefold.create_database_role('${role}')`);
      const started = performance.now();
      expect(await create(role)).toBe('55P03');
      expect(performance.now() - started).toBeLessThan(8000);
      await client.query('rollback');
    });
    expect(await create(role)).toHaveLength(1);
  });
});
