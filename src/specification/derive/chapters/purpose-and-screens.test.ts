import { describe, expect, it } from 'vitest';
import type { Screen } from '../../../../contract/description.ts';
import { chaptersApp } from '../../../../test/support/chapters-app.ts';

const { owner, derive } = chaptersApp('screens');

const screenAt = async (route: string): Promise<Screen | undefined> =>
  (await derive()).screens?.screens.find((screen) => screen.route === route);

describe('purposeChapter', () => {
  it('uses the described name and purpose, or otherwise the name of the app', async () => {
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
    expect(markdown).toMatch(/^# Northwind Help\n\nAnswers customers\.\n/);
    await owner.script(`select ninefold.describe_app(purpose => 'Less')`);
    expect((await derive()).purpose).toMatchObject({ name: 'Helpdesk', purpose: 'Less', audience: null, owner: null });
  });
});

describe('screensChapter', () => {
  it('derives lists, details and forms from the entities that clients reach, and boards from state machines', async () => {
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

  it('titles screens by their action, whatever the name of the table is', async () => {
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

  it('gives tables of a schema that has the name of a table their own routes', async () => {
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

  it('shows the fields that privileges allow to read, and orders by the key if it is readable', async () => {
    await owner.script(`revoke select on public.tickets from authenticated;
      grant select (title, status) on public.tickets to authenticated`);
    const { screens } = await derive();
    const of = (route: string) => screens?.screens.find((one) => one.route === route);
    for (const route of ['/tickets', '/tickets/board'])
      expect(of(route)).toMatchObject({ columns: ['title', 'status'], order_by: null });
    expect(of('/tickets/:id')?.columns).toEqual(['title', 'status']);
  });

  it('contains in forms only the fields that the privileges allow to write, for each operation', async () => {
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
    expect(markdown).toContain('- Fields that may be changed by authenticated, agent: `title`, `resolution`');
    // Only the secret key may write these fields, so the form is for service_role.
    expect(await screenAt('/tags/new')).toMatchObject({ columns: ['name'], roles: ['service_role'] });
    for (const route of ['', '/:ticket/:tag', '/new']) expect(await screenAt(`/ticket_tags${route}`)).toBeUndefined();
    await owner.script(`select ninefold.define_screen('/ticket_tags', 'Tags', 'list', 'public.ticket_tags')`);
    expect((await screenAt('/ticket_tags'))?.columns).toEqual(['ticket', 'tag']);
  });

  it('lists the newest row first if the key is a uuid', async () => {
    await owner.script(`
      create table public.posts (id uuid primary key, created_at timestamptz default now(), updated_at timestamptz default now());
      create table public.notes (id int primary key, created_at timestamptz default now());
      create table public.hidden (id uuid primary key, "created at" timestamptz default now(), created_at timestamptz default now());
      grant select on public.posts, public.notes to authenticated; grant select (id) on public.hidden to authenticated`);
    const names = ['posts', 'notes', 'hidden'];
    const lists = await Promise.all(names.map((name) => screenAt(`/${name}`)));
    expect(lists.map((list) => list?.order_by)).toEqual(['created_at.desc,id', 'id', 'id']);
    await owner.script(`drop table ${names.map((name) => `public.${name}`).join(', ')}`);
  });

  it('contains in forms no key that has a default, and in changes no key of the type uuid', async () => {
    await owner.script(`
      create table public.made (id uuid primary key default gen_random_uuid(), name text);
      create table public.numbered (id serial primary key, name text);
      create table public.accounts (id uuid primary key references auth.users, name text);
      create table public.countries (code text primary key, name text);
      grant all on public.made, public.numbered, public.accounts, public.countries to authenticated`);
    const names = ['made', 'numbered', 'accounts', 'countries'];
    const forms = await Promise.all(names.map((name) => screenAt(`/${name}/new`)));
    expect(forms.map((form) => [form?.columns, form?.fields])).toEqual([
      [['name'], undefined],
      [['name'], undefined],
      [['id', 'name'], { insert: ['id', 'name'], update: ['name'] }],
      [['code', 'name'], undefined],
    ]);
    await owner.script(`drop table ${names.map((name) => `public.${name}`).join(', ')}`);
  });

  it('lets definitions replace and add screens, and restores the derived screens when the definitions are deleted', async () => {
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

  it('stores all properties of a defined screen, and reports related objects that no longer exist', async () => {
    await owner.script(`
      create table public.parts (id int primary key, ticket bigint references public.tickets, kind text);
      create function public.count_parts() returns int language sql as 'select 1';
      grant select on public.parts to authenticated;
      select ninefold.define_screen('/parts/all', 'Parts', 'list', 'public.parts', group_by => 'kind', actions => array['public.count_parts'],
        home => true, place => 2);
      select ninefold.define_screen('/tickets/:id', 'Ticket', 'detail', 'public.tickets', related => array['public.parts'])`);
    expect(await screenAt('/parts/all')).toMatchObject({
      ...{ group_by: 'kind', actions: ['public.count_parts'], home: true, place: 2, broken: [] },
    });
    expect(await screenAt('/tickets/:id')).toMatchObject({ related: ['public.parts'], broken: [] });
    // Only one screen can be the first page, so this call removes the mark from the other screen.
    await owner.script(`select ninefold.define_screen('/parts/by', 'By', 'list', 'public.parts', home => true)`);
    expect((await screenAt('/parts/all'))?.home).toBeUndefined();
    for (const wrong of [`group_by => 'none'`, `actions => array['public.none']`, `related => array['public.none']`]) {
      await expect(
        owner.script(`select ninefold.define_screen('/x', 'X', 'list', 'public.parts', ${wrong})`),
      ).rejects.toThrow('none');
    }
    await expect(owner.script(`select ninefold.define_screen('/x', 'X', 'pie', 'public.parts')`)).rejects.toThrow(
      'screens_kind',
    );
    await owner.script(`
      select ninefold.define_screen('/parts/when', 'When', 'calendar', 'public.parts');
      alter table public.parts rename kind to sort; drop function public.count_parts`);
    expect((await screenAt('/parts/when'))?.broken).toEqual(['public.parts has no start and end for a calendar']);
    expect((await screenAt('/parts/all'))?.broken).toEqual([
      'there is no column kind for its groups',
      'the function public.count_parts is gone',
    ]);
    await owner.script('drop table public.parts');
    expect((await screenAt('/tickets/:id'))?.broken).toEqual(['the entity public.parts is gone']);
    for (const route of ['/parts/all', '/parts/by', '/parts/when', '/tickets/:id'])
      await owner.script(`select ninefold.drop_screen('${route}')`);
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
      'there is no column at for its filter',
    ],
    [
      'a column of its order',
      'alter table public.notes rename id to number',
      'alter table public.notes rename number to id',
      'there is no column id for its order',
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
  ])('marks a screen as broken with its cause when %s no longer exists', async (_, change, undo, reason) => {
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

  it('accepts computed fields in filters and orders, as calls do', async () => {
    await owner.script(`create function public.loud(public.tickets) returns text language sql stable as 'select upper($1.title)';
      select ninefold.define_screen('/n', 'N', 'list', 'public.tickets', '{title}', 'loud=eq.A', 'loud.desc')`);
    expect((await screenAt('/n'))?.broken).toEqual([]);
    await owner.script('drop function public.loud(public.tickets)');
    expect((await screenAt('/n'))?.broken).toEqual([
      'there is no column loud for its filter',
      'there is no column loud for its order',
    ]);
  });

  it.each([
    ['status=foo.open', 'its filter status=foo.open has no operator that calls know, as eq in status=eq.1'],
    ['status=open', 'its filter status=open has no operator that calls know, as eq in status=eq.1'],
    ['nothing=eq.1', 'there is no column nothing for its filter'],
  ])('marks a screen as broken if no call accepts its filter: %s', async (filter, reason) => {
    const define = (text: string) =>
      owner.script(`select ninefold.define_screen('/n', 'N', 'list', 'public.tickets', '{title}', '${text}')`);
    await define('status=not.in.(lost,closed)&title=ilike(any).{a*,b*}&title=fts(english).x&or=(id.eq.1,id.eq.2)');
    expect((await screenAt('/n'))?.broken).toEqual([]);
    await define(filter);
    expect((await screenAt('/n'))?.broken).toEqual([reason]);
  });

  it.each<[string, string | null, string]>([
    ['votes=gt.abc', null, 'its filter votes=gt.abc: invalid input syntax for type integer: "abc"'],
    ['votes=in.(1,two)', null, 'its filter votes=in.(1,two): invalid input syntax for type integer: "two"'],
    ['votes=like.1*', null, 'its filter votes=like.1*: operator does not exist: integer ~~ unknown'],
    ['votes=is.true', null, 'its filter votes=is.true: argument of IS TRUE must be type boolean, not type integer'],
    ['status=eq.nope', null, 'its filter status=eq.nope: invalid input value for enum public.status: "nope"'],
    ['status=not.eq(any).{open,nope}', null, 'its filter status=not.eq(any).{open,nope}: invalid input value for enum'],
    ['due=lt.2025-02-30', null, 'its filter due=lt.2025-02-30: date/time field value out of range: "2025-02-30"'],
    ['data=eq.1', null, 'its filter data=eq.1: operator does not exist: json = unknown'],
    ['data->a=eq.1', null, 'its filter data->a=eq.1: operator does not exist: json = unknown'],
    [
      'title=fts(klingon).x',
      null,
      'its filter title=fts(klingon).x: text search configuration "klingon" does not exist',
    ],
    ['or=(id.eq.1,and(votes.gt.1,status.eq."n,o"))', null, 'its filter status.eq."n,o": invalid input value for enum'],
    ['parts=cs.{1,x}', null, 'its filter parts=cs.{1,x}: invalid input syntax for type integer: "x"'],
    ['', 'data->a', 'its order data->a: could not identify an ordering operator for type json'],
    ['', 'data.desc.nullslast', 'its order data.desc.nullslast: could not identify an ordering operator for type json'],
  ])('marks a screen as broken if PostgreSQL refuses its query: %s %s', async (filter, order, reason) => {
    await owner.script(`create type public.status as enum ('open', 'closed');
      create table public.bills (id int primary key, title varchar(20), votes int, status public.status, due date, data json, parts int[]);
      grant select on public.bills to authenticated;
      create schema kept; grant usage on schema kept to authenticated; alter type public.status set schema kept;`);
    const define = (asked: string, by: string | null) =>
      owner.script(
        `select ninefold.define_screen('/b', 'B', 'list', 'public.bills', '{id}', $$${asked}$$, ${by === null ? 'null' : `'${by}'`})`,
      );
    await define(filter, order);
    const broken = (await screenAt('/b'))?.broken;
    await define('votes=gt.1', 'id');
    const mended = (await screenAt('/b'))?.broken;
    await owner.script('drop schema kept cascade');
    expect(broken).toEqual([
      expect.stringContaining(`PostgreSQL refuses ${reason.replace('public.status', 'kept.status')}`),
    ]);
    expect(mended).toEqual([]);
  });

  it('accepts any condition that a call accepts, whatever the schema and the type', async () => {
    await owner.script(`create schema api; grant usage on schema api to authenticated;
      create type api.mood as enum ('good', 'bad'); create domain api.code as int;
      create function api.code(text) returns api.code language sql immutable return length($1)::api.code;
      create cast (text as api.code) with function api.code(text) as implicit;
      create table api."Odd ""name" (id int primary key, "full name" text, mood api.mood, code api.code, at timestamptz, span int4range,
        words tsvector, tags text[], data jsonb, plain json, key uuid, flag bool, moods api.mood[]);
      grant select on api."Odd ""name" to authenticated;`);
    const asked = [
      ...[
        'id=eq.1',
        'full name=ilike(any).{a*,b*}',
        '"full name"=match.^a',
        'mood=in.(good,"bad")',
        'mood=gt.good',
        'code=eq.any text',
      ],
      ...[
        'at=gte.now',
        'at=lt.2025-01-01T00:00:00Z',
        'span=ov.[1,3)',
        'span=adj.(1,2)',
        'span=nxl.[1,2)',
        'words=fts.cat',
        'words=fts(english).cat',
      ],
      ...[
        'full name=wfts(french).chat',
        'tags=cs.{a,b}',
        'tags=ov.{x}',
        'data->a->>0=eq.x',
        'data->a=eq.1',
        'data=cs.{"a":1}',
        'plain->>a=like.*',
      ],
      ...[
        'plain=not.is.null',
        'flag=is.unknown',
        'id=isdistinct.3',
        'id=in.()',
        'moods=cd.{good}',
        `full name=eq.it's \\ $ask$`,
      ],
      ...[
        'or=(id.eq.1,not.and(mood.eq.good,"full name".eq."a,b)"),tags.cs.{a,b})',
        'key=eq.00000000-0000-0000-0000-000000000000',
      ],
    ].map((each) =>
      each.replace(/^[^=]*/, encodeURIComponent).replace(/=(.*)$/s, (_, value) => `=${encodeURIComponent(value)}`),
    );
    await owner.script(
      `select ninefold.define_screen('/odd', 'Odd', 'list', 'api."Odd ""name"', '{id}', $q$${asked.join('&')}$q$, '"full name".desc,data->a->>b.asc.nullsfirst,id')`,
    );
    await owner.script(
      `select ninefold.define_screen('/lost', 'Odd', 'list', 'api."Odd ""name"', '{id}', 'mood=eq.nope&code=eq.x')`,
    );
    const { screens } = await derive(['public', 'api']);
    await owner.script('drop schema api cascade');
    const brokenAt = (at: string) => screens?.screens.find(({ route }) => route === at)?.broken;
    expect(brokenAt('/odd')).toEqual([]);
    expect(brokenAt('/lost')).toEqual([expect.stringContaining('mood=eq.nope: invalid input value for enum')]);
  });

  it('derives screens without running code of the app, even if parsing a value would run it', async () => {
    await owner.script(`create function public.refused() returns boolean language plpgsql as $$ begin
        raise exception 'it ran' using errcode = '22023'; end $$;
      create domain public.checked as int check (public.refused());
      create type public.pair as (a public.checked, b int);
      create table public.pairs (id int primary key, one public.checked, whole public.pair, many public.checked[]);
      grant select on public.pairs to authenticated;
      select ninefold.define_screen('/p', 'P', 'list', 'public.pairs', '{id}', 'one=eq.1&whole=eq.(1,2)&many=cs.{1}&one=in.(1,2)')`);
    expect((await screenAt('/p'))?.broken).toEqual([]);
  });

  it('marks a form as broken if its role may not write a field, or if no call has the role', async () => {
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
  ])('rejects an invalid definition: %s', async (args, sqlstate) => {
    await expect(owner.script(`select ninefold.define_screen(${args})`)).rejects.toMatchObject({
      fields: { sqlstate },
    });
  });
});

describe('pages and menus', () => {
  const parts = (list: readonly object[]) => `'${JSON.stringify(list).replaceAll("'", "''")}'`;

  it('have the parts and entries that the app defines, and report those that nobody can see', async () => {
    const numbers = {
      kind: 'number',
      title: 'Open',
      entity: 'public.tickets',
      filter: 'status=eq.open',
      over: 'closed_at',
    };
    const bars = { kind: 'bars', title: 'By state', entity: 'public.tickets', by: 'status', filter: 'gone=eq.1' };
    const staff = { kind: 'list', title: 'Staff', entity: 'public.staff', columns: ['id'], order_by: 'id', rows: 3 };
    await owner.script(`
      select ninefold.define_page('/desk', 'Desk', ${parts([{ kind: 'text', text: 'Hello' }, numbers, bars, staff])}, home => true);
      select ninefold.define_screen('/work', 'Work', 'list', 'public.tickets', home => true, empty => 'No work.');
      select ninefold.define_screen('/desk', 'Desk', 'list', 'public.tickets');
      select ninefold.define_screen('/when', 'When', 'calendar', 'public.tickets', starts => 'closed_at', ends => 'closed_at');
      select ninefold.define_menu('agent', '[{"title": "Tickets", "routes": ["/work", "/nowhere"]}]', '/desk')`);
    const { screens, markdown } = await derive();
    expect(screens?.pages).toEqual([
      {
        ...{ route: '/desk', title: 'Desk', roles: ['authenticated'] },
        parts: [{ kind: 'text', text: 'Hello' }, numbers, bars, staff],
        broken: [
          'By state: there is no column gone for its filter',
          'Staff: the role authenticated may not read public.staff: no SELECT privilege',
        ],
      },
    ]);
    expect(await screenAt('/work')).toMatchObject({ home: true, empty: 'No work.', broken: [] });
    expect((await screenAt('/desk'))?.broken).toEqual(['a page has the route /desk']);
    expect(await screenAt('/when')).toMatchObject({ span: { start: 'closed_at', end: 'closed_at' }, broken: [] });
    expect(screens?.menus).toEqual([
      {
        ...{ role: 'agent', home: '/desk', broken: ['there is no screen at /nowhere'] },
        groups: [{ title: 'Tickets', routes: ['/work', '/nowhere'] }],
      },
    ]);
    expect(markdown).toContain('| `/desk` | Desk | a text; Open: number of tickets where `status=eq.open`;');
    expect(markdown).toContain(
      '- `agent`: Tickets: `/work`, `/nowhere`; first page `/desk` (there is no screen at /nowhere)',
    );
    await owner.script(`select ninefold.drop_page('/desk'), ninefold.drop_menu('agent')`);
    expect((await derive()).screens).not.toHaveProperty('pages');
  });

  it.each([
    ['no array', `'{}'`, '22023'],
    ['no part', `'[]'`, '23502'],
    ['an unknown kind', parts([{ kind: 'pie' }]), '22023'],
    ['an unknown property', parts([{ kind: 'text', text: 'x', color: 'red' }]), '22023'],
    ['a missing property', parts([{ kind: 'bars', title: 'x', entity: 'public.tickets' }]), '22004'],
    ['another type', parts([{ kind: 'buttons', routes: [{}] }]), '22023'],
    ['an entity that does not exist', parts([{ kind: 'number', title: 'x', entity: 'public.none' }]), '42P01'],
    [
      'a column that does not exist',
      parts([{ kind: 'bars', title: 'x', entity: 'public.tickets', by: 'none' }]),
      '42703',
    ],
    ['a sum of nothing', parts([{ kind: 'number', title: 'x', entity: 'public.tickets', value: 'sum' }]), '22023'],
    ['too many parts', parts(Array.from({ length: 21 }, () => ({ kind: 'text', text: 'x' }))), '23514'],
  ])('are refused with %s', async (_, list, sqlstate) => {
    await expect(owner.script(`select ninefold.define_page('/p', 'P', ${list})`)).rejects.toMatchObject({
      fields: { sqlstate },
    });
  });
});
