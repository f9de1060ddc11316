import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createAppWith, deleteApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { outcomeOf, superuserUrl, withClient } from '../support/database.ts';
import { makeOld } from '../support/old-app.ts';
import { ownNode } from '../support/own-node.ts';
import { uniqueEmail, uniqueRef } from '../support/unique.ts';

/**
 * The owner of an app defines code wherever PostgreSQL evaluates code of an owner. The code writes a file if it runs with
 * the privileges of a superuser, or can get them.
 */
const node = ownNode('superuser');

const proof = (name: string) => `/tmp/ninefold-superuser-${name}`;

/** SQL that runs as the owner. `name` names the file. */
const trap = (name: string) => `
  create schema trap;
  grant usage on schema trap to public;
  create table trap.ran (hook text, as_role name, session name);
  grant insert on trap.ran to public;
  create function trap.spring(hook text) returns boolean language plpgsql volatile set search_path = pg_catalog as $trap$
  declare
    caller text := current_setting('role');
  begin
    begin
      insert into trap.ran values (hook, current_user, session_user);
    exception when others then null;
    end;
    begin
      perform set_config('role', 'none', false);
    exception when others then null;
    end;
    if (select rolsuper from pg_roles where rolname = current_user) or current_setting('is_superuser') = 'on' then
      execute format('copy (select %L) to program %L', hook, 'cat >> ${proof(name)}');
    end if;
    perform set_config('role', caller, false);
    return true;
  exception when others then return true;
  end $trap$;
  create function trap.on_row() returns trigger language plpgsql as $$ begin perform trap.spring('trigger ' || tg_relid::regclass || ' ' || tg_op); return coalesce(new, old); end $$;
  create function trap.text_of(v text) returns text language plpgsql immutable as $$ begin perform trap.spring('expression'); return v; end $$;
  create function trap.equal(a text, b text) returns boolean language plpgsql immutable as $$ begin perform trap.spring('operator'); return a operator(pg_catalog.=) b; end $$;
  grant execute on all functions in schema trap to public;
  create operator trap.= (leftarg = text, rightarg = text, function = trap.equal);
  do $$ begin execute format('alter database %I set search_path = trap, public, pg_catalog', current_database()); end $$;`;

/** SQL that the owner runs as the role of schema auth, of which the owner is a member. */
const trapsOnAuth = `
  set role supabase_auth_admin;
  do $$
  declare
    item record;
  begin
    for item in select c.relname from pg_class c where c.relnamespace = 'auth'::regnamespace and c.relkind = 'r' loop
      execute format('create trigger trap_before before insert or update or delete on auth.%I for each row execute function trap.on_row()', item.relname);
      execute format('create constraint trigger trap_deferred after insert or update or delete on auth.%I deferrable initially deferred for each row execute function trap.on_row()', item.relname);
      execute format('alter table auth.%I enable always trigger trap_before', item.relname);
      execute format('alter table auth.%I enable always trigger trap_deferred', item.relname);
      execute format('alter table auth.%I force row level security', item.relname);
      execute format('create policy trap on auth.%I using (trap.spring(''policy'')) with check (trap.spring(''policy''))', item.relname);
    end loop;
  end $$;
  alter table auth.users alter column raw_app_meta_data set default (case when trap.spring('default') then '{}'::jsonb end);
  alter table auth.users add constraint trap check (trap.spring('check')) not valid;
  alter table auth.users add column trap text generated always as (trap.text_of('generated')) stored;
  create index trap on auth.users ((trap.text_of(email)));
  create statistics auth.trap on (trap.text_of(email)), (trap.text_of(phone)) from auth.users;
  create rule trap as on delete to auth.mfa_challenges do also select trap.spring('rule');
  alter table auth.custom_oauth_providers rename to kept_providers;
  create view auth.custom_oauth_providers as select * from auth.kept_providers where trap.spring('view');
  reset role;`;

