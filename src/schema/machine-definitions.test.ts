import { describe, expect, it } from 'vitest';
import {
  agent,
  by,
  customer,
  define,
  machine,
  open,
  owner,
  refusal,
  rows,
  serviceKey,
  stateChanges,
  useTicketsWithStates,
} from '../../test/support/tickets-with-states.ts';

useTicketsWithStates();

describe('ninefold.define_machine', () => {
  it('refuses to remove a state in which rows are, and reports the number of these rows even if policies hide them from the owner', async () => {
    await owner.script(`insert into public.tickets (status) values ('held'), ('held'), ('closed');
      alter table public.tickets force row level security`);
    expect(await refusal(define('[{"name": "close", "from": "open", "to": "closed"}]'))).toMatchObject({
      sqlstate: 'NF004',
      message: 'Rows of public.tickets stand in states that the machine does not have: 2 in held.',
    });
    // The refused definition was not stored, so the previous machine still applies.
    await by(customer, `update public.tickets set status = 'held' where id = 1`);
  });

  it.each<[string, string, string, string]>([
    ['a column that is not there', '{"when": "nothing > 1"}', '42703', 'column "nothing" does not exist'],
    ['an expression of another type', '{"when": "now()"}', '42846', 'cannot cast type'],
    ['several statements', '{"when": "true); drop table public.tickets; select (true"}', '42P11', 'multi-query'],
    ['several columns', '{"when": "true) as a, (true"}', '42601', 'more than one expression'],
    [
      'a statement that writes',
      '{"when": "(with x as (delete from public.tickets returning 1) select true)"}',
      '0A000',
      'WITH',
    ],
    ['an open bracket', '{"when": "(true"}', '42601', 'syntax error'],
    ['a comment that swallows the rest', '{"when": "true --"}', 'none', ''],
    ['a role that is not there', '{"roles": ["agnt"]}', '42704', 'names the role'],
    ['a field to require that is not there', '{"requires": ["nothing"]}', '42703', 'no other field'],
    ['a field to set that is not there', '{"sets": {"nothing": "1"}}', '42703', 'can be set'],
    ['the state itself to set', `{"sets": {"status": "'lost'"}}`, '42703', 'can be set'],
    ['the key to set', '{"sets": {"id": "1"}}', '42703', 'can be set'],
    ['a value of another type to set', '{"sets": {"times": "now()"}}', '42846', 'cannot cast type'],
    ['a state that the enum does not have', '{"to": "elsewhere"}', '22P02', 'invalid input value'],
    ['a word that means nothing', '{"guard": "true"}', '22023', 'means nothing'],
    ['no states to come from', '{"from": []}', '22023', 'empty'],
    ['a number for a state', '{"from": 3}', '22023', 'a text or a list of texts'],
  ])('validates a definition with %s', async (_, part, sqlstate, message) => {
    const transition = { name: 'hold', from: 'open', to: 'held', ...JSON.parse(part) };
    const work = define(JSON.stringify([transition]));
    if (sqlstate === 'none') await work;
    else expect(await refusal(work)).toMatchObject({ sqlstate, message: expect.stringContaining(message) });
  });

  it.each<[string, string, string]>([
    [
      'two transitions of one name',
      `'public.tickets', 'status', 'open', '[{"name":"a","from":"open","to":"held"},{"name":"a","from":"held","to":"open"}]'`,
      '42710',
    ],
    ['no list', `'public.tickets', 'status', 'open', '{}'`, '22023'],
    ['a field that can hold no state', `'public.tickets', 'priority', 'open', '[]'`, '22023'],
    ['a view', `'public.v', 'status', 'open', '[]'`, '0A000'],
    ['a table without a key', `'public.keyless', 'status', 'open', '[]'`, '0A000'],
    ['a partitioned table', `'public.parted', 'status', 'open', '[]'`, '0A000'],
    ['somebody else’s table', `'auth.users', 'email', 'open', '[]'`, '42501'],
  ])('refuses a machine of %s', async (_, args, sqlstate) => {
    await owner.script(`create view public.v as select * from public.tickets; create table public.keyless (status text);
      create table public.parted (id int primary key, status text) partition by list (id)`);
    expect(await refusal(owner.script(`select ninefold.define_machine(${args})`))).toMatchObject({ sqlstate });
  });

  it('cannot be called by members or with a key', async () => {
    for (const caller of [customer, serviceKey]) {
      for (const attempt of [
        `select ninefold.define_machine('public.tickets', 'status', 'open', '[]')`,
        `select ninefold.drop_machine('public.tickets', 'status')`,
        `select ninefold.compile_expression('public.tickets', 'true', 'boolean', 'public')`,
        `select ninefold.describe_app('Mine')`,
        `select ninefold.define_role('boss')`,
        'update ninefold.transitions set roles = null',
        'delete from ninefold.machines',
        `insert into ninefold.roles values ('boss')`,
      ]) {
        expect([attempt, (await refusal(by(caller, attempt))).sqlstate]).toEqual([attempt, '42501']);
      }
    }
  });

  it('replaces the previous definition completely', async () => {
    await define('[{"name": "loose", "from": "any", "to": "lost"}, {"name": "hold", "from": "*", "to": "held"}]');
    expect(await open(customer)).toEqual(['loose', 'hold']);
    expect(
      await rows(`select count(*) as n from pg_proc where pronamespace = 'ninefold_states'::regnamespace`),
    ).toEqual([{ n: '0' }]);
    await owner.script(
      `select ninefold.drop_machine('public.tickets', 'status'); update public.tickets set status = 'closed'`,
    );
    expect(await stateChanges()).toHaveLength(1);
    expect(await refusal(by(customer, 'select t.transitions from public.tickets t'))).toMatchObject({
      sqlstate: '42703',
    });
    expect(await refusal(owner.script(`select ninefold.drop_machine('public.tickets', 'status')`))).toMatchObject({
      sqlstate: '42704',
    });
  });

  it('finds names along the search path of its caller, and does not replace a function of the app', async () => {
    await owner.script(`set search_path = public; create function is_calm(priority int) returns boolean language sql immutable return priority < 3;
      select ninefold.define_machine('tickets', 'status', 'open', '[{"name": "hold", "from": "open", "to": "held",
        "when": "is_calm(tickets.priority) and not exists (select from tickets t where t.priority > tickets.priority)"}]')`);
    expect(await open(customer)).toEqual(['hold']);
    await owner.script(`select ninefold.drop_machine('public.tickets', 'status');
      create function public.transitions(public.tickets) returns int language sql return 1`);
    expect(await refusal(define('[]'))).toMatchObject({ sqlstate: '42723' });
  });

  it('refuses a condition whose function does not find its tables', async () => {
    await owner.script(
      'create function public.unsure() returns boolean language plpgsql as $$ begin return exists (select from tickets); end $$',
    );
    expect(
      await refusal(define('[{"name": "hold", "from": "open", "to": "held", "when": "public.unsure()"}]')),
    ).toMatchObject({ sqlstate: '42P01', hint: expect.stringContaining('search_path') });
  });

  it('separates two machines on one table, and handles names that need quotes', async () => {
    await owner.script(`create table public."Odd ""Table" ("the key" int, "k2" text, "A State's" text, "B%s" text, "set me" text, primary key ("the key", k2));
      grant all on public."Odd ""Table" to service_role;
      select ninefold.define_machine('public."Odd ""Table"', 'A State''s', 'it''s', $$[{"name": "go \\"on\\"", "from": "it's", "to": "%s", "when": "\\"B%s\\" is not null",
        "sets": {"set me": "\\"A State's\\" || '; --'"}}]$$);
      select ninefold.define_machine('public."Odd ""Table"', 'B%s', 'x', '[{"name": "y", "from": "x", "to": "y"}]')`);
    await by(serviceKey, `insert into public."Odd ""Table" values (1, 'a')`);
    await by(serviceKey, `update public."Odd ""Table" set "A State's" = '%s'`);
    expect(await rows('select "A State\'s" as a, "B%s" as b, "set me" as c from public."Odd ""Table"')).toEqual([
      { a: '%s', b: 'x', c: '%s; --' },
    ]);
    expect(await refusal(by(serviceKey, `update public."Odd ""Table" set "B%s" = 'z'`))).toMatchObject({
      sqlstate: 'NF001',
    });
    await by(serviceKey, `update public."Odd ""Table" set "B%s" = 'y'`);
    expect(
      await rows(
        `select key from ninefold.state_changes where entity = 'public."Odd ""Table"'::regclass and field = 'B%s'`,
      ),
    ).toEqual([{ key: '{"k2": "a", "the key": 1}' }, { key: '{"k2": "a", "the key": 1}' }]);
  });
});

