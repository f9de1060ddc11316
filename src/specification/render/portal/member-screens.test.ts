import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PortalEntity, PortalScreens } from '../../../../contract/portal.ts';
import { defaultAuthSettings } from '../../../../contract/settings-auth.ts';
import { type AppDatabase, startAppDatabase } from '../../../../test/support/app-database.ts';
import { loadFacts } from '../../../catalog/facts.ts';
import type { Pool } from '../../../database/pool.ts';
import { deriveChanged } from '../../derive/specification.ts';
import { loadTypeFacts } from '../types/facts.ts';
import { memberScreens } from './member-screens.ts';

let database: AppDatabase;
let owner: Pool;
let server: Pool;

beforeAll(async () => {
  database = await startAppDatabase('member-screens');
  owner = database.as('app_owner');
  server = database.as('app_authenticator');
  await owner.script(`
    grant usage on schema public to anon, authenticated, service_role;
    select ninefold.define_role('agent', 'Answers tickets.');
    select ninefold.define_role('auditor', 'Reads the ledger.');
    create table public.topics (id bigint generated always as identity primary key, name text not null);
    create table public.ledger (id bigint primary key, margin numeric(10,2) not null);
    create table public.tickets (
      id bigint generated always as identity primary key, owner uuid not null default auth.uid() references auth.users (id),
      topic bigint references public.topics (id), entry bigint references public.ledger (id),
      subject text not null constraint subject_length check (length(subject) between 3 and 200),
      body text not null constraint body_length check (length(body) <= 10000), price_total numeric(10,2), tags text[],
      status text not null default 'open', secret_note text, constraint note_of_ledger check (secret_note is null or entry is not null)
    );
    create table public.ticket_topics (
      ticket bigint references public.tickets (id), topic bigint references public.topics (id), primary key (ticket, topic));
    comment on column public.tickets.owner is 'Who asks; the caller, when left out.';
    comment on column public.tickets.body is E'What happened\\nAs exactly as you can.';
    comment on constraint subject_length on public.tickets is 'A subject is 3 to 200 characters.';
    revoke all on all tables in schema public from anon, authenticated;
    grant select on public.topics to anon, authenticated;
    grant insert (name) on public.topics to authenticated;
    grant select, insert, delete on public.ticket_topics to authenticated;
    grant select (id, owner, topic, entry, subject, body, price_total, tags, status), insert (topic, subject, body),
      update (subject, body, status) on public.tickets to authenticated;
    grant select on public.ledger to authenticated;
    alter table public.tickets enable row level security;
    alter table public.ledger enable row level security;
    alter table public.topics enable row level security;
    create policy own on public.tickets to authenticated using (owner = (select auth.uid()) or (select ninefold.has_role('agent')));
    create policy auditors on public.ledger for select to authenticated using ((select ninefold.has_role('auditor')));
    create policy known on public.topics for select to anon, authenticated using (true);
    create policy made on public.topics for insert to authenticated with check ((select ninefold.has_role('agent')));
    select ninefold.define_machine('public.tickets', 'status', 'open', $$[
      {"name": "close", "from": "open", "to": "closed"},
      {"name": "reopen_at_once", "from": "closed", "to": "open", "roles": ["agent"], "when": "secret_note is null"}]$$);
    select ninefold.define_screen('/work', 'Work', 'list', 'public.tickets', columns => array['subject', 'secret_note'],
      roles => array['agent']);
    select ninefold.define_screen('/mine', 'Mine', 'list', 'public.tickets', columns => array['subject'],
      filter => 'status=eq.open', roles => array['authenticated']);
    select ninefold.define_screen('/desk', 'Desk', 'board', 'public.tickets', roles => array['agent']);
    create schema chat;
    grant usage on schema chat to anon, authenticated;
    create type chat.level as enum ('it''s low', 'high');
    create table chat.people (id uuid primary key references auth.users (id), last_name text, title text, first_name text);
    create table chat.channels (id bigint generated always as identity primary key, slug text not null unique,
      created_by uuid not null references chat.people (id), kept_by uuid references chat.people (id));
    create table chat.members (id bigint generated always as identity primary key, channel bigint not null references chat.channels (id),
      person uuid not null references chat.people (id), joined_at timestamptz not null default now(), unique (person, channel));
    create table chat.moderators (channel bigint references chat.channels (id), person uuid references chat.people (id),
      rank int not null, active boolean not null default true, muted boolean not null default false,
      level chat.level not null default 'it''s low', primary key (channel, person));
    grant select, insert on all tables in schema chat to authenticated;
    alter table chat.channels enable row level security;
    create policy read on chat.channels for select using (true);
    create policy own on chat.channels for insert with check ((select auth.uid()) = created_by and length(slug) > 1);
    create policy kept on chat.channels for insert with check (created_by = auth.uid() and kept_by = auth.uid());
    create table chat.requests (id bigint generated always as identity primary key, channel bigint, state text not null, level chat.level,
      urgent boolean, topic text);
    grant select, insert on chat.requests to authenticated;
    alter table chat.requests enable row level security;
    create policy read on chat.requests for select using (true);
    create policy asked on chat.requests for insert with check (state = 'asked' and level = 'high' and topic = 'a');
    create policy again on chat.requests for insert with check (level = 'high' and state = 'asked' and topic = 'b');
    create policy calm on chat.requests as restrictive for insert with check (urgent = false);`);
});