/** SQL that the owner runs on the tables of files, which belong to the owner. */
const trapsOnStorage = `
  insert into storage.buckets (id, name) values ('files', 'files');
  alter table storage.objects force row level security;
  create policy trap on storage.objects using (trap.spring('policy of files')) with check (trap.spring('policy of files'));
  create trigger trap_before before insert or update or delete on storage.objects for each row execute function trap.on_row();
  create constraint trigger trap_deferred after insert or update or delete on storage.objects deferrable initially deferred
    for each row execute function trap.on_row();
  alter table storage.objects enable always trigger trap_before, enable always trigger trap_deferred;
  alter table storage.objects add column trap text generated always as (trap.text_of(name)) stored;
  create index trap_version on storage.objects ((trap.text_of(version)));
  create statistics storage.trap on (trap.text_of(name)), (trap.text_of(version)) from storage.objects;
  create type trap.odd as (v text);
  create function trap.odd_text(trap.odd) returns text language plpgsql as $$ begin perform trap.spring('cast of files'); return ($1).v; end $$;
  create cast (trap.odd as text) with function trap.odd_text(trap.odd) as implicit;`;

/** Statements that the owner may not run on tables of Ninefold, as itself or as a role that it can become. */
const refused = [
  'create trigger trap before update on %s for each row execute function trap.on_row()',
  "create rule trap as on insert to %s do also select trap.spring('x')",
  'create policy trap on %s using (true)',
  'alter table %s add column trap text default trap.text_of(1::text)',
  'create index trap on %s ((1))',
  'create table trap.child () inherits (%s)',
  'alter table %s owner to current_user',
  'drop table %s',
];

/** A file of this name exists if code of the app has got the privileges of a superuser. */
const name = randomBytes(6).toString('hex');

const proofs = () => (existsSync(proof(name)) ? readFileSync(proof(name), 'utf8') : '');

/** Runs SQL as the app's owner over TCP, as any program of the owner can do. */
const asOwner = <T>(app: AppConnection, work: (client: pg.Client) => Promise<T>) =>
  withClient(app.database_url ?? '', work);

async function trapped(): Promise<AppConnection> {
  const app = await createAppWith(node, trap(name));
  await asOwner(app, (client) => client.query(trapsOnAuth));
  await asOwner(app, (client) => client.query(trapsOnStorage));
  return app;
}

/** The statements with which the superuser creates and copies an app. None of them evaluates an object of the app. */
const expected = new RegExp(
  [
    "^(set local search_path = ''",
    'alter default privileges for role ',
    'reassign owned by ',
    'drop owned by ',
    'alter database ',
    'grant connect, temporary on database ',
    'select r.rolname as owner from pg_catalog.pg_database d ',
    'select n.nspname as schema, case d.defaclobjtype ',
    'select from pg_catalog.pg_proc where oid = pg_catalog.to_regprocedure',
    String.raw`select pg_catalog.set_config\('session_replication_role', 'replica', true\)`,
    String.raw`select ninefold.pause_scheduled_work\()`,
  ].join('|'),
);

/** Statements of the product's superuser in the databases of apps since the test began to log them, by their first words. */
function superuserStatements(): string[] {
  const text = readFileSync(join(node.home, 'logs/postgres.log'), 'utf8');
  const lines = [...text.matchAll(/ ninefold@(app_[a-z0-9-]+) ninefold LOG: {2}(?:statement|execute [^:]*): (.*)/g)];
  return lines.filter(([, database]) => database !== 'app_console').map(([, , statement]) => statement ?? '');
}

beforeAll(async () => {
  await withClient(await superuserUrl(node, 'postgres'), async (client) => {
    await client.query(`alter role ninefold set log_statement = 'all'`);
    await client.query(`alter system set autovacuum_naptime = '1s'`);
    await client.query('select pg_reload_conf()');
  });
});
afterAll(() => rmSync(proof(name), { force: true }));