describe('privileges of a condition', () => {
  it('are those of the caller who changes the row, whoever defined the condition', async () => {
    await owner.script(`create table public.seen (who text); grant insert on public.seen to authenticated, service_role;
      create function public.look() returns boolean language plpgsql set search_path = '' as $$ begin
        begin execute 'set local role app_owner'; exception when insufficient_privilege then null; end;
        insert into public.seen values (current_user); return true; end $$;
      select ninefold.define_machine('public.tickets', 'status', 'open',
        '[{"name": "hold", "from": "open", "to": "held", "when": "public.look()", "sets": {"resolution": "current_user::text"}}]');
      delete from public.seen`);
    await by(customer, `update public.tickets set status = 'held'`);
    expect(await rows('select distinct who from public.seen')).toEqual([{ who: 'authenticated' }]);
    expect(await rows('select resolution from public.tickets')).toEqual([{ resolution: 'authenticated' }]);
  });

  it('do not depend on SECURITY DEFINER functions, because no condition is evaluated in such a function', async () => {
    const definers = await rows(`select proname, proowner::regrole::text as owner from pg_proc
      where pronamespace = 'ninefold'::regnamespace and prosecdef and proname like any (array['%passage%', '%dropped%', '%machine%', '%state%'])
        and proname <> 'keep_job_state' order by proname`);
    expect(definers).toEqual([
      { proname: 'forget_dropped_tables', owner: 'ninefold_server' },
      { proname: 'forget_notifications_of_dropped', owner: 'ninefold_server' },
      { proname: 'write_state_change', owner: 'ninefold_server' },
    ]);
    const open =
      await rows(`select proname from pg_proc p where pronamespace = 'ninefold'::regnamespace and prolang <> 14
      and prosqlbody is null and proname not in ('sees_row', 'attempt', 'after_transition', 'may_pass', 'open_transitions', 'passes', 'with_generated',
        'is_watched', 'changed_key', 'count_change', 'image_of', 'note_row_change', 'note_truncated', 'note_touched', 'row_rights', 'may_change_row',
        'appointment_of', 'may_be_told', 'member_name', 'members_in', 'mentioned', 'notifications_to_mail', 'row_label', 'tell_members') and not coalesce(proconfig::text, '') ~ 'search_path'`);
    expect(open).toEqual([]);
  });
});

