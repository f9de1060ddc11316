import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, deleteApp, runSql } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { uniqueRef } from '../support/unique.ts';

/** SQL of one app must not read names, settings, comments, sessions or counters of another app. */
const node = inject('node');
const secret = 'SECRET-OF-THE-OTHER-APP';
let app: AppConnection;
let other: AppConnection;
/** Ends the request of the other app that runs during the tests. */
let endCall: () => Promise<unknown>;

beforeAll(async () => {
  app = await createApp(node, { ref: uniqueRef('curious') });
  other = await createApp(node, { ref: uniqueRef('private') });
  await runSql(
    node,
    other.ref,
    `comment on database "app_${other.ref}" is '${secret}';
     create function public.wait() returns void language plpgsql as
       $$ begin perform pg_sleep(30); end $$`,
  );
  await withClient(await superuserUrl(node, 'postgres'), (client) =>
    client.query(
      `comment on role "app_${other.ref}" is '${secret}'; alter database "app_${other.ref}" set "app.settings.secret" = '${secret}'`,
    ),
  );
  const call = new AbortController();
  const waiting = fetch(`${other.url}/rest/v1/rpc/wait`, {
    method: 'POST',
    headers: { apikey: other.anon_key, 'x-request-id': secret },
    signal: call.signal,
  }).catch(() => null);
  endCall = () => {
    call.abort();
    return waiting;
  };
  await withClient(await superuserUrl(node, 'postgres'), (client) =>
    vi.waitFor(async () => {
      const running = `select from pg_stat_activity where application_name like '%${secret}'`;
      expect((await client.query(running)).rowCount).toBe(1);
    }, 10_000),
  );
});

afterAll(async () => {
  await endCall?.();
  await Promise.all([app, other].map(({ ref }) => deleteApp(node, ref)));
});

const asOwner = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => withClient(app.database_url ?? '', work);

/** Every relation of PostgreSQL itself that the caller may read. */
const relations = `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('pg_catalog', 'information_schema') and c.relkind in ('r', 'v') and has_table_privilege(c.oid, 'select')
  order by 1`;

/** Every function of PostgreSQL that returns rows or a count and needs no arguments. */
const functions = `select format('%I.%I(%s)', n.nspname, p.proname, case p.pronargs when 1 then 'null' else '' end) as name
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = 'pg_catalog' and p.prokind = 'f' and p.proname ~ '^(ninefold_)?(pg_stat_get|pg_lock|pg_prepared_xact|pg_get_repl)'
    and p.pronargs = 0 or p.proname in ('pg_stat_get_activity', 'ninefold_pg_stat_get_activity')
  order by 1`;

async function tellsOf(client: pg.Client, name: string, words: readonly string[]): Promise<string[]> {
  try {
    const { rows } = await client.query(`select coalesce(t::text, '') as row from ${name} t`);
    return rows.map(({ row }: { row: string }) => row).filter((row) => words.some((word) => row.includes(word)));
  } catch (error) {
    // A function that the caller may not execute, or that works on standby servers only.
    if (['42501', '55000', '0A000'].includes((error as pg.DatabaseError).code ?? '')) return [];
    throw error;
  }
}

describe.each(['its owner', 'anon', 'supabase_auth_admin'])('SQL of an app, as %s,', (who) => {
  const as = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> =>
    asOwner(async (client) => {
      if (who !== 'its owner') await client.query(`set role ${who}`);
      return work(client);
    });

  it('finds no other app in any relation or function of PostgreSQL', async () => {
    const oid = await withClient(await superuserUrl(node, 'postgres'), async (client) => {
      const { rows } = await client.query('select oid from pg_database where datname = $1', [`app_${other.ref}`]);
      return String(rows[0].oid);
    });
    await as(async (client) => {
      const { rows: named } = await client.query(`${relations}`);
      const { rows: called } = await client.query(functions);
      expect(named.length).toBeGreaterThan(150);
      expect(called.length).toBeGreaterThan(5);
      const reported: string[] = [];
      for (const { name } of [...named, ...called] as { name: string }[]) {
        reported.push(...(await tellsOf(client, name, [other.ref, secret])));
        // The OID of the other database, if the relation is about databases.
        if (/database|activity|stat_progress|locks|shdepend|db_role_setting/.test(name)) {
          reported.push(...(await tellsOf(client, name, [`(${oid},`, `,${oid},`])));
        }
      }
      expect(reported).toEqual([]);
    });
  });

  it('gets no statistics of another app by the OID of its database', async () => {
    const { rows } = await withClient(await superuserUrl(node, 'postgres'), (client) =>
      client.query('select oid from pg_database where datname = $1', [`app_${other.ref}`]),
    );
    await as(async (client) => {
      const { rows: counters } = await client.query(
        `select p.proname as name from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace
           and p.proname ~ '^(ninefold_)?pg_stat_get_db_' and p.pronargs = 1 order by 1`,
      );
      expect(counters.length).toBeGreaterThan(40);
      for (const { name } of counters as { name: string }[]) {
        const value = await client.query(`select pg_catalog.${name}(${rows[0].oid}) as value`).then(
          (result) => result.rows[0].value,
          (error: pg.DatabaseError) => error.code,
        );
        expect([name, value]).toEqual([name, name.startsWith('ninefold_') ? null : '42501']);
      }
    });
  });

  it('finds its own database, roles and session in the catalogs that tools read', async () => {
    await as(async (client) => {
      const value = async (sql: string) => Object.values((await client.query(sql)).rows[0] ?? {})[0];
      const self = `app_${app.ref}`;
      expect(await value('select datname from pg_database where datname = current_database()')).toBe(self);
      expect(await value('select string_agg(datname, $$,$$) from pg_database')).toBe(self);
      expect(await value('select datname from pg_stat_database where datname = current_database()')).toBe(self);
      expect(await value(`select rolname from pg_roles where rolname = '${self}'`)).toBe(self);
      expect(
        await value(`select count(*)::int from pg_roles where rolname in ('anon', 'service_role', 'authenticated')`),
      ).toBe(3);
      expect(await value('select datname from pg_stat_activity where pid = pg_backend_pid()')).toBe(self);
      expect(await value('select count(*) > 0 from pg_locks where pid = pg_backend_pid()')).toBe(true);
      expect(
        await value(`select r.rolname from pg_auth_members m join pg_roles r on r.oid = m.roleid join pg_roles w on w.oid = m.member
          where w.rolname = '${self}' and r.rolname = 'anon'`),
      ).toBe('anon');
    });
  });
});