it('no owner can define anything on a table of Ninefold, as whatever role', async () => {
  const app = await createAppWith(node, trap(name));
  await asOwner(app, async (client) => {
    const { rows } = await client.query<{ relation: string }>(`select format('%I.%I', n.nspname, c.relname) as relation
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname in ('ninefold', 'cron', 'net') and c.relkind = 'r'`);
    expect(rows.length).toBeGreaterThan(40);
    for (const role of ['none', 'supabase_auth_admin', 'postgres', 'service_role']) {
      await client.query(`select set_config('role', $1, false)`, [role]);
      for (const { relation } of rows) {
        for (const text of refused) {
          const sql = text.replace('%s', relation);
          expect([role, sql, await outcomeOf(client, sql)]).toEqual([role, sql, '42501']);
        }
      }
    }
    for (const role of ['ninefold_server', `app_${app.ref}_server`]) {
      expect(await outcomeOf(client, `set role "${role}"`)).toBe('42501');
    }
  });
});

it('no temporary type takes the place of a type in a function of the superuser', async () => {
  const app = await createAppWith(node, trap(name));
  await asOwner(app, async (client) => {
    for (const type of [
      'text',
      'json',
      'jsonb',
      'name',
      'oid',
      'int8',
      'uuid',
      'regclass',
      'regproc',
      'timestamptz',
      'float8',
      'bytea',
    ]) {
      await client.query(`create domain pg_temp.${type} as pg_catalog.${type} check (trap.spring('type ${type}'))`);
    }
    await client.query('create table pg_temp.pg_extension (like pg_catalog.pg_extension)');
    for (const sql of [
      `select ninefold.create_extension('moddatetime', 'extensions', true)`,
      `select ninefold.create_extension('pg_stat_statements', 'extensions', true)`,
      'select count(*) from extensions.pg_stat_statements',
      `select ninefold.move_extension('pg_stat_statements', 'public')`,
      `select net.http_get('http://127.0.0.1:1/'), net.http_post('http://127.0.0.1:1/'), net.http_delete('http://127.0.0.1:1/')`,
      `select cron.schedule('nothing', '0 0 1 1 *', 'select 1')`,
      'select ninefold.scheduled_jobs(), (select count(*) from ninefold.user_mapping_writes())',
      `insert into ninefold.settings (key, value) values ('db_max_rows', '7')`,
      `select ninefold.define_role('clerk', 'x')`,
      'create table public.noted (id int)',
    ]) {
      expect([sql, await outcomeOf(client, sql)]).toEqual([sql, expect.any(Array)]);
    }
  });
  expect(proofs()).toBe('');
});

it('no cast of an app runs with more privileges than the caller of a state change has', async () => {
  const app = await createAppWith(node, trap(name));
  await asOwner(app, async (client) => {
    await client.query(`
      create type public.mood as enum ('fine');
      create function public.mood_json(public.mood) returns json language plpgsql as $$ begin perform trap.spring('cast'); return '1'; end $$;
      create function public.mood_jsonb(public.mood) returns jsonb language plpgsql as $$ begin perform trap.spring('cast'); return '1'; end $$;
      create cast (public.mood as json) with function public.mood_json(public.mood);
      create cast (public.mood as jsonb) with function public.mood_jsonb(public.mood);
      create table public.tickets (id int primary key, status text, mood public.mood);
      select ninefold.define_machine('public.tickets', 'status', 'open', '[{"name": "close", "from": "open", "to": "closed"}]');
      insert into public.tickets values (1, 'open', 'fine');
      update public.tickets set status = 'closed'; delete from public.tickets;`);
    const { rows } = await client.query(`select distinct as_role, session from trap.ran where hook = 'cast'`);
    expect(rows).toEqual([{ as_role: `app_${app.ref}`, session: `app_${app.ref}` }]);
    const { rows: recorded } = await client.query(
      'select from_state, to_state, row_deleted from ninefold.state_changes order by id',
    );
    expect(recorded).toEqual([
      { from_state: null, to_state: 'open', row_deleted: true },
      { from_state: 'open', to_state: 'closed', row_deleted: true },
    ]);
    const forged = `select ninefold.write_state_change('public.tickets'::regclass, 'status', '{}', '{}', 'a', 'b', 'UPDATE')`;
    expect(await outcomeOf(client, forged)).toBe('42501');
    // Roles that may run code of the app own no function that runs with their privileges.
    const { rows: owned } =
      await client.query(`select p.oid::regprocedure as function from pg_proc p join pg_roles r on r.oid = p.proowner
      where p.prosecdef and not r.rolsuper and r.rolname not in ('ninefold_server', 'supabase_auth_admin', 'pg_database_owner', current_user)`);
    expect(owned).toEqual([]);
  });
});