afterAll(() => database?.stop());

const screensOf = (role: string, ...memberRoles: string[]): Promise<PortalScreens> =>
  screensIn('en', role, ...memberRoles);

const screensIn = (language: string, role: string, ...memberRoles: string[]): Promise<PortalScreens> =>
  screensOfSchema('public', language, role, memberRoles);

async function screensOfSchema(
  schema: string,
  language: string,
  role: string,
  memberRoles: readonly string[],
): Promise<PortalScreens> {
  const facts = await loadFacts(server, { exposedSchemas: [schema], authenticator: 'app_authenticator' });
  const types = await loadTypeFacts(server, facts, { relationships: new Map() });
  const app = { ref: 'desk', name: 'Desk', authSettings: defaultAuthSettings };
  const { specification, entries } = deriveChanged(facts, app, null);
  return memberScreens(types, { chapters: specification.chapters, entries }, { role, memberRoles }, language);
}

const entity = (screens: PortalScreens, name: string): PortalEntity => {
  const found = screens.entities.find((one) => one.name === name);
  if (!found) throw new Error(`no entity ${name}`);
  return found;
};
const routes = ({ screens }: PortalScreens) => screens.map(({ route }) => route);

describe('memberScreens', () => {
  it('shows a member their open screens and hides the screens of roles', async () => {
    const member = await screensOf('authenticated');
    expect(routes(member)).toEqual([
      '/mine',
      '/tickets',
      '/tickets/:id',
      '/tickets/board',
      '/tickets/new',
      '/topics',
      '/topics/:id',
    ]);
    // The screen /work shows a column that no member may read, so it is broken and missing in the list.
    expect(routes(await screensOf('authenticated', 'agent'))).toEqual([
      ...['/desk', '/mine', '/tickets', '/tickets/:id', '/tickets/board', '/tickets/new'],
      ...['/topics', '/topics/:id', '/topics/new'],
    ]);
  });

  it('shows the parts of a page whose rows the caller may read, and the menu of the caller’s roles', async () => {
    const parts = [
      { kind: 'text', text: 'Hello', texts: { de: 'Hallo' } },
      { kind: 'number', title: 'Mine', entity: 'public.tickets', filter: 'owner=eq.auth.uid()' },
      { kind: 'bars', title: 'Topics', titles: { de: 'Themen' }, entity: 'public.topics', by: 'name' },
      { kind: 'number', title: 'Notes', entity: 'public.tickets', value: 'max', of: 'secret_note' },
      { kind: 'buttons', routes: ['/mine', '/desk', '/account/sign-up'] },
    ];
    await owner.script(`
      select ninefold.define_page('/start', 'Start', '${JSON.stringify(parts)}', roles => '{anon,authenticated}', place => 1);
      select ninefold.define_menu('agent', '[{"title": "Work", "titles": {"de": "Arbeit"}, "routes": ["/desk", "/work", "/start"]}]', '/desk')`);
    try {
      const member = await screensOf('authenticated');
      expect(member.pages[0]?.parts.map((part) => ('index' in part ? part.index : part.kind))).toEqual([
        'text',
        1,
        2,
        'buttons',
      ]);
      expect(member.navigation[0]?.routes[0]).toBe('/start');
      const visitor = await screensIn('de', 'anon');
      expect(visitor.pages).toEqual([
        {
          ...{ route: '/start', title: 'Start' },
          parts: [
            { kind: 'text', text: 'Hallo' },
            {
              kind: 'bars',
              index: 2,
              title: 'Themen',
              entity: 'public.topics',
              filter: null,
              value: 'count',
              of: null,
              by: 'name',
            },
            { kind: 'buttons', routes: ['/account/sign-up'] },
          ],
        },
      ]);
      const agent = await screensIn('de', 'authenticated', 'agent');
      expect(agent).toMatchObject({ navigation: [{ title: 'Arbeit', routes: ['/desk', '/start'] }], home: '/desk' });
    } finally {
      await owner.script(`select ninefold.drop_page('/start'), ninefold.drop_menu('agent')`);
    }
  });

  it('shows a visitor the screens that are open to anon', async () => {
    const visitor = await screensOf('anon');
    expect(routes(visitor)).toEqual(['/topics', '/topics/:id']);
    expect(visitor.entities.map(({ name }) => name)).toEqual(['topics']);
    expect(visitor.entities[0]?.access.insert.open).toBe(false);
  });

  it('names a person by both names, and marks the fields that must contain the id of the caller', async () => {
    const chat = await screensOfSchema('chat', 'en', 'authenticated', []);
    expect(entity(chat, 'people').title_fields).toEqual(['first_name', 'last_name']);
    const own = entity(chat, 'channels').fields.flatMap((field) => (field.filled_by === 'caller' ? [field.name] : []));
    expect(own).toEqual(['created_by']);
  });

  it('does not ask for values that the policies fix in a new row', async () => {
    const chat = await screensOfSchema('chat', 'en', 'authenticated', []);
    const fixed = entity(chat, 'requests').fields.flatMap(({ name, filled_by, fixed: value }) =>
      filled_by === 'policy' ? [[name, value]] : [],
    );
    expect(fixed).toEqual([
      ['state', 'asked'],
      ['level', 'high'],
      ['urgent', 'false'],
    ]);
  });

  it('names the default of a field if it is true or a value of an enum', async () => {
    const chat = await screensOfSchema('chat', 'en', 'authenticated', []);
    const fields = entity(chat, 'moderators').fields.map(({ name, initial }) => [name, initial]);
    expect(Object.fromEntries(fields)).toMatchObject({
      active: true,
      muted: undefined,
      level: "it's low",
      rank: undefined,
    });
  });

  it('shows a junction table with the rows that it connects, also if it has a number and a time of its own', async () => {
    const chat = await screensOfSchema('chat', 'en', 'authenticated', []);
    expect(routes(chat).filter((route) => /members|moderators$/.test(route))).toEqual(['/moderators']);
    const related = entity(chat, 'people').related.filter(({ entity: id }) => /members|moderators/.test(id));
    expect(related).toEqual([
      { entity: 'chat.members', field: 'person', link: 'channel' },
      { entity: 'chat.moderators', field: 'person', link: null },
    ]);
  });

  it('shows nothing to a role that no call can have', async () => {
    const { screens, entities } = await screensOf('nobody');
    expect([screens, entities]).toEqual([[], []]);
  });

  it('names no table, field, rule, transition or role that the caller has no privilege on', async () => {
    const member = JSON.stringify(await screensOf('authenticated'));
    for (const hidden of [
      'ledger',
      'margin',
      'secret_note',
      'note_of_ledger',
      'reopen_at_once',
      'auditor',
      'agent',
      'Desk',
    ]) {
      expect([hidden, member.includes(hidden)]).toEqual([hidden, false]);
    }
    const auditor = JSON.stringify(await screensOf('authenticated', 'auditor'));
    expect(auditor).toContain('margin');
    const agent = await screensOf('authenticated', 'agent');
    // The agent may take the transition, but not read a field of its condition, so the screen shows the transition
    // without the condition.
    expect(entity(agent, 'tickets').machine?.transitions).toEqual([
      { name: 'close', label: 'Close', from: ['open'], to: 'closed', requires: [], when: null },
      { name: 'reopen_at_once', label: 'Reopen at once', from: ['closed'], to: 'open', requires: [], when: null },
    ]);
    expect(JSON.stringify(agent)).not.toContain('secret_note');
  });

  it('omits the conditions of policies, the names of functions and hidden names', async () => {
    await owner.script(`
      create schema treasury;
      create function treasury.is_suspect(id int) returns boolean language sql stable as 'select true';
      create function public.rate_of(id int) returns int language sql stable as 'select 1';
      create table public.offers (id int primary key, title text, margin text, "salary ""band""" text, stage text,
        constraint by_band check ("salary ""band""" <> 'platinum' or id > 0), constraint by_title check (length(title) > 2),
        constraint by_function check (not treasury.is_suspect(id)), constraint by_rate check (public.rate_of(id) > 1));
      alter table public.offers enable row level security;
      create policy by_secret on public.offers to authenticated
        using (current_setting('request.headers', true)::json ->> 'x-door' = 'open sesame' or "salary ""band""" = 'gold');
      create table public.bands (id int primary key, margin text);
      revoke all on public.offers, public.bands from anon, authenticated;
      grant select (id, title, stage), insert (id, title), update (stage) on public.offers to authenticated;
      grant select on public.bands to authenticated;
      select ninefold.define_machine('public.offers', 'stage', 'new', $$[
        {"name": "a", "from": "new", "to": "old", "when": "margin = 'high'"},
        {"name": "b", "from": "new", "to": "sold", "when": "treasury.is_suspect(id)"},
        {"name": "c", "from": "new", "to": "lost", "when": "\\"salary \\"\\"band\\"\\"\\" = 'gold'"},
        {"name": "d", "from": "new", "to": "gone", "when": "title <> ''"}]$$)`);
    const offers = entity(await screensOf('authenticated'), 'offers');
    await owner.script(
      'drop table public.offers, public.bands cascade; drop schema treasury cascade; drop function public.rate_of',
    );
    expect(JSON.stringify(offers)).not.toMatch(/salary|sesame|x-door|gold|margin|is_suspect|treasury|rate_of/);
    expect(offers.fields.flatMap(({ rules }) => rules.map(({ name }) => name))).toContain('by_title');
    expect(offers.machine?.transitions.map(({ name, when }) => [name, when])).toEqual([
      ...['a', 'b', 'c'].map((name) => [name, null]),
      ['d', expect.stringContaining('title')],
    ]);
  });

  it('labels fields, and gives each its editor and the rules that a browser can check', async () => {
    const { fields, key, title_fields } = entity(await screensOf('authenticated'), 'tickets');
    const of = (name: string) => fields.find((field) => field.name === name);
    expect([key, title_fields]).toEqual([['id'], ['subject']]);
    // Only fields with text are searchable. PostgreSQL has no ILIKE for a uuid, so this field is not.
    expect(fields.filter(({ searchable }) => searchable).map(({ name }) => name)).toEqual([
      'subject',
      'body',
      'status',
    ]);
    expect(of('id')).toMatchObject({ label: 'Number', insertable: false, updatable: false });
    expect(of('owner')).toMatchObject({ label: 'Owner', help: 'Who asks.', editor: 'member', insertable: false });
    expect(of('body')).toMatchObject({
      label: 'What happened',
      help: 'As exactly as you can.',
      editor: 'long text',
      required: true,
    });
    expect(of('price_total')).toMatchObject({ editor: 'money', updatable: false });
    expect(of('tags')).toMatchObject({ editor: 'array' });
    expect(of('topic')).toMatchObject({ editor: 'reference', reference: { entity: 'public.topics', field: 'id' } });
    // The caller may not read the referenced entity, so the field is only a number.
    expect(of('entry')).toMatchObject({ editor: 'number', reference: null });
    expect(of('subject')?.rules).toEqual([
      { name: 'subject_length', words: 'A subject is 3 to 200 characters.', schema: { minLength: 3, maxLength: 200 } },
    ]);
  });

  it('derives the length, the values and the title of texts from rules, indexes, names and comments', async () => {
    await owner.script(`
      create schema library;
      grant usage on schema library to authenticated;
      select ninefold.define_role('patron', 'Borrows books.');
      create domain library.shelf as text check (value in ('north', 'south'));
      create table library.loans (id uuid primary key default gen_random_uuid(), contact_email text,
        condition text not null check (condition in ('good', 'patron')), wear varchar(20) check (wear = any (array['none', 'torn'])),
        shelf library.shelf, binding text, due date not null, remarks text,
        plea text check (char_length(plea) <= 900), notes text check (char_length(notes) < 80),
        review text, summary text unique);
      comment on column library.loans.review is 'What the reader thinks, in several sentences.';
      comment on column library.loans.due is 'Choose one of open_slots, see https://a.example/b_c.';
      create function library.touch() returns trigger language plpgsql as 'begin return new; end';
      create trigger touch before insert or update on library.loans for each row execute function library.touch();
      create table library.stamps (id bigint primary key, color_kind text check (color_kind in ('red', 'blue')), stamped date);
      grant select, insert, update on library.loans, library.stamps to authenticated;`);
    const library = await screensOfSchema('library', 'en', 'authenticated', []);
    await owner.script('drop schema library cascade');
    const { fields } = entity(library, 'loans');
    const named = (editor: string) => fields.filter((field) => field.editor === editor).map(({ name }) => name);
    expect(named('long text')).toEqual(['remarks', 'plea', 'review']);
    expect(fields.find(({ name }) => name === 'due')?.help).toBe(
      'Choose one of open slots, see https://a.example/b_c.',
    );
    expect(named('enum')).toEqual(['condition', 'wear', 'shelf']);
    expect(fields.find(({ name }) => name === 'condition')?.values?.map(({ value }) => value)).toEqual([
      'good',
      'patron',
    ]);
    expect(entity(library, 'loans').title_fields).toEqual(['binding']);
    expect(entity(library, 'stamps').title_fields).toEqual(['color_kind', 'stamped']);
  });

  it('shows the rows that a junction table connects as related rows, and shows no screen of the junction table', async () => {
    const member = await screensOf('authenticated');
    expect(entity(member, 'tickets').related).toEqual([
      { entity: 'public.ticket_topics', field: 'ticket', link: 'topic' },
    ]);
    expect(routes(member).filter((route) => route.includes('ticket_topics'))).toEqual([]);
  });

  it('offers callable functions as actions, and asks for arguments that no field of the row fills', async () => {
    await owner.script(`
      create function public.rate(ticket bigint, stars integer, topic bigint default null, wait interval default '1 day')
        returns public.topics language sql as 'select null::public.topics';
      create function public.purge() returns integer language sql as 'select 1';
      comment on function public.rate is 'Says how it went: for the team.';
      revoke execute on function public.rate, public.purge from public;
      grant execute on function public.rate to authenticated;
      create table public.stays (id int primary key, starts_on date not null, ends_on date, guest text);
      revoke all on public.stays from anon, authenticated;
      grant select on public.stays to authenticated;
      select ninefold.define_screen('/tickets/:id', 'Ticket', 'detail', 'public.tickets', related => '{public.ticket_topics,public.ledger}',
        actions => array['public.rate', 'public.purge'], roles => array['agent']);
      select ninefold.define_screen('/start', 'Start', 'list', 'public.topics', actions => '{public.rate}', home => true, group_by => 'name',
        place => 1)`);
    const agent = await screensOf('authenticated', 'agent');
    const screen = (route: string) => agent.screens.find((one) => one.route === route);
    const [rate, ...others] = screen('/tickets/:id')?.actions ?? [];
    expect(others).toEqual([]);
    expect(rate).toMatchObject({
      ...{ schema: null, name: 'rate', label: 'Rate', help: 'Says how it went.', returns: 'public.topics' },
      row: { argument: 'ticket', field: 'id' },
    });
    expect(rate?.fields.map(({ name, editor, required }) => [name, editor, required])).toEqual([
      ['stars', 'number', true],
      ['topic', 'reference', false],
      ['wait', 'duration', false],
    ]);
    expect(screen('/tickets/:id')?.related).toEqual(['public.ticket_topics']);
    // A list has no selected row that could fill the argument, so the action asks for the ticket.
    expect(screen('/start')?.actions[0]?.fields[0]).toMatchObject({ name: 'ticket', editor: 'reference' });
    expect([agent.home, screen('/start')?.group, agent.navigation[0]?.routes[0]]).toEqual(['/start', 'name', '/start']);
    expect(screen('/stays/calendar')?.span).toEqual({ start: 'starts_on', end: 'ends_on' });
    expect(JSON.stringify(await screensOf('anon'))).not.toContain('rate');
    expect(JSON.stringify(agent)).not.toContain('purge');
    await owner.script(`
      select ninefold.drop_screen('/tickets/:id'); select ninefold.drop_screen('/start');
      drop function public.rate; drop function public.purge; drop table public.stays`);
  });

  it('finds the taken and the free times of a calendar, and invites a visitor where members may add rows', async () => {
    await owner.script(`
      create table public.rooms (id bigint primary key, name text not null);
      create table public.visits (id bigint primary key, room bigint not null references public.rooms (id), who text not null,
        starts_at timestamptz not null, ends_at timestamptz not null);
      create view public.visit_times as select room, starts_at, ends_at from public.visits;
      create view public.visit_names as select room, who, starts_at, ends_at from public.visits;
      create function public.free_rooms(room bigint, from_time timestamptz, to_time timestamptz)
        returns table (starts_at timestamptz, ends_at timestamptz) language sql stable return (null, null);
      create function public.tidy_rooms(room bigint) returns int language sql as 'select 1';
      revoke all on public.rooms, public.visits, public.visit_times, public.visit_names from anon, authenticated;
      grant select on public.rooms, public.visit_times to anon, authenticated;
      grant select, insert on public.visits to authenticated;
      select ninefold.define_screen('/visit_times', 'Times', 'calendar', 'public.visit_times',
        actions => array['public.free_rooms', 'public.tidy_rooms']);
      select ninefold.define_screen('/names', 'Names', 'calendar', 'public.visit_names')`);
    const calendars = async (role: string) =>
      (await screensOf(role)).screens.flatMap(({ route, calendar, actions }) =>
        calendar ? [[route, calendar, actions.map(({ name }) => name)]] : [],
      );
    const of = { field: 'room', entity: 'public.rooms', key: 'id' };
    const free = { schema: null, name: 'free_rooms', of: 'room', from: 'from_time', to: 'to_time' };
    const taken = 'public.visit_times';
    expect(await calendars('anon')).toEqual([
      ['/visit_times', { rows: null, taken, of, free, invites: true }, ['tidy_rooms']],
    ]);
    expect(await calendars('authenticated')).toEqual([
      ['/visit_times', { rows: 'public.visits', taken, of, free, invites: false }, ['tidy_rooms']],
      ['/visits/calendar', { rows: 'public.visits', taken, of, free: null, invites: false }, []],
    ]);
    await owner.script(`
      select ninefold.drop_screen('/visit_times'), ninefold.drop_screen('/names');
      drop function public.free_rooms; drop function public.tidy_rooms;
      drop view public.visit_times, public.visit_names; drop table public.visits, public.rooms`);
  });

  it('a field of a foreign key with several fields is a reference if it alone is the primary key of the target', async () => {
    await owner.script(`
      create table public.books (id uuid primary key, owner uuid not null, name text not null, unique (id, owner));
      create table public.loans (id bigint primary key, book uuid not null, owner uuid not null,
        constraint loans_book foreign key (book, owner) references public.books (id, owner));
      grant select on public.books, public.loans to authenticated`);
    const { entities } = await screensOf('authenticated');
    const loans = entities.find(({ id }) => id === 'public.loans');
    expect(loans?.fields.map(({ name, reference }) => [name, reference])).toEqual([
      ['id', null],
      ['book', { entity: 'public.books', field: 'id', key: 'loans_book' }],
      ['owner', null],
    ]);
    await owner.script('drop table public.loans, public.books');
  });

  it('groups the screens in the navigation, and puts defined lists before derived ones', async () => {
    const { navigation } = await screensOf('authenticated', 'agent');
    expect(navigation).toEqual([
      { title: 'Tickets', routes: ['/desk', '/mine', '/tickets', '/tickets/board'] },
      { title: 'Lists', routes: ['/topics'] },
    ]);
  });

  it('leaves a derived list out of the navigation if a defined screen has its title', async () => {
    await owner.script(`select ninefold.define_screen('/themes', 'Topics', 'list', 'public.topics')`);
    const { navigation, screens } = await screensOf('authenticated');
    await owner.script(`select ninefold.drop_screen('/themes')`);
    expect(navigation.flatMap((group) => group.routes)).toEqual(['/themes', '/mine', '/tickets', '/tickets/board']);
    expect(screens.map(({ route }) => route)).toContain('/topics');
  });

  it('names bookings by their room and time, and offers a member without roles no parts and no lists to choose from', async () => {
    await owner.script(`
      create schema booked;
      grant usage on schema booked to authenticated;
      create table booked.rooms (id bigint primary key, name text not null);
      create table booked.guests (id uuid primary key references auth.users (id), name text);
      create table booked.bookings (id bigint primary key, room bigint not null references booked.rooms (id),
        guest uuid not null default auth.uid() references booked.guests (id) on delete cascade, contact text not null default auth.email(),
        begins timestamptz not null, note text);
      create table booked.remarks (id bigint primary key, booking bigint not null references booked.bookings (id) on delete cascade, body text not null);
      grant select on all tables in schema booked to authenticated;
      grant insert on booked.bookings, booked.remarks to authenticated;
      grant update on booked.guests to authenticated;
      alter table booked.guests enable row level security;
      create policy own on booked.guests to authenticated using (id = (select auth.uid()));`);
    const shown = async (...roles: string[]) => {
      const screens = await screensOfSchema('booked', 'en', 'authenticated', roles);
      return { screens, menu: screens.navigation.flatMap((group) => group.routes) };
    };
    const [customer, agent] = [await shown(), await shown('agent')];
    expect(entity(customer.screens, 'bookings').title_fields).toEqual(['room', 'begins']);
    expect(entity(customer.screens, 'remarks').title_fields).toEqual(['body']);
    expect(customer.menu).toEqual(['/bookings', '/guests/new']);
    expect(agent.menu).toEqual(expect.arrayContaining(['/bookings', '/guests', '/remarks', '/rooms']));
    await owner.script(
      `select ninefold.define_screen('/mine-too', 'My own', 'list', 'booked.bookings', filter => 'guest=eq.auth.uid()')`,
    );
    expect((await shown()).menu).toEqual(['/mine-too', '/guests/new']);
    await owner.script(`select ninefold.drop_screen('/mine-too'); drop schema booked cascade`);
  });

  it('names rows of any schema by what people know them by, and offers records in the navigation before logs', async () => {
    await owner.script(`
      create schema shop;
      grant usage on schema shop to authenticated;
      create table shop.suppliers (id bigint primary key, name text not null);
      create table shop.orders (po_number text primary key default 'PO-' || random(), supplier bigint not null references shop.suppliers,
        status text not null default 'open' check (status in ('open', 'sent')), units text check (units in ('g', 'ml', 'box')), notes text,
        quantity int not null default 4, paid boolean not null default false, paid_at timestamptz, period daterange,
        placed_by uuid default auth.uid() references auth.users);
      create table shop.lines (po_number text references shop.orders on delete cascade, line int, primary key (po_number, line));
      create table shop.invoices (id uuid primary key default gen_random_uuid(), invoice_no text not null unique, issued_on date not null,
        supplier bigint not null references shop.suppliers, terms text, slug text, state text not null check (state in ('new', 'due')));
      create table shop.leases (id uuid primary key default gen_random_uuid(), supplier bigint not null references shop.suppliers, terms text);
      create table shop.ratings (id bigint primary key, supplier bigint not null references shop.suppliers on delete cascade,
        lease uuid not null references shop.leases, due date not null, note text, unique (supplier, lease));
      create table shop.audit_log (id bigint primary key, entry text);
      grant select, insert, update on all tables in schema shop to authenticated;`);
    const screens = await screensOfSchema('shop', 'en', 'authenticated', []);
    const clerk = await screensOfSchema('shop', 'en', 'authenticated', ['clerk']);
    await owner.script('drop schema shop cascade');
    const titles = (name: string) => entity(screens, name).title_fields;
    expect([titles('orders'), titles('invoices'), titles('leases'), titles('ratings'), titles('lines')]).toEqual([
      ['po_number'],
      ['invoice_no'],
      ['supplier'],
      ['supplier', 'lease'],
      ['po_number', 'line'],
    ]);
    const field = (name: string) => entity(screens, 'orders').fields.find((one) => one.name === name);
    expect([field('paid')?.label, field('paid_at')?.label]).toEqual(['Paid', 'Paid at']);
    expect(field('units')?.values?.map(({ label }) => label)).toEqual(['g', 'ml', 'Box']);
    expect([field('status')?.initial, field('quantity')?.initial, field('paid')?.initial]).toEqual([
      'open',
      '4',
      undefined,
    ]);
    expect([field('placed_by')?.initial_is_caller, field('period')?.range]).toEqual([true, 'date']);
    const list = screens.screens.find(({ route }) => route === '/invoices');
    expect([list?.order, list?.columns]).toEqual([
      'issued_on.desc,id',
      ['id', 'invoice_no', 'state', 'issued_on', 'supplier', 'terms', 'slug'],
    ]);
    const menu = screens.navigation.flatMap(({ routes }) => routes);
    expect([menu.includes('/ratings'), menu.includes('/lines'), menu.at(-1)]).toEqual([true, false, '/audit_log']);
    expect(clerk.navigation.flatMap(({ routes }) => routes).slice(-2)).toEqual(['/lines', '/audit_log']);
  });

  it('shows the form of an entity whose only list is left out of the navigation', async () => {
    await owner.script(`select ninefold.define_screen('/themes', 'Topics', 'list', 'public.tickets')`);
    const { navigation } = await screensOf('authenticated', 'agent');
    await owner.script(`select ninefold.drop_screen('/themes')`);
    expect(navigation.flatMap((group) => group.routes)).toContain('/topics/new');
  });

  it('puts the key, the label and the state of a row before the other columns of a derived list', async () => {
    const { screens } = await screensOf('authenticated');
    const columnsOf = (route: string) => screens.find((screen) => screen.route === route)?.columns;
    expect(columnsOf('/tickets')?.slice(0, 4)).toEqual(['id', 'subject', 'status', 'owner']);
    expect(columnsOf('/tickets/:id')?.slice(0, 4)).toEqual(['id', 'owner', 'topic', 'entry']);
  });
});