describe('a change of a table with a state machine', () => {
  it.each([
    'alter table public.tickets rename status to state',
    'alter table public.tickets rename resolution to answer',
    'alter table public.tickets rename closed_at to ended_at',
    'alter table public.tickets drop status cascade',
    'alter table public.tickets drop resolution',
    'alter table public.tickets drop priority',
    'alter table public.tickets drop priority cascade',
    'alter table public.tickets alter status type text',
    'alter table public.tickets drop constraint tickets_pkey',
    'alter table public.tickets rename id to number',
    `alter type public.ticket_status rename value 'held' to 'waiting'`,
    'drop function ninefold_states.f cascade',
    'drop schema ninefold_states cascade',
    'drop table public.tickets',
  ])('is refused with the reason: %s', async (sql) => {
    const [guard] = await rows('select guard from ninefold.transitions where guard is not null');
    const { sqlstate } = await refusal(owner.script(sql.replace('states.f ', `states.${guard?.guard} `)));
    expect(['2BP01', '0A000', '42501']).toContain(sqlstate);
    await by(agent, `update public.tickets set status = 'closed', resolution = 'x'`);
  });

  it('keeps the machine when the table or a column of a condition is renamed', async () => {
    await owner.script(
      'alter table public.tickets rename priority to weight; alter table public.tickets rename to requests',
    );
    expect(await refusal(by(customer, `update public.requests set status = 'lost'`))).toMatchObject({
      sqlstate: 'NF001',
    });
    await by(agent, `update public.requests set status = 'closed', resolution = 'x'`);
    // A new table that gets the old name can have a machine of its own.
    await owner.script(`create table public.tickets (id int primary key, status text, assignee uuid, priority int, resolution text,
      closed_at timestamptz, closed_by uuid, times int); ${machine}`);
  });

  it('drops the machine together with a table that is dropped with CASCADE', async () => {
    await owner.script('drop table public.tickets cascade');
    expect(await rows('select * from ninefold.machines')).toEqual([]);
    expect(await stateChanges()).toEqual([]);
  });

  it('refuses writes if the change makes it impossible to evaluate the machine', async () => {
    await owner.script('delete from ninefold.machines');
    expect(await refusal(by(agent, `update public.tickets set status = 'held'`))).toMatchObject({ sqlstate: 'NF005' });
    expect(await refusal(by(agent, 'insert into public.tickets default values'))).toMatchObject({ sqlstate: 'NF005' });
    await by(agent, 'update public.tickets set priority = 3');
    await owner.script(`${machine}`);
    await by(agent, `update public.tickets set status = 'held'`);
  });
});