it('the owner of a database sees its comment and its settings', async () => {
  await asOwner(async (client) => {
    await client.query(`comment on database "app_${app.ref}" is 'mine'`);
    await client.query(`alter database "app_${app.ref}" set work_mem = '5MB'`);
    const { rows } =
      await client.query(`select shobj_description(d.oid, 'pg_database') as comment, s.setconfig as settings
      from pg_database d join pg_db_role_setting s on s.setdatabase = d.oid and s.setrole = 0`);
    expect(rows).toEqual([{ comment: 'mine', settings: expect.arrayContaining(['work_mem=5MB']) }]);
  });
});

it('a function with a low cost sees no rows of other apps', async () => {
  await asOwner(async (client) => {
    await client.query(`create function public.peek(text) returns boolean language plpgsql cost 0.0000001 as
      $$ begin raise notice 'seen %', $1; return true; end $$`);
    const notices: string[] = [];
    client.on('notice', ({ message }) => notices.push(message ?? ''));
    for (const sql of [
      'select from pg_database where public.peek(datname)',
      'select from pg_roles where public.peek(rolname)',
      'select from pg_user where public.peek(usename)',
      'select from pg_stat_activity where public.peek(application_name)',
      'select from pg_db_role_setting where public.peek(setconfig::text)',
      'select from pg_shdescription where public.peek(description)',
    ]) {
      await client.query(sql);
    }
    expect(notices).toContain(`seen app_${app.ref}`);
    expect(notices.filter((text) => text.includes(other.ref) || text.includes(secret))).toEqual([]);
  });
});

it('pg_dump reads its catalogs, and the dump contains no changed privileges', async () => {
  await asOwner(async (client) => {
    await client.query(`set restrict_nonsystem_relation_kind = 'view, foreign-table'`);
    await client.query('select oid, rolname from pg_catalog.pg_roles order by 1');
    const { rows } =
      await client.query(`select tableoid, oid, datname, datdba, pg_encoding_to_char(encoding) as encoding, datcollate,
      datfrozenxid, datacl, acldefault('d', datdba), datconnlimit, shobj_description(oid, 'pg_database')
      from pg_catalog.pg_database where datname = current_database()`);
    expect(rows).toMatchObject([{ tableoid: 1262, datname: `app_${app.ref}` }]);
    // pg_dump dumps privileges that differ from pg_init_privs.
    const changed = await client.query(`
      select c.oid::regclass::text from pg_class c left join pg_init_privs i on i.objoid = c.oid and i.classoid = 'pg_class'::regclass and i.objsubid = 0
      where c.relnamespace = 'pg_catalog'::regnamespace and c.relacl is distinct from i.initprivs
      union all
      select p.oid::regprocedure::text from pg_proc p left join pg_init_privs i on i.objoid = p.oid and i.classoid = 'pg_proc'::regclass
      where p.pronamespace = 'pg_catalog'::regnamespace and p.proacl is distinct from i.initprivs`);
    expect(changed.rows).toEqual([]);
    await client.query('reset restrict_nonsystem_relation_kind');
    for (const { name } of (
      await client.query(
        `select format('%I.%I', schemaname, sequencename) as name from pg_sequences where schemaname = 'ninefold'`,
      )
    ).rows) {
      await client.query(`select last_value from ${name}`);
    }
  });
});