it('the app sees nothing of others, and the journal trusts no author, while PostgreSQL analyzes the tables of the app', async () => {
  const app = await createAppWith(node, trap(name));
  await asOwner(app, (client) =>
    client.query(`
      create table public.seen (databases bigint, logins bigint, queries bigint, session name);
      create function public.look() returns text language plpgsql volatile set search_path = pg_catalog as $$
      begin
        if session_user <> current_user then
          insert into public.seen select (select count(*) from pg_database where datname <> current_database()),
            (select count(*) from pg_roles where rolcanlogin and rolname <> current_user and rolname like 'app\\_%' and rolname not like current_user || '%'),
            (select count(*) from pg_stat_activity where datname <> current_database()), session_user;
          perform set_config('ninefold.made_by', 'victim@example.com', true);
          perform ninefold.define_role('forged', 'x');
        end if;
        return 'x';
      end $$;
      create function public.fixed(v text) returns text language plpgsql immutable as $$ begin perform public.look(); return v; end $$;
      create table public.analyzed (v text) with (autovacuum_analyze_threshold = 1, autovacuum_analyze_scale_factor = 0);
      create index on public.analyzed (public.fixed(v));
      insert into public.analyzed select i::text from generate_series(1, 500) i`),
  );
  await asOwner(app, async (client) => {
    await expect
      .poll(async () => (await client.query('select from public.seen')).rowCount, { timeout: 60_000, interval: 500 })
      .toBeGreaterThan(0);
    const { rows } = await client.query('select distinct databases::int, logins::int, queries::int from public.seen');
    expect(rows).toEqual([{ databases: 0, logins: 0, queries: 0 }]);
    const { rows: authors } = await client.query(
      `select distinct made_by from ninefold.journal where what = 'roles' and made_by is not null`,
    );
    expect(authors).toEqual([]);
  });
});

it('an extension leaves nothing behind that runs with more privileges than the caller has', async () => {
  const app = await createAppWith(node, trap(name));
  await asOwner(app, async (client) => {
    await client.query('create extension pg_stat_statements schema extensions').catch(() => undefined);
    await client.query(`select ninefold.create_extension('pg_stat_statements', 'extensions', true)`);
    const replaced = `create or replace function extensions.pg_stat_statements(showtext boolean) returns setof record
      language plpgsql as $$ begin perform trap.spring('extension'); return; end $$`;
    expect(await outcomeOf(client, replaced)).toBe('42501');
    await client.query('drop extension pg_stat_statements');
    const { rows } =
      await client.query(`select p.oid::regprocedure as function from pg_proc p join pg_roles r on r.oid = p.proowner
      where r.rolsuper and p.prosecdef and p.proname ~ 'statement'`);
    expect(rows).toEqual([]);
  });
});