it('a dump in plain SQL restores the machine, its state changes and its triggers', async () => {
  const statements = await rows(`
    select 1 as step, 'create table public.tickets (id bigint primary key, status public.ticket_status not null default ''open'', owner uuid default auth.uid(),
      assignee uuid, priority int default 1, resolution text, closed_at timestamptz, closed_by uuid, times int not null default 0);
      grant all on public.tickets to authenticated' as sql
    union all select 2, format('insert into public.tickets overriding system value select * from jsonb_populate_record(null::public.tickets, %L)', to_jsonb(t)) from public.tickets t
    union all select 3, pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = 'ninefold_states'::regnamespace or p.proname in ('transitions', 'state_changes')
    union all select 4, format('insert into ninefold.machines values (%L, %L, %L, %L)', entity, field, initial, key) from ninefold.machines
    union all select 5, format('insert into ninefold.transitions select * from jsonb_populate_record(null::ninefold.transitions, %L)', to_jsonb(t)) from ninefold.transitions t
    union all select 6, format('insert into ninefold.state_changes (entity, field, key, to_state, role) values (%L, %L, %L, %L, %L)', entity, field, key, to_state, role) from ninefold.state_changes
    union all select 7, pg_get_triggerdef(t.oid) || format('; alter table public.tickets enable always trigger %I', tgname) from pg_trigger t
      where tgrelid = 'public.tickets'::regclass and not tgisinternal
    order by step`);
  await owner.script('drop table public.tickets cascade');
  expect(await rows('select * from ninefold.machines')).toEqual([]);
  await owner.script(statements.map(({ sql }) => sql).join(';\n'));
  expect(await open(agent)).toEqual(['hold', 'close']);
  expect(await refusal(by(customer, `update public.tickets set status = 'closed'`))).toMatchObject({
    sqlstate: 'NF001',
  });
  await by(agent, `update public.tickets set status = 'closed', resolution = 'x'`);
  expect(await stateChanges()).toHaveLength(2);
});