it('memberScreens shows labels in the language of the caller, and the name or comment of every object without a label', async () => {
  await owner.script(`
    select ninefold.label('de', 'Anfragen', entity => 'public.tickets', one => 'Anfrage');
    select ninefold.label('de', 'Betreff', entity => 'public.tickets', field => 'subject', help => 'Worum geht es?');
    select ninefold.label('de', 'Offen', entity => 'public.tickets', field => 'status', value => 'open');
    select ninefold.label('de', 'Schließen', entity => 'public.tickets', field => 'status', transition => 'close');
    select ninefold.label('de', 'Meine Anfragen', screen => '/mine');
    select ninefold.label('de', 'Bearbeiterin', role => 'agent');`);
  const german = await screensIn('de-AT', 'authenticated', 'agent');
  const tickets = entity(german, 'tickets');
  expect([tickets.label, tickets.one]).toEqual(['Anfragen', 'Anfrage']);
  expect(tickets.fields.find(({ name }) => name === 'subject')).toMatchObject({
    label: 'Betreff',
    help: 'Worum geht es?',
  });
  expect(tickets.machine?.states).toMatchObject([{ label: 'Offen' }, { label: 'Closed' }]);
  expect(tickets.machine?.transitions.map(({ label }) => label)).toContain('Schließen');
  const title = (route: string) => german.screens.find((screen) => screen.route === route)?.title;
  expect([title('/mine'), title('/tickets'), title('/tickets/new'), german.roles]).toEqual([
    'Meine Anfragen',
    'Anfragen',
    'Neu: Anfrage',
    ['Bearbeiterin'],
  ]);
  const english = await screensOf('authenticated', 'agent');
  expect(entity(english, 'tickets')).toMatchObject({ label: 'Tickets', one: 'ticket' });
  // A member who may not read an entity must not see the labels of the entity.
  await owner.script(
    `select ninefold.label('de', 'Geheime Notiz', entity => 'public.tickets', field => 'secret_note')`,
  );
  expect(JSON.stringify(await screensIn('de', 'authenticated'))).not.toContain('Geheime');
  await owner.script(`select ninefold.label('de', null, entity => 'public.tickets')`);
  expect(entity(await screensIn('de', 'authenticated'), 'tickets').label).toBe('Tickets');
});

it.each([
  [`'de', 'x', entity => 'public.tickets', screen => '/mine'`, 'exactly one'],
  [`'de', 'x'`, 'exactly one'],
  [`'de', 'x', entity => 'public.tickets', value => 'open'`, 'needs its field'],
  [`'de', 'x', entity => 'public.tickets', field => 'missing'`, 'has no column missing'],
  [`'de', 'x', role => 'nobody'`, 'there is no role'],
  [`'German!', 'x', screen => '/mine'`, 'labels_language'],
])('ninefold.label refuses a label of %s', async (given, message) => {
  await expect(owner.script(`select ninefold.label(${given})`)).rejects.toThrow(message);
});