it('the superuser runs no code of an app while the app is used, copied and deleted', async () => {
  const app = await trapped();
  const admins = `/apps/${app.ref}`;
  const client = clientOf(app);
  const email = uniqueEmail();
  for (const { error } of [
    await client.auth.signUp({ email, password: 'a long password' }),
    await client.auth.signInWithPassword({ email, password: 'a long password' }),
    await client.auth.resetPasswordForEmail(email),
    await client.auth.signOut(),
  ]) {
    expect(error).toBeNull();
  }
  await admin(node, 'PUT', `${admins}/settings/db_max_rows`, { value: 100 });
  await admin(node, 'POST', `${admins}/migrations`, {
    files: [{ name: '1_a.sql', sql: 'create table public.a (id int primary key)' }],
  });
  await runSql(
    node,
    app.ref,
    `select cron.schedule('each second', '1 seconds', 'select trap.spring(''job'')'), net.http_get('http://127.0.0.1:1/')`,
  );
  const files = clientOf(app, app.secret_key ?? '').storage.from('files');
  for (const { error } of [
    await files.upload('a.txt', 'one'),
    await files.upload('a.txt', 'two', { upsert: true }),
    await files.copy('a.txt', 'b.txt'),
    await files.move('b.txt', 'c.txt'),
    await files.download('c.txt'),
    await files.list(),
    await files.remove(['c.txt']),
  ]) {
    expect(error).toBeNull();
  }
  await admin(node, 'GET', `${admins}/specification`);
  await admin(node, 'POST', `${admins}/probe`, {}).catch(() => undefined);
  await asOwner(app, async (owner) => {
    await expect
      .poll(async () => (await owner.query(`select state from ninefold.mails where kind = 'recovery'`)).rows, {
        timeout: 20_000,
      })
      .toEqual([{ state: 'kept' }]);
    await expect
      .poll(async () => (await owner.query(`select from cron.job_run_details where status = 'succeeded'`)).rowCount, {
        timeout: 20_000,
      })
      .toBeGreaterThan(0);
    // The sweep deletes the content that was replaced.
    await expect
      .poll(async () => (await owner.query('select from ninefold.stored_files')).rowCount, { timeout: 20_000 })
      .toBe(1);
    await owner.query(`drop index storage.trap_version; drop statistics storage.trap;
      alter table storage.objects alter column version type trap.odd using row(version)::trap.odd;
      update storage.objects set version = row('x')::trap.odd; delete from storage.objects`);
    const { rows } = await owner.query<{ hook: string; session: string }>(
      'select distinct hook, session from trap.ran',
    );
    const { rows: privileged } = await owner.query(
      `select distinct hook from trap.ran where as_role = 'ninefold_server'`,
    );
    expect(privileged).toEqual([]);
    // The traps work: PostgreSQL evaluated them in sessions of the app's own roles.
    for (const hook of ['check', 'expression', 'job', 'policy', 'trigger users INSERT', 'trigger objects INSERT']) {
      expect(rows.map((row) => row.hook)).toContain(hook);
    }
    expect([...new Set(rows.map(({ session }) => session))].sort()).toEqual([
      `app_${app.ref}`,
      `app_${app.ref}_authenticator`,
    ]);
  });
  const copy = uniqueRef('copy');
  await admin(node, 'POST', `${admins}/clone`, { ref: copy });
  await admin(node, 'GET', `/apps/${copy}/specification`);
  await deleteApp(node, copy);
  await deleteApp(node, app.ref);
  expect(proofs()).toBe('');
  expect(superuserStatements().filter((sql) => !expected.test(sql))).toEqual([]);
});

it('the superuser runs no code of an app when the schema of Ninefold is updated', async () => {
  const app = await createAppWith(node, 'select 1');
  const asTheOwner = `set session authorization "app_${app.ref}"; ${trap(name)} ${trapsOnAuth} ${trapsOnStorage} reset session authorization;`;
  await makeOld(node, app.ref, asTheOwner);
  await admin(node, 'GET', `/apps/${app.ref}/specification`);
  expect(await clientOf(app).auth.signUp({ email: uniqueEmail(), password: 'a long password' })).toMatchObject({
    error: null,
  });
  expect(proofs()).toBe('');
});
