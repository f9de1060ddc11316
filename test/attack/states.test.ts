import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, createTemplate, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { outcomeOf, superuserUrl, withClient } from '../support/database.ts';

/**
 * Attempts of an owner or a member to misuse state machines, roles and screens: to gain privileges, to avoid records,
 * to break readers.
 */
const node = inject('node');

let template: AppConnection;
beforeAll(async () => {
  template = await createTemplate(
    node,
    `select ninefold.define_role('agent');
    create table public.tickets (id int primary key, status text not null default 'open', owner uuid default auth.uid());
    alter table public.tickets enable row level security;
    create policy everyone on public.tickets using (true) with check (true);
    select ninefold.define_machine('public.tickets', 'status', 'open', '[{"name": "close", "from": "open", "to": "closed", "roles": "agent"}]');
    insert into public.tickets (id) values (1)`,
  );
});

const specification = (app: AppConnection) => admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);

describe('the owner of an app with state machines', () => {
  it.each([
    [
      'replaces the function that checks state changes',
      'create or replace function ninefold.check_state_change() returns trigger language plpgsql as $$ begin return null; end $$',
    ],
    [
      'replaces the function has_role',
      'create or replace function ninefold.has_role(role text) returns boolean language sql return true',
    ],
    ['drops the function that checks state changes', 'drop function ninefold.check_state_change cascade'],
    [
      'hangs a trigger on the roles of members, which the server reads',
      'create trigger t before insert on ninefold.member_roles for each row execute function public.f()',
    ],
    ['hangs a policy on the state_changes', 'create policy p on ninefold.state_changes using (true)'],
    ['turns the policies of state_changes off', 'alter table ninefold.state_changes disable row level security'],
    ['changes recorded state_changes', 'update ninefold.state_changes set member = null'],
    ['puts a view in place of a table', 'alter table ninefold.machines rename to m'],
    ['drops the schema of what is compiled', 'drop schema ninefold_states cascade'],
    ['switches the event triggers off', 'alter event trigger ninefold_machines_whole disable'],
    ['takes over the definer', 'alter function ninefold.record_state_change() owner to current_user'],
    ['calls the definer', 'select ninefold.record_state_change()'],
  ])('gets an error for this attempt: %s', async (_, sql) => {
    const app = await createApp(node, { from: template.ref });
    await runSql(
      node,
      app.ref,
      'create function public.f() returns trigger language plpgsql as $$ begin return new; end $$',
    );
    await expect(runSql(node, app.ref, sql)).rejects.toThrow(/42501|0A000/);
  });

  it.each(["update public.tickets set status = 'nowhere'", 'alter table public.tickets drop column status'])(
    'cannot avoid the state machine in replica mode: %s',
    async (sql) => {
      const app = await createApp(node, { from: template.ref });
      await expect(runSql(node, app.ref, `set session_replication_role = replica; ${sql}`)).rejects.toThrow(
        /NF00|2BP01/,
      );
    },
  );

  it('gains no privilege by a condition, which runs as the writer and is not evaluated by the specification', async () => {
    const app = await createApp(node, { from: template.ref });
    await runSql(
      node,
      app.ref,
      `create table public.log (who text, what text); grant all on public.log to public;
      create function public.climb() returns boolean language plpgsql set search_path = '' as $$
      declare attempt text;
      begin
        foreach attempt in array array['set local role ninefold', 'set local role app_console', 'create role climber', 'alter system set port = 1',
          'set session_replication_role = replica', $q$copy (select 1) to program 'true'$q$, $q$select pg_catalog.pg_read_file('/etc/passwd')$q$] loop
          begin
            execute attempt;
            insert into public.log values (current_user, attempt);
          exception when others then null;
          end;
        end loop;
        insert into public.log values (current_user, 'called');
        return true;
      end $$;
      select ninefold.define_machine('public.tickets', 'status', 'open',
        '[{"name": "close", "from": "open", "to": "closed", "when": "public.climb()"}, {"name": "open", "from": "any", "to": "open"}]');
      truncate public.log`,
    );
    await specification(app);
    expect((await runSql(node, app.ref, 'select * from public.log')).results[0]?.rows).toEqual([]);
    const member = await signUpMember(app);
    await member.client.from('tickets').update({ status: 'closed' }).eq('id', 1).throwOnError();
    const service = clientOf(app, app.service_role_key);
    await service.from('tickets').update({ status: 'open' }).eq('id', 1).throwOnError();
    await service.from('tickets').update({ status: 'closed' }).eq('id', 1).throwOnError();
    const { results } = await runSql(node, app.ref, 'select distinct who, what from public.log order by 1');
    expect(results[0]?.rows).toEqual([
      ['authenticated', 'called'],
      ['service_role', 'called'],
    ]);
  });

  it('gains no privilege when the superuser alters tables with a hostile search path', async () => {
    const app = await createApp(node, { from: template.ref });
    await runSql(
      node,
      app.ref,
      `create table public.log (who text); grant insert on public.log to public;
      create function public.spy() returns event_trigger language plpgsql as $$ begin end $$;
      create function public.eq(oid, oid) returns boolean language plpgsql as $$ begin insert into public.log values (current_user); return true; end $$;
      create operator public.= (leftarg = oid, rightarg = oid, function = public.eq)`,
    );
    await withClient(await superuserUrl(node, `app_${app.ref}`), async (superuser) => {
      await superuser.query('set search_path = public, pg_catalog');
      expect(await outcomeOf(superuser, 'alter table public.tickets add extra int')).toEqual([]);
      expect(await outcomeOf(superuser, 'select count(*)::int as n from public.log')).toEqual([{ n: 0 }]);
    });
  });

  it('cannot make the specification fail by invalid rows in schema ninefold', async () => {
    const app = await createApp(node, { from: template.ref });
    await runSql(
      node,
      app.ref,
      `create view public.v as select 1 as f, 1/0 as g;
      insert into ninefold.machines (entity, field, initial) values (999999::oid::regclass, 'x', 'y'), ('public.v', 'f', 'x'), ('public.v', 'g', 'x'),
        ('public.tickets', 'nothing', ''), ('pg_catalog.pg_class', 'relname', 'x'), ('public.tickets', E'''"\\\\\\n', 'x');
      insert into ninefold.transitions (entity, field, name, position, from_states, to_state, roles, guard, requires, sets, setter) values
        ('public.tickets', 'nothing', '__proto__', 1, '{a}', '__proto__', '{}', '"; drop', '{constructor}', '{x}', 'f'),
        ('public.tickets', 'nothing', repeat('x', 200), 1, null, '', null, '', '{}', '{}', null);
      insert into ninefold.screens values ('/x', 'X', 'board', 'not a name"', '{constructor}', '%E0%A4%A=1&&&=', ',,.asc,"', '{__proto__}');
      create table public.bare ();
      insert into ninefold.screens values ('/y', 'Y', 'list', 'public.bare', null, 'x=eq.1', 'y', null),
        ('/z', 'Z', 'list', 'public.tickets', null, 'subject=eq.%00&constructor->>__proto__=eq.1&and=(((((&number=in.(1,"', '"', null);
      insert into ninefold.screens select '/s/' || n, 'S', 'list', 'public.tickets', null, 'number=eq.' || n, 'number', null from generate_series(1, 1500) n;
      insert into ninefold.state_changes (entity, field, key, to_state, role) values ('public.v', 'f', 'null', 'x', 'y'), (1::oid::regclass, '', '[]', '', '')`,
    );
    const { chapters } = await specification(app);
    expect(chapters.states?.machines.length).toBeGreaterThan(2);
    expect(chapters.screens?.screens.find(({ route }) => route === '/x')?.broken).not.toEqual([]);
    for (const format of ['markdown', 'html']) {
      const answer = await fetch(`${node.url}/admin/v1/apps/${app.ref}/specification?format=${format}`, {
        headers: { authorization: `Bearer ${node.operatorToken}` },
      });
      expect([format, answer.status]).toEqual([format, 200]);
    }
    await runSql(node, app.ref, 'alter table public.v rename to w').catch(() => undefined);
    await runSql(node, app.ref, 'delete from ninefold.machines; select count(*) from ninefold.state_changes');
  });
});

