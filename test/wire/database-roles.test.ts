import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { outcomeOf, superuserUrl, withClient } from '../support/database.ts';
import { uniqueRef } from '../support/unique.ts';

const node = inject('node');
/** A name that no other test file uses. */
const name = `role_${uniqueRef('r').replaceAll('-', '_')}`;
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
