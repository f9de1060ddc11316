import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Screen } from '../../contract/description.ts';
import { defaultAuthSettings } from '../../contract/settings-auth.ts';
import type { Specification } from '../../contract/specification.ts';
import type { Machine } from '../../contract/states.ts';
import { type AppDatabase, startAppDatabase } from '../../test/support/app-database.ts';
import type { Pool } from '../database/pool.ts';
import { loadFacts } from './facts.ts';
import { specificationMarkdown } from './markdown/specification.ts';
import { deriveSpecification } from './specification.ts';

/** Chapters 1, 2 and 4, which schema ninefold holds. */
let database: AppDatabase;
let owner: Pool;
let server: Pool;

const app = {
  ref: 'helpdesk',
  name: 'Helpdesk',
  authSettings: defaultAuthSettings,
};

beforeAll(async () => {
  database = await startAppDatabase('chapters');
  owner = database.as('app_owner');
  server = database.as('app_authenticator');
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

beforeEach(async () => {
  await owner.script(`drop schema if exists public cascade; create schema public;
    delete from ninefold.app; delete from ninefold.screens; delete from ninefold.roles;
    grant usage on schema public to anon, authenticated, service_role;
    select ninefold.define_role('agent', 'Answers tickets.');
    create type public.ticket_status as enum ('open', 'held', 'closed', 'lost');
    create table public.tickets (
      id bigint generated always as identity primary key, title text not null, status public.ticket_status not null default 'open',
      assignee uuid, resolution text, closed_at timestamptz, notes jsonb
    );
    create table public.staff (id int primary key);
    create view public.titles with (security_invoker) as select title from public.tickets group by title;
    alter table public.tickets enable row level security;
    create policy everyone on public.tickets to authenticated using (true);
    grant all on public.tickets, public.titles to authenticated, service_role;
    select ninefold.define_machine('public.tickets', 'status', 'open', $$[
      {"name": "hold", "from": "open", "to": "held"},
      {"name": "close", "from": ["open", "held"], "to": "closed", "roles": "agent", "requires": "resolution",
        "when": "assignee = auth.uid() and title <> '(tickets).title' and exists (select from public.staff s where s.id = tickets.id)",
        "sets": {"closed_at": "now()", "notes": "jsonb_build_object('by', auth.uid(), 'note', 'a, (b')"}},
      {"name": "reopen", "from": "any", "to": "open"}
    ]$$)`);
});

/** As the server derives it, and the same as text. */
async function derive(
  exposedSchemas = ['public'],
): Promise<Specification['chapters'] & { hash: string; markdown: string }> {
  const facts = await loadFacts(server, { exposedSchemas, authenticator: 'app_authenticator' });
  const specification = deriveSpecification(facts, app);
  return { ...specification.chapters, hash: specification.hash, markdown: specificationMarkdown(specification) };
}

const machineOf = async (): Promise<Machine> => {
  const [machine] = (await derive()).states?.machines ?? [];
  if (!machine) throw new Error('there is no machine');
  return machine;
};

const screenAt = async (route: string): Promise<Screen | undefined> =>
  (await derive()).screens?.screens.find((screen) => screen.route === route);

describe('1 Purpose', () => {
  it('is what was said, and else the name of the app', async () => {
    expect((await derive()).purpose).toMatchObject({ name: 'Helpdesk', purpose: null });
    await owner.script(
      `select ninefold.describe_app('Northwind Help', 'Answers customers.', audience => 'Customers', owner => 'Support')`,
    );
    const { purpose, markdown } = await derive();
    expect(purpose).toMatchObject({
      name: 'Northwind Help',
      purpose: 'Answers customers.',
      audience: 'Customers',
      owner: 'Support',
    });
    expect(markdown).toContain(
      '## 1 Purpose\n\n*What is it, for whom?*\n\nNorthwind Help: Answers customers.\n\n- For: Customers\n- Owner: Support',
    );
    await owner.script(`select ninefold.describe_app(purpose => 'Less')`);
    expect((await derive()).purpose).toMatchObject({ name: 'Helpdesk', purpose: 'Less', audience: null, owner: null });
  });
});

describe('4 States', () => {
  it('says what the machine does, by what is in force', async () => {
    const machine = await machineOf();
    expect(machine).toMatchObject({
      id: 'public.tickets.status',
      entity: 'public.tickets',
      initial: 'open',
      enforced: true,
    });
    expect(machine.transitions).toEqual([
      {
        name: 'hold',
        from: ['open'],
        to: 'held',
        roles: null,
        when: null,
        requires: [],
        sets: [],
        words: 'hold: whoever may change the row may take a row from open to held',
      },
      {
        name: 'close',
        from: ['open', 'held'],
        to: 'closed',
        roles: ['agent'],
        requires: ['resolution'],
        when: {
          sql: "(assignee = auth.uid()) AND (title <> '(tickets).title'::text) AND (EXISTS (SELECT FROM public.staff s WHERE (s.id = tickets.id)))",
          words: expect.stringContaining('assignee'),
        },
        sets: [
          { field: 'notes', sql: "jsonb_build_object('by', auth.uid(), 'note', 'a, (b')" },
          { field: 'closed_at', sql: 'now()' },
        ],
        words: expect.stringMatching(
          /^close: agent may take a row from open or held to closed; when .*; with a value for resolution; which sets /s,
        ),
      },
      expect.objectContaining({ name: 'reopen', from: null, to: 'open' }),
    ]);
    expect(machine.table).toEqual({
      open: { hold: 'held', close: 'closed', reopen: null },
      held: { hold: null, close: 'closed', reopen: 'open' },
      closed: { hold: null, close: null, reopen: 'open' },
      lost: { hold: null, close: null, reopen: 'open' },
    });
    expect(machine.problems).toEqual(['no transition reaches the state lost']);
    expect(machine.states).toContainEqual({ name: 'lost', final: false, reached: false });
  });

  it('names a default that is another than the initial state, as a row that leaves the field out is refused', async () => {
    const problems = async () =>
      (await derive()).states?.machines[0]?.problems.filter((one) => one.includes('default'));
    expect(await problems()).toEqual([]);
    await owner.script(`alter table public.tickets alter column status set default 'held'`);
    expect(await problems()).toEqual(['a new row that leaves status out is refused: its default is held, not open']);
    await owner.script('alter table public.tickets alter column status drop default');
    expect(await problems()).toEqual([]);
  });

  it('names the states of a check or a domain that no transition reaches', async () => {
    await owner.script(`create table public.orders (id int primary key, state text check (state in ('new', 'paid', 'it''s lost')));
      select ninefold.define_machine('public.orders', 'state', 'new', '[{"name": "pay", "from": "new", "to": "paid"}]');
      create domain public.phase as text check (value = any (array['a', 'b', 'c']));
      create table public.runs (id int primary key, phase public.phase);
      select ninefold.define_machine('public.runs', 'phase', 'a', '[{"name": "go", "from": "b", "to": "a"}]')`);
    const { states } = await derive();
    const problems = states?.machines.map(({ id, problems }) => [id, problems]);
    expect(problems).toEqual([
      ['public.orders.state', ["no transition reaches the state it's lost"]],
      ['public.runs.phase', ['no transition reaches the state b', 'no transition reaches the state c']],
      ['public.tickets.status', ['no transition reaches the state lost']],
    ]);
  });

  it.each([
    'varchar(9)',
    'char(3)',
    'uuid',
    'public.short',
    'public.code',
    'public.ticket_status',
    'extensions.citext',
    'int4range',
    'text[]',
    'name',
    'numeric(4,2)',
    'varchar(3)[]',
    'public.kind',
    '"char"',
    'bit(3)',
  ])('knows its own triggers on a key and a state of the type %s', async (type) => {
    const isState = ['varchar(9)', 'public.short', 'public.code', 'public.ticket_status', 'public.kind'].includes(type);
    await owner.script(`create domain public.short as varchar(9); create domain public.code as public.short; create domain public.kind as public.ticket_status;
        create table public."Odd One" (id ${type} primary key, "a State" ${isState ? type : 'text'});
        select ninefold.define_machine('public."Odd One"', 'a State', 'open', '[{"name": "a", "from": "open", "to": "held", "sets": {}}, {"name": "b", "from": "any", "to": "open"}]')`);
    const machine = (await derive()).states?.machines.find((one) => one.entity === 'public."Odd One"');
    expect(machine?.problems.filter((problem) => !problem.startsWith('no transition reaches'))).toEqual([]);
    expect(machine?.enforced).toBe(true);
  });

  const trigger = (name: string) => `zz_ninefold_${name}_status`;

  it.each<[string, string, string, string, boolean]>([
    [
      'a check is switched off',
      `alter table public.tickets disable trigger ${trigger('check')}`,
      `alter table public.tickets enable always trigger ${trigger('check')}`,
      'not enforced in full: what a transition requires may be left out, and what other triggers make of the state is not judged, as the trigger after update is switched off',
      false,
    ],
    [
      'all triggers are switched off',
      'alter table public.tickets disable trigger user',
      'alter table public.tickets enable trigger user',
      'not enforced: new rows may start in any state, as the trigger after insert is switched off',
      false,
    ],
    [
      'a check is dropped',
      `drop trigger ${trigger('check_start')} on public.tickets`,
      `create trigger ${trigger('check_start')} after insert on public.tickets for each row execute function ninefold.check_start('status');
        alter table public.tickets enable always trigger ${trigger('check_start')}`,
      'not enforced: new rows may start in any state, as the trigger after insert is missing',
      false,
    ],
    [
      'a check is replaced by one that never runs',
      `create or replace trigger ${trigger('check')} after update on public.tickets for each row when (old.status is distinct from new.status and false) execute function ninefold.check_passage('status')`,
      `create or replace trigger ${trigger('check')} after update on public.tickets for each row when (old.status is distinct from new.status) execute function ninefold.check_passage('status');
        alter table public.tickets enable always trigger ${trigger('check')}`,
      'not enforced in full: what a transition requires may be left out, and what other triggers make of the state is not judged, as the trigger after update was replaced by one that runs under other conditions',
      false,
    ],
    [
      'a check is for some columns only',
      `create or replace trigger ${trigger('check')} after update of title on public.tickets for each row when (old.status is distinct from new.status) execute function ninefold.check_passage('status')`,
      `create or replace trigger ${trigger('check')} after update on public.tickets for each row when (old.status is distinct from new.status) execute function ninefold.check_passage('status');
        alter table public.tickets enable always trigger ${trigger('check')}`,
      'not enforced in full: what a transition requires may be left out, and what other triggers make of the state is not judged, as the trigger after update is missing',
      false,
    ],
    [
      'a check is for the origin only',
      `alter table public.tickets enable trigger ${trigger('check')}`,
      `alter table public.tickets enable always trigger ${trigger('check')}`,
      'the trigger after update is not enabled always: a connection that is set up as a replica passes it by',
      true,
    ],
    [
      'passages are no longer recorded',
      `alter table public.tickets disable trigger ${trigger('record')}`,
      `alter table public.tickets enable always trigger ${trigger('record')}`,
      'passages are not recorded, as the trigger after update is switched off',
      true,
    ],
    [
      'a trigger of the app comes after it',
      `create function public.late() returns trigger language plpgsql as 'begin return new; end'; create trigger zzz_late before update on public.tickets for each row execute function public.late()`,
      'drop function public.late cascade',
      'the trigger zzz_late runs after the fields of a transition are set, and may change them',
      true,
    ],
    [
      'another table inherits from it',
      'create table public.old_tickets () inherits (public.tickets)',
      'drop table public.old_tickets',
      'not enforced for rows of public.old_tickets, which inherits from the table',
      false,
    ],
    [
      'its role goes',
      `delete from ninefold.roles where name = 'agent'`,
      `select ninefold.define_role('agent', 'Answers tickets.')`,
      'the transition close is for the role agent, which is gone',
      true,
    ],
    [
      'its guard is swapped',
      `do $$ declare f text; begin select guard into f from ninefold.transitions where guard is not null;
        execute format('create or replace function ninefold_states.%I(tickets public.tickets) returns boolean language sql stable return true', f); end $$`,
      '',
      '',
      true,
    ],
  ])('shows it when %s, and that it is mended', async (_, change, undo, problem, enforced) => {
    const before = await derive();
    await owner.script(change);
    const machine = await machineOf();
    expect(machine.enforced).toBe(enforced);
    if (problem !== '') expect(machine.problems).toContain(problem);
    expect((await derive()).hash).not.toBe(before.hash);
    if (undo === '') {
      expect(machine.transitions[1]?.when?.sql).toBe('true');
      return;
    }
    await owner.script(undo);
    if (change.endsWith('trigger user')) return expect((await machineOf()).enforced).toBe(true);
    expect(await derive()).toEqual(before);
  });

  it('follows columns, tables and transitions that change', async () => {
    await owner.script(
      'alter table public.tickets rename assignee to worker; alter table public.tickets rename to requests',
    );
    const machine = await machineOf();
    expect(machine.id).toBe('public.requests.status');
    expect(machine.transitions[1]?.when?.sql).toContain('worker = auth.uid()');
    await owner.script(`update ninefold.transitions set roles = null where name = 'close'`);
    expect((await machineOf()).transitions[1]?.roles).toBeNull();
  });

  it('is written for people', async () => {
    const { markdown } = await derive();
    expect(markdown).toContain('### public.tickets: status\n\nEvery write is held to it. Rows start as open.');
    expect(markdown).toContain('| held | – | → closed | → open |');
    expect(markdown).toContain('- Mind: no transition reaches the state lost.');
  });
});

it('chapter 3 leaves the triggers of machines to chapter 4, which says what is emptied', async () => {
  await owner.script(`
    create function public.look() returns trigger language plpgsql as 'begin return new; end';
    create trigger zz_ninefold_look before update on public.tickets for each row execute function public.look();
    select ninefold.define_machine('public.tickets', 'status', 'open', $$[
      {"name": "close", "from": "any", "to": "closed", "sets": {"closed_at": "now()", "assignee": null}},
      {"name": "reopen", "from": "closed", "to": "open", "sets": {"closed_at": null}}]$$)`);
  const { markdown } = await derive();
  const [entities] = markdown.split('## 4 States');
  expect(entities?.match(/Trigger `[^`]*`/g)).toEqual([expect.stringContaining('zz_ninefold_look')]);
  expect(markdown).toContain('which sets closed_at to now() and empties assignee');
  expect(markdown).toContain('to open; which empties closed_at');
});

describe('2 Screens', () => {
  it('follow from what clients reach: lists, details, forms, and boards where there are states', async () => {
    const { screens, markdown } = await derive();
    expect(screens?.screens.map(({ route, kind, origin, roles }) => [route, kind, origin, roles.length > 0])).toEqual([
      ['/tickets', 'list', 'derived', true],
      ['/tickets/:id', 'detail', 'derived', true],
      ['/tickets/board', 'board', 'derived', true],
      ['/tickets/new', 'form', 'derived', true],
      ['/titles', 'list', 'derived', true],
    ]);
    expect((await screenAt('/tickets/new'))?.columns).toEqual(['title', 'assignee', 'resolution']);
    expect((await screenAt('/tickets/board'))?.state_field).toBe('status');
    expect(markdown).toContain('## 2 Screens');
  });

  it('have titles that say what is done there, whatever the table is called', async () => {
    await owner.script(`
      create table public.log (id int primary key); create table public.news (id int primary key);
      create table public."Edit  URLs" (id int primary key); create table public.__ (id int primary key);
      grant select, insert, update on public.log to authenticated;
      grant select, insert on public.news to authenticated;
      grant select, update on public."Edit  URLs" to authenticated;
      grant select on public.__ to authenticated;`);
    const { screens } = await derive();
    const titles = new Map(screens?.screens.map(({ route, title }) => [route, title]));
    expect(['/log', '/log/:id', '/log/new', '/news/new', '/tickets/board'].map((route) => titles.get(route))).toEqual([
      'Log',
      'One row of log',
      'Add or change rows of log',
      'Add rows to news',
      'Tickets by status',
    ]);
    const quoted = `/${encodeURIComponent('Edit  URLs')}`;
    expect([titles.get(quoted), titles.get(`${quoted}/:id`), titles.get(`${quoted}/new`), titles.get('/__')]).toEqual([
      'Edit URLs',
      'One row of Edit URLs',
      'Change rows of Edit URLs',
      '__',
    ]);
  });

  it('of a schema that is called as a table is have routes of their own', async () => {
    await owner.script(`
      create table public.log (id int primary key); create schema log; create table log.new (id int primary key);
      grant usage on schema log to authenticated;
      grant select, insert, update on public.log, log.new to authenticated;`);
    const { screens } = await derive(['public', 'log']);
    await owner.script('drop schema log cascade');
    const entities = new Map(screens?.screens.map(({ route, entity }) => [route, entity]));
    expect(['/log/new', '/log.new', '/log.new/new'].map((route) => entities.get(route))).toEqual([
      'public.log',
      'log.new',
      'log.new',
    ]);
  });

  it('show the fields that grants let be read, and are ordered by the key where it is one of them', async () => {
    await owner.script(`revoke select on public.tickets from authenticated;
      grant select (title, status) on public.tickets to authenticated`);
    const { screens } = await derive();
    const of = (route: string) => screens?.screens.find((one) => one.route === route);
    for (const route of ['/tickets', '/tickets/board'])
      expect(of(route)).toMatchObject({ columns: ['title', 'status'], order_by: null });
    expect(of('/tickets/:id')?.columns).toEqual(['title', 'status']);
  });

  it('of forms show what grants let be written, by operation, and tables that only link have none of their own', async () => {
    await owner.script(`
      create table public.tags (id bigint generated always as identity primary key, name text);
      create table public.ticket_tags (ticket bigint references public.tickets, tag bigint references public.tags, primary key (ticket, tag));
      revoke all on public.tickets from authenticated;
      grant select, insert (title, assignee), update (title, resolution) on public.tickets to authenticated;
      grant select on public.tags to authenticated;
      grant all on public.tags, public.ticket_tags to service_role;
      grant select, insert, delete on public.ticket_tags to authenticated;`);
    const { markdown } = await derive();
    expect(await screenAt('/tickets/new')).toMatchObject({
      columns: ['title', 'assignee', 'resolution'],
      fields: { insert: ['title', 'assignee'], update: ['title', 'resolution'] },
    });
    expect(markdown).toContain('a new row: `title`, `assignee`; a change: `title`, `resolution`');
    // Only the secret key writes them.
    expect(await screenAt('/tags/new')).toMatchObject({ columns: ['name'], roles: ['service_role'] });
    for (const route of ['', '/:ticket/:tag', '/new']) expect(await screenAt(`/ticket_tags${route}`)).toBeUndefined();
    await owner.script(`select ninefold.define_screen('/ticket_tags', 'Tags', 'list', 'public.ticket_tags')`);
    expect((await screenAt('/ticket_tags'))?.columns).toEqual(['ticket', 'tag']);
  });

  it('are taken over and added to by definitions, and come back', async () => {
    await owner.script(`
      select ninefold.define_screen('/tickets', 'Open requests', 'list', 'public.tickets', '{title,status}', 'status=neq.closed', 'id.desc', '{agent}');
      select ninefold.define_screen('/mine', 'Mine', 'board', 'public.tickets')`);
    expect(await screenAt('/tickets')).toMatchObject({
      title: 'Open requests',
      columns: ['title', 'status'],
      filter: 'status=neq.closed',
      order_by: 'id.desc',
      roles: ['agent'],
      origin: 'defined in place of a derived one',
      broken: [],
    });
    expect(await screenAt('/mine')).toMatchObject({ origin: 'defined', state_field: 'status', broken: [] });
    await owner.script(`select ninefold.drop_screen('/tickets'); select ninefold.drop_screen('/mine')`);
    expect(await screenAt('/tickets')).toMatchObject({ origin: 'derived' });
    expect(await screenAt('/mine')).toBeUndefined();
  });

  it.each<[string, string, string, string]>([
    [
      'its entity',
      'drop table public.notes',
      'create table public.notes (id int primary key, body text, at date); grant select on public.notes to authenticated',
      'the entity public.notes is gone',
    ],
    [
      'a column',
      'alter table public.notes rename body to text',
      'alter table public.notes rename text to body',
      'the column body is gone',
    ],
    [
      'a column of its filter',
      'alter table public.notes drop at',
      'alter table public.notes add at date',
      'the column at of its filter is gone',
    ],
    [
      'a column of its order',
      'alter table public.notes rename id to number',
      'alter table public.notes rename number to id',
      'the column id of its order is gone',
    ],
    [
      'its role',
      `select ninefold.drop_role('reader')`,
      `select ninefold.define_role('reader')`,
      'the role reader is gone',
    ],
    [
      'its reach',
      'create schema hidden; alter table public.notes set schema hidden',
      'alter table hidden.notes set schema public; drop schema hidden',
      'the entity public.notes is gone',
    ],
    [
      'the right of its role to read it',
      'revoke select on public.notes from authenticated',
      'grant select on public.notes to authenticated',
      'the role reader may not read public.notes: no SELECT privilege',
    ],
    [
      'the right to read a column',
      'revoke select on public.notes from authenticated; grant select (id, at) on public.notes to authenticated',
      'revoke select (id, at) on public.notes from authenticated; grant select on public.notes to authenticated',
      'the role reader may not read the column body',
    ],
    [
      'the right to read a column of its filter',
      'revoke select on public.notes from authenticated; grant select (id, body) on public.notes to authenticated',
      'revoke select (id, body) on public.notes from authenticated; grant select on public.notes to authenticated',
      'the role reader may not read the column at',
    ],
  ])('is broken when %s has gone, and says why', async (_, change, undo, reason) => {
    await owner.script(`create table public.notes (id int primary key, body text, at date); select ninefold.define_role('reader');
      grant select on public.notes to authenticated;
      select ninefold.define_screen('/n', 'Notes', 'list', 'public.notes', '{body}', 'at=not.is.null&or=(id.eq.1,id.eq.2)', 'id.desc.nullslast', '{reader}')`);
    expect((await screenAt('/n'))?.broken).toEqual([]);
    await owner.script(change);
    expect((await screenAt('/n'))?.broken).toContain(reason);
    expect((await derive()).markdown).toContain('is broken: ');
    await owner.script(undo);
    expect((await screenAt('/n'))?.broken).toEqual([]);
  });

  it('are broken where a form asks for what its role may not write, and where no call has the role', async () => {
    await owner.script(`create table public.notes (id int generated always as identity primary key, body text, seen date);
      select ninefold.define_role('reader'); grant insert (body) on public.notes to authenticated;
      select ninefold.define_screen('/f', 'A note', 'form', 'public.notes', '{id,body,seen}', roles => '{reader,service_role}');
      select ninefold.define_screen('/g', 'Notes', 'list', 'public.notes', '{body}', roles => '{pg_monitor}');
      select ninefold.define_screen('/h', 'A note', 'form', 'public.notes', '{body}')`);
    expect((await screenAt('/f'))?.broken).toEqual([
      'nobody writes the column id: it is numbered',
      'the role reader may not write the column id',
      'the role reader may not write the column seen',
      'the role service_role may neither add nor change rows of public.notes: no INSERT privilege; no UPDATE privilege',
    ]);
    expect((await screenAt('/g'))?.broken).toEqual(['no call has the role pg_monitor']);
    expect(await screenAt('/h')).toMatchObject({ broken: [], roles: ['authenticated', 'agent', 'reader'] });
    await owner.script('revoke insert (body) on public.notes from authenticated');
    expect((await screenAt('/h'))?.broken).toEqual(['nobody may write all of its columns']);
  });

  it.each([
    [`'/x', 'X', 'table', 'public.tickets'`, '23514'],
    [`'no slash', 'X', 'list', 'public.tickets'`, '23514'],
    [`'/x', 'X', 'list', 'public.nothing'`, '42P01'],
    [`'/x', 'X', 'list', 'public.tickets', '{nothing}'`, '42703'],
    [`'/x', 'X', 'list', 'public.tickets', null, null, null, '{nobody}'`, '42704'],
  ])('are refused where they make no sense: %s', async (args, sqlstate) => {
    await expect(owner.script(`select ninefold.define_screen(${args})`)).rejects.toMatchObject({
      fields: { sqlstate },
    });
  });
});