it('the superuser in an app’s database sees the whole server', async () => {
  // A session of the other app that stays open.
  await withClient(other.database_url ?? '', async () => {
    const { rows } = await withClient(await superuserUrl(node, `app_${app.ref}`), (client) =>
      client.query(
        `select (select count(*)::int from pg_database where datname = $1) as databases,
        (select count(*)::int from pg_roles where rolname = $1) as roles, (select count(*)::int from pg_stat_activity where datname = $1) as sessions`,
        [`app_${other.ref}`],
      ),
    );
    expect(rows).toEqual([{ databases: 1, roles: 1, sessions: expect.toSatisfy((count: number) => count > 0) }]);
  });
});

it('anon may execute only the listed functions of schema ninefold, which reveal nothing', async () => {
  await asOwner(async (client) => {
    const { rows } =
      await client.query(`select p.proname as name from pg_proc p where p.pronamespace = 'ninefold'::regnamespace
      and has_function_privilege('anon', p.oid, 'execute') order by 1`);
    expect(rows.map(({ name }: { name: string }) => name)).toEqual([
      // The functions about transitions evaluate policies with the privileges of their caller.
      ...[
        'after_transition',
        // appointment_of reads a row as the caller.
        'appointment_of',
        'caller',
        // The functions of triggers of changes read the catalog, and values that they get.
        'changed_key',
        'compared',
        'count_change',
        'described_buckets',
        'differs',
        'edge_functions',
        // file_id parses its argument. has_file_columns reads the catalog, which every role may read.
        'file_id',
        'find_transition',
        'has_file_columns',
        'has_role',
        'holds_any',
        'image_of',
        // is_column_of, label_fields, notification_problem and referenced_by read the catalog, which every role may read.
        'is_column_of',
        'is_open',
      ],
      ...['is_superuser_client', 'is_watched', 'key_condition', 'key_fields', 'key_of', 'label_fields'],
      // member_words and trigrams compute index entries from their arguments only.
      ...[
        'machine_label',
        'machine_triggers',
        // These read rows and names as the caller.
        'may_be_told',
        'may_change_row',
        'may_pass',
        // may_read_field asks for a privilege of the caller.
        'may_read_field',
        'member_name',
        'member_words',
        'members_in',
        'mentioned',
        'my_roles',
        'notification_problem',
        'notifications_to_mail',
        'open_transitions',
        'passes',
        'people',
      ],
      // described_buckets, edge_functions, scheduled_jobs and user_mapping_writes return rows only to connections that have not switched to another role.
      ...[
        'policies_for_change',
        'published_tables',
        'referenced_by',
        'refuse_undefined',
        'row_label',
        'row_rights',
        'scheduled_jobs',
        'sees_row',
      ],
      // set_change_triggers can add triggers only to tables of its caller.
      ...['set_change_triggers', 'state_changes_of'],
      // stored_file needs the random id of a content, which only those know who see the row of the object.
      'stored_file',
      // write_state_change is refused outside of a trigger.
      ...[
        'takeable_transitions',
        'trigger_arguments',
        'triggers_set',
        'trigrams',
        'user_mapping_writes',
        'usual_mail',
        'with_generated',
        // write_notifications, too.
        'write_notifications',
        'write_state_change',
      ],
    ]);
  });
});

it.each([
  ['reads a table whose policy names the app', 'begin; select * from public.trap', true],
  ['has a policy for the app in an open transaction', 'begin; create policy late on public.trap to $role', false],
  ['changes a privilege of the app in an open transaction', 'begin; grant insert on public.trap to $role', true],
])('the node deletes an app while a session of another app %s', async (_what, sql, isNamed) => {
  const { ref } = await createApp(node, { ref: uniqueRef('deleted') });
  const role = `"app_${ref}"`;
  await asOwner(async (client) => {
    await client.query('drop table if exists public.trap; create table public.trap ()');
    if (isNamed) {
      await client.query(`create policy named on public.trap to ${role}; grant select on public.trap to ${role}`);
    }
    const ended = new Promise<void>((resolve) => client.on('end', () => resolve()));
    await client.query(sql.replaceAll('$role', () => role));
    await Promise.all([deleteApp(node, ref), ended]);
  });
  await withClient(await superuserUrl(node, 'postgres'), async (client) => {
    const { rows } = await client.query('select rolname from pg_roles where rolname like $1', [`app_${ref}%`]);
    expect(rows).toEqual([]);
  });
});

it('the views that hide other apps decide once for each query whether a superuser reads them', async () => {
  const { rows } = await asOwner((client) =>
    client.query(`select c.relname as name, pg_get_viewdef(c.oid) as definition from pg_class c
      where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'v'
        and pg_get_viewdef(c.oid) like '%is_superuser_client()%' order by 1`),
  );
  expect(rows.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['pg_auth_members', 'pg_database', 'pg_db_role_setting', 'pg_roles', 'pg_shdescription']),
  );
  // A call outside of a subquery would run for each row.
  for (const { name, definition } of rows) {
    expect([name, definition.match(/(?<!SELECT )ninefold\.is_superuser_client\(\)/)]).toEqual([name, null]);
  }
});
