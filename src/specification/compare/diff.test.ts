import { describe, expect, it } from 'vitest';
import { defaultRestSettings } from '../../../contract/settings.ts';
import { defaultAuthSettings } from '../../../contract/settings-auth.ts';
import { diffedApp } from '../../../test/support/diffed-app.ts';
import type { JsonObject } from '../derive/words/sentence-parts.ts';

const { owner, superuser, derive, diff } = diffedApp('diff');

const words = (before: JsonObject, after: JsonObject): string[] => diff(before, after).map((change) => change.words);

describe('diffChapters', () => {
  it.each<[string, string[]]>([
    [
      `create table public.watched (customer bigint references public.customers, ticket uuid references public.tickets,
        primary key (customer, ticket))`,
      ['Rows of customers and rows of tickets are now joined through watched, many to many.'],
    ],
    [
      'create policy any_delete on public.tickets for delete to authenticated using (true); grant delete on public.tickets to authenticated',
      [
        'Signed-in members may now delete tickets when own row (by owner).',
        'New policy any_delete of tickets, for delete, for authenticated: always.',
      ],
    ],
    [
      'grant execute on function public.close to authenticated',
      ['Signed-in members may now call close(uuid).', 'New calls GET /rest/v1/rpc/close and POST /rest/v1/rpc/close.'],
    ],
    [
      'revoke select on public.tickets from authenticated',
      ['Signed-in members may no longer read open_tickets and tickets'],
    ],
    ['alter table public.tickets add priority int', ['tickets has a new field priority (integer, optional).']],
    ['alter table public.tickets drop owner cascade', ['The field owner of tickets is gone.']],
    ['alter table public.tickets alter title drop not null', ['title of tickets may now be empty.']],
    [`alter type public.status add value 'waiting'`, ['status of tickets may now also be waiting.']],
    [
      'alter table public.tickets drop constraint title_length, add constraint title_length check (length(title) between 5 and 120)',
      ['The rule for tickets, title is 5 to 120 characters, has changed: before: title is 3 to 120 characters.'],
    ],
    ['alter table public.tickets disable row level security', ['Row-level security is now off for tickets.']],
    [
      'create table public.notes (id int primary key, body text); grant select on public.notes to anon',
      [
        'There is a new table notes with id and body.',
        'Of notes: id has a value that no other row has.',
        'Anyone without a session may read notes always.',
        'Signed-in members and the secret key may do nothing with notes.',
      ],
    ],
    [
      'create view public.asked as select id, customer as who from public.tickets',
      ['Calls now embed rows of customers in rows of asked, by tickets_customer_fkey (who).'],
    ],
    [
      'drop table public.customers cascade',
      [
        'The table customers is gone, with all its fields.',
        'The privileges on customers are gone with it.',
        'The rules of customers are gone with it.',
      ],
    ],
    [
      `comment on table public.tickets is 'What customers ask.'`,
      ['The comment of tickets is now “What customers ask.”.'],
    ],
    [
      `select ninefold.describe_app(name => 'Helpdesk', purpose => 'Answers customers')`,
      ['Its purpose is now “Answers customers”.'],
    ],
    [
      `select ninefold.define_machine('public.tickets', 'status', 'open', '[{"name": "close", "from": ["open"], "to": "closed"}]')`,
      [
        'tickets.status now has a state machine with the states open and closed; a new row starts as open.',
        'Triggers now keep the states of tickets.status on every write.',
      ],
    ],
    [
      `select ninefold.define_screen('/mine', 'Mine', 'list', 'public.tickets', array['title'])`,
      ['New screen of tickets: /mine (list).'],
    ],
    [
      `select ninefold.label('de', 'Anfragen', entity => 'public.tickets');
       select ninefold.label('de', 'Offen', entity => 'public.tickets', field => 'status', value => 'open')`,
      ['Labels in de: tickets is now “Anfragen” and tickets.status = open is now “Offen”.'],
    ],
    [
      `create function public.refuse() returns void language plpgsql as $$ begin raise exception 'Not today' using errcode = 'ZZ042'; end $$`,
      ['New error from refuse(): ZZ042: Not today.'],
    ],
    [
      `create or replace function public.close(ticket uuid) returns void language sql as 'delete from public.tickets'`,
      [
        'The function close(uuid) now has other code, which was select 1, is now delete from public.tickets; writes public.tickets (before: none)',
      ],
    ],
    [
      `create or replace function public.close(ticket uuid) returns void language sql as 'select 2'`,
      ['The function close(uuid) now has other code, which was select 1, is now select 2.'],
    ],
    [
      'alter table public.tickets rename constraint title_length to title_size',
      ['The rule for tickets, title is 3 to 120 characters, is now called title_size (before: title_length).'],
    ],
    [
      'create rule kept as on delete to public.customers do instead nothing',
      ['Of customers, a new rule kept stands in for writes: CREATE RULE kept'],
    ],
    [
      'alter policy own on public.tickets to anon, authenticated',
      ['The policy own of tickets has changed: it is now for anon and authenticated.'],
    ],
    [
      'alter default privileges for role app_owner in schema public grant select, insert on tables to anon',
      ['New tables in public: anon may read, add (before: nobody may do anything before it is granted).'],
    ],
    [
      'alter policy own on public.tickets using (true)',
      ['The policy own of tickets has changed: it now lets rows through always (before: when own row (by owner)).'],
    ],
    ['alter policy own on public.tickets rename to mine', ['The policy own of tickets is now called mine.']],
    [
      'create rule noted as on delete to public.customers do also notify gone',
      ['Of customers, a new rule noted goes with writes: CREATE RULE noted'],
    ],
    [
      'alter table public.tickets drop constraint tickets_customer_fkey, add foreign key (customer) references public.customers on delete cascade on update cascade',
      [
        'Rows of tickets now refer to a row of customers (customer): when the key there changes, theirs changes with it (before: such a change is refused).',
      ],
    ],
    [
      'alter table public.tickets drop constraint tickets_customer_fkey, add foreign key (customer) references public.customers on delete restrict on update cascade',
      [
        'Rows of tickets now refer to a row of customers (customer): it cannot be deleted while they refer to it (before: they are deleted with it); when the key there changes, theirs changes with it (before: such a change is refused).',
        'The rule for tickets, customer is the id of a row in customers, has changed: its SQL was FOREIGN KEY',
      ],
    ],
    [
      'alter table public.tickets add constraint one_each unique (customer)',
      [
        'Two rows of tickets may no longer have the same customer.',
        'Rows of tickets now refer to a row of customers (customer): at most one of them to each (before: any number).',
      ],
    ],
    [
      'alter table public.tickets rename constraint tickets_customer_fkey to asked_by',
      [
        'The key by which rows of tickets refer to a row of customers is now called asked_by (before: tickets_customer_fkey).',
      ],
    ],
    [
      'revoke select on public.open_tickets from authenticated; grant select (id) on public.open_tickets to authenticated',
      ['Signed-in members may now read open_tickets when own row (by owner), as to id (before: '],
    ],
    [
      `alter function public.close(uuid) set search_path = ''`,
      ['The function close(uuid) now sets search_path="" while it runs (before: nothing).'],
    ],
    [
      'create or replace view public.open_tickets with (security_invoker) as select id, title, status from public.tickets',
      [
        'The query of the view open_tickets was SELECT id, title FROM public.tickets, is now SELECT id, title, status FROM public.tickets.',
        'The screens /open_tickets and /open_tickets/:id: now show status too.',
      ],
    ],
    [
      `alter table public.tickets alter status set default 'closed'`,
      [`The default of status of tickets is now 'closed' (before: 'open').`],
    ],
    [
      `select ninefold.define_machine('public.tickets', 'status', 'open', '[]')`,
      [
        'Rows of tickets now have the computed field state_changes (jsonb, by public.state_changes(public.tickets)) and computed',
      ],
    ],
    ['alter table public.customers alter id drop identity', ['id of customers is no longer numbered automatically.']],
    [
      'alter view public.open_tickets set (check_option = local)',
      ['open_tickets now takes only rows that it shows (check option local).'],
    ],
    [
      'create role diff_agent nologin; grant diff_agent to app_authenticator; grant usage on schema public to diff_agent; grant all on public.customers to diff_agent',
      ['Callers with the database role diff_agent may read, add, change and delete customers always.'],
    ],
    [
      'alter table public.customers alter id set maxvalue 9',
      ['id of customers now counts from 1 to 9, then none (2200H).'],
    ],
    [
      'alter table public.customers alter email type text collate "C"',
      ['email of customers is now sorted and compared by "C" (before: by the default collation of the database).'],
    ],
    [
      'create table public.rooms (id int4range, during int4range, unique (id, during without overlaps))',
      ['There is a new table rooms'],
    ],
    [
      'alter table public.tickets add nights int4range, add rooms int4range, add unique (rooms, nights without overlaps)',
      ['Two rows of tickets may no longer, with the same rooms, overlap in nights.'],
    ],
    [
      `create domain public.mail as text; comment on domain public.mail is 'Where it goes';
       comment on column public.customers.email is 'Theirs'; alter table public.customers alter email type public.mail`,
      ['The comment on the type of email of customers is now “Where it goes”.'],
    ],
    [
      'alter table public.tickets drop constraint tickets_customer_fkey, add constraint tickets_customer_fkey foreign key (customer) references public.customers on delete set null (customer)',
      [
        'Rows of tickets now refer to a row of customers (customer): they are emptied when it is deleted, of their fields customer only',
      ],
    ],
  ])('reports the change in a sentence for business readers: %s', async (sql, expected) => {
    const before = await derive();
    const isRole = sql.startsWith('create role');
    await (isRole ? superuser : owner).script(sql);
    const after = await derive();
    const told = words(before, after);
    for (const sentence of expected)
      expect(
        told.some((one) => one.startsWith(sentence)),
        `${sentence}\n\n${told.join('\n')}`,
      ).toBe(true);
    // The reverse change must be reported, too.
    expect(words(after, before).length).toBeGreaterThan(0);
    if (isRole) await superuser.script('drop owned by diff_agent; drop role diff_agent');
  });

  it('reports a table that becomes a partition, and one that stops being a partition', async () => {
    await owner.script(`create table public.days (id int not null, at date not null) partition by range (at);
      create table public.today (id int not null, at date not null)`);
    const before = await derive();
    await owner.script(
      `alter table public.days attach partition public.today for values from ('2020-01-01') to ('2020-01-02')`,
    );
    const after = await derive();
    const ofEntities = (from: JsonObject, to: JsonObject) =>
      diff(from, to).flatMap((change) => (change.chapter === 'entities' ? change.words : []));
    expect(ofEntities(before, after)).toEqual([
      'The table today, with the fields of days, is no longer there by itself; days now has 1 partition (before: 0).',
    ]);
    expect(ofEntities(after, before)).toEqual([
      'A new table today with the fields of days is there; days now has 0 partitions (before: 1).',
    ]);
  });

  it('reports a call whose function was replaced as changed, not as removed and added', async () => {
    await owner.script('grant execute on function public.close to authenticated');
    const before = await derive();
    await owner.script(`drop function public.close(uuid);
      create function public.close(ticket uuid, by int default 1) returns void language sql as 'select 1'`);
    const told = words(before, await derive());
    expect(told).toContain(
      'Calls GET /rest/v1/rpc/close and POST /rest/v1/rpc/close now lead to close(uuid, integer) (before: to close(uuid)).',
    );
    expect(told.join()).not.toMatch(/No longer answered|New calls/);
  });

  it('reports advice with changed SQL without repeating the advice', () => {
    const advised = (sql: string): JsonObject => ({
      roles: {
        advice: [
          { id: 'no index: public.t', about: 'no index', on: 'public.t', policies: [], words: 'It is slow.', sql },
        ],
      },
    });
    expect(words(advised('create index on a'), advised('create index on b'))).toEqual([
      'How to follow the advice no index (t) has changed: its SQL was create index on a, is now create index on b.',
    ]);
  });

  it('reports a setting that disables sign-up', async () => {
    const before = await derive();
    expect(words(before, await derive({ ...defaultAuthSettings, disable_signup: true }))).toContain(
      'Removed call: POST /auth/v1/signup.',
    );
  });

  it('reports a setting that changes the callers without a token in the chapters of roles and of calls', async () => {
    const before = await derive();
    const settings = { ...defaultRestSettings, db_anon_role: 'authenticated', app_settings: { 'app.key': 'hush' } };
    const told = words(before, await derive(defaultAuthSettings, settings));
    expect(told.join('\n')).toContain('a signed-in member; and whoever calls without a token');
    expect(told).toContainEqual(
      expect.stringMatching(/^The setting db_anon_role is now authenticated \(before: anon\)/),
    );
    expect(told.join('\n')).toContain('app.key (fingerprint ');
    expect(told.join('\n')).not.toContain('hush');
  });

  it('reports the triggers of a state machine in one sentence, and a single removed one by its name', async () => {
    const before = await derive();
    await owner.script(
      `select ninefold.define_machine('public.tickets', 'status', 'open', '[{"name": "close", "from": "open", "to": "closed"}]')`,
    );
    const kept = await derive();
    const ofTriggers = (told: string[]) => told.filter((one) => /triggers?\b/i.test(one) && /status/.test(one));
    expect(ofTriggers(words(before, kept))).toEqual(['Triggers now keep the states of tickets.status on every write.']);
    expect(ofTriggers(words(kept, before))).toEqual(['No triggers keep the states of tickets.status any more.']);
    await owner.script('alter table public.tickets disable trigger user');
    expect(ofTriggers(words(kept, await derive())).filter((one) => /^(All|The) trigger/.test(one))).toEqual([
      'All triggers that keep the states of tickets.status are now switched off.',
    ]);
    await owner.script('alter table public.tickets enable trigger user');
    await owner.script('drop trigger zz_ninefold_check_status on public.tickets');
    expect(words(kept, await derive())).toContain('The trigger zz_ninefold_check_status on tickets is gone.');
  });

  it('reports a comment on a built-in role together with the meaning of the role', async () => {
    const before = await derive();
    await superuser.script(`comment on role authenticated is 'Staff of the "desk"'`);
    const told = words(before, await derive()).join('\n');
    await superuser.script('comment on role authenticated is null');
    expect(told).toContain('a signed-in member; described as “Staff of the "desk"”');
    expect(await derive()).toEqual(before);
  });

  it('reports the VALID UNTIL of the app’s login role, and that the role may no longer log in', async () => {
    const [before, login] = [await derive(), 'app_authenticator'];
    const told = async (change: string, undo: string): Promise<string> => {
      await superuser.script(`alter role ${login} ${change}`);
      const changes = words(before, await derive()).join('\n');
      await superuser.script(`alter role ${login} ${undo}`);
      return changes;
    };
    const past = await told(`valid until '-infinity'`, `valid until 'infinity'`);
    expect(past).toMatch(/^The limit appConnections has changed: .*is valid until no moment/);
    expect(await told('nologin', 'login')).toMatch(/^The limit appConnections is now 0 .*Their role may not log in;/);
  });

  it('reports a table that is moved out of the reach of calls, and back', async () => {
    const before = await derive();
    await owner.script('create schema kept; alter table public.tickets set schema kept');
    const after = await derive();
    await owner.script('alter table kept.tickets set schema public; drop schema kept');
    const away = words(before, after);
    expect(away).toEqual(
      expect.arrayContaining([
        'In place of the table tickets there is kept.tickets, the same but for its name.',
        'Clients can no longer reach kept.tickets.',
        'Nobody reaches kept.tickets any longer.',
      ]),
    );
    const back = words(after, before);
    expect(back).toEqual(
      expect.arrayContaining([
        'In place of the table kept.tickets there is tickets, the same but for its name.',
        'Clients can now reach tickets.',
      ]),
    );
    expect([...away, ...back].filter((one) => / is gone|There is a new/.test(one))).toEqual([]);
  });

  it('reports a limit that is raised', async () => {
    const before = await derive();
    const settings = { ...defaultRestSettings, db_max_rows: 5 };
    expect(words(before, await derive(defaultAuthSettings, settings)).join('\n')).toContain(
      'The limit pageRows is now 5 (before: 1000).',
    );
  });

  it('reports operations with the same change in one sentence', async () => {
    const before = await derive();
    await owner.script('grant all on public.customers to authenticated');
    expect(words(before, await derive())).toContain(
      'Signed-in members may now read, add, change and delete customers.',
    );
  });

  it('reports a new field once, in the chapter of entities', async () => {
    const before = await derive();
    await owner.script('alter table public.tickets add priority int');
    const told = diff(before, await derive());
    expect(told.filter(({ chapter }) => chapter === 'calls')).toEqual([]);
    expect(told.filter(({ chapter }) => chapter === 'entities')).toHaveLength(1);
  });
});