describe('a member of an app with state machines', () => {
  it('cannot define, grant or forge anything, even if schema ninefold is exposed by mistake', async () => {
    const app = await createApp(node, { from: template.ref });
    await runSql(
      node,
      app.ref,
      `insert into ninefold.settings (key, value) values ('db_schemas', '["public", "ninefold"]')`,
    );
    const member = await signUpMember(app);
    const ninefold = member.client.schema('ninefold');
    const attempts = [
      ['define_machine', { entity: 'public.tickets', field: 'status', initial: 'open', transitions: [] }],
      ['drop_machine', { entity: 'public.tickets', field: 'status' }],
      ['remove_machine', { entity: 'public.tickets', field: 'status' }],
      [
        'write_machine',
        { entity: 'public.tickets', field: 'status', initial: 'open', transitions: [], path: 'public' },
      ],
      ['compile_expression', { entity: 'public.tickets', expression: 'true', type: 'boolean', path: 'public' }],
      ['grant_role', { user: member.user.id, role: 'agent' }],
      ['define_role', { name: 'boss' }],
      ['describe_app', { name: 'Mine' }],
      ['define_screen', { route: '/x', title: 'X', kind: 'list', entity: 'public.tickets' }],
    ] as const;
    await expect.poll(async () => (await ninefold.rpc('my_roles')).data, { timeout: 5000 }).toEqual([]);
    for (const [name, args] of attempts) {
      const { error } = await ninefold.rpc(name, args);
      expect([name, error?.code]).toEqual([name, '42501']);
    }
    for (const table of ['member_roles', 'roles', 'machines', 'transitions', 'state_changes', 'app', 'screens']) {
      const { error } = await ninefold.from(table).insert({});
      expect([table, error?.code]).toEqual([table, '42501']);
    }
    expect((await ninefold.from('member_roles').select()).data).toEqual([]);
    const refused = await member.client.from('tickets').update({ status: 'closed' }).eq('id', 1);
    expect(refused.error?.code).toBe('NF001');
  });
});
