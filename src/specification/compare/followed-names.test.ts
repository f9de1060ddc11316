import { describe, expect, it } from 'vitest';
import { diffedApp } from '../../../test/support/diffed-app.ts';

const { owner, derive, diff } = diffedApp('names');

describe('diffChapters with renamed objects', () => {
  const machine = (close: string): string =>
    `select ninefold.define_machine('public.customers', 'email', 'new', '[{"name": "${close}", "from": ["new", "open"], "to": "closed"}]')`;

  const refusing = (hint: string): string =>
    `create or replace function public.late() returns trigger language plpgsql as $$ begin
      raise exception 'late' using errcode = 'PT409', hint = '${hint}'; end $$`;

  it.each<[string, string, Record<string, string[]>]>([
    [
      '',
      'alter table public.tickets rename to questions',
      {
        entities: ['In place of the table tickets there is questions, the same but for its name.'],
        rules: ['In the rules, tickets is now questions.'],
        roles: ['Where it says who may do what, tickets is now questions.'],
        calls: ['In the calls, tickets is now questions: /rest/v1/questions (before: /rest/v1/tickets).'],
        errors: ['In the errors, tickets is now questions.'],
      },
    ],
    [
      '',
      'alter table public.tickets rename column title to heading',
      {
        rules: ['In the rules, the field title of tickets is now heading.'],
        errors: ['In the errors, the field title of tickets is now heading.'],
        roles: [],
        calls: [],
      },
    ],
    [
      '',
      'alter table public.customers rename to "Große Kunden"',
      { entities: ['In place of the table customers there is "Große Kunden", the same but for its name.'], states: [] },
    ],
    [
      '',
      `alter table public.customers rename to people; comment on table public.people is 'Who asks'; revoke all on public.people from service_role`,
      {
        entities: [
          'In place of the table customers there is people, the same but for its name.',
          'The comment of people is now “Who asks”.',
        ],
      },
    ],
    [
      'create policy all_titled on public.tickets for select to authenticated using (title is not null)',
      'alter policy all_titled on public.tickets rename to titled',
      { roles: ['The policy all_titled of tickets is now called titled.'], screens: [], calls: [] },
    ],
    [
      'create policy write on public.tickets to authenticated using (true); grant update on public.tickets to authenticated',
      'revoke update on public.tickets from authenticated; grant update (title) on public.tickets to authenticated',
      { screens: ['takes title, status, customer and owner for a new row, and title for a change'] },
    ],
    [
      'grant execute on function public.close to public; grant usage on schema public to public',
      'drop function public.close(uuid); create function public.close(ticket uuid) returns int language sql as $$select 1$$',
      {
        calls: [
          'Calls of close(uuid), GET /rest/v1/rpc/close and POST /rest/v1/rpc/close: now return integer (before: 204, no body).',
          'returns integer (before: void).',
        ],
      },
    ],
    [
      refusing('Come back later'),
      refusing('Come tomorrow'),
      {
        errors: [
          'The error PT409: late has changed: what the client does is now “Come tomorrow” (before: “Come back later”).',
        ],
      },
    ],
    [
      `${refusing('Wait')}; create trigger late before insert on public.customers for each row execute function public.late()`,
      'alter table public.customers disable trigger late',
      { errors: ['has changed: now with the remark “not while no trigger that is switched on runs it”.'] },
    ],
    [
      'alter table public.customers add column twice int generated always as (1 * 2) stored',
      'alter table public.customers alter column twice set expression as (2 * 2)',
      { entities: ['twice of customers is now computed as (2 * 2) (before: (1 * 2)).'] },
    ],
    [
      `select ninefold.define_role('guest', 'Looks')`,
      `update ninefold.roles set name = 'visitor' where name = 'guest'`,
      {
        roles: ['In place of the role guest of members there is visitor, the same but for its name.'],
        screens: ['In the screens, the role guest of members is now visitor.'],
        calls: ['In the calls, the role guest of members is now visitor.'],
      },
    ],
    [
      `select ninefold.define_role('agent', 'Answers'); select ninefold.define_role('guest', 'Looks');
       create policy all_of_it on public.tickets for select to authenticated using (ninefold.has_role('agent'))`,
      `update ninefold.roles set name = 'helper' where name = 'agent'`,
      {
        roles: [
          'In place of the role agent of members there is helper, the same but for its name.',
          'Members with role helper may now read open_tickets and tickets only when the member has role agent or own row (by owner).',
        ],
      },
    ],
    [
      'create schema kept; create table public.lines (id serial primary key, note text not null)',
      'alter table public.lines set schema kept',
      {
        entities: [
          'In place of the table lines there is kept.lines, the same but for its name.',
          'Clients can no longer reach kept.lines.',
        ],
        rules: ['In the rules, lines is now kept.lines.'],
      },
    ],
    [
      `${refusing('Wait')}; create trigger late before insert on public.customers for each row execute function public.late()`,
      'alter trigger late on public.customers rename to later',
      { entities: ['The trigger late on customers is now called later.'], calls: [], errors: [] },
    ],
    [
      `${refusing('Wait')}; create trigger late before insert on public.customers for each row execute function public.late()`,
      'alter function public.late() rename to too_late',
      {
        entities: ['In the entities, the function late() is now too_late().'],
        calls: ['In place of the function late() there is too_late(), the same but for its name.'],
        errors: ['In the errors, the function late() is now too_late().'],
      },
    ],
    [
      `create function public.may_see(who uuid) returns boolean language sql stable as 'select who is not null';
       create policy seen on public.tickets for select to authenticated using (public.may_see(owner))`,
      'alter function public.may_see(uuid) rename to sees',
      {
        screens: [],
        roles: ['Where it says who may do what, the function may_see(uuid) is now sees(uuid).'],
        calls: [
          'In place of the function may_see(uuid) there is sees(uuid), the same but for its name: /rest/v1/rpc/sees (before: /rest/v1/rpc/may_see).',
        ],
      },
    ],
    [
      '',
      'alter table public.tickets rename owner to author',
      { roles: ['Where it says who may do what, the field owner of tickets is now author.'] },
    ],
    [
      'create table public.counted (id serial primary key)',
      'alter sequence public.counted_id_seq start 500',
      { entities: ['After a restart, the numbering of id of counted begins at 500 (before: at 1).'] },
    ],
    [
      `create domain public.mail as text check (value like '%@%'); create table public.a (id int primary key, m public.mail);
       create table public.b (id int primary key, m public.mail)`,
      'alter domain public.mail rename to address',
      {
        errors: ['In the errors, the type mail is now address.'],
      },
    ],
    [
      '',
      'alter type public.status rename to state',
      {
        rules: ['In the rules, the type status is now state.'],
      },
    ],
    [
      'create table public.a (id int primary key, x int check (x > 1), y int); create table public.b (id int primary key, note text)',
      `alter table public.a rename to c; alter table public.b rename to a; alter table public.c rename to b;
       alter table public.b rename x to z; alter table public.b rename y to x; alter table public.b rename z to y`,
      {
        entities: [
          'In place of the table a there is b, the same but for its name.',
          'In place of the table b there is a, the same but for its name.',
          'In place of the field x of b there is y, the same but for its name.',
          'In place of the field y of b there is x, the same but for its name.',
        ],
        rules: ['In the rules, a is now b, b is now a and the field x of b is now y.'],
      },
    ],
    [
      'create table public.a (id int primary key, x int check (x > 1), y int)',
      `alter table public.a rename x to z; alter table public.a rename y to x; alter table public.a rename z to y;
       alter table public.a drop constraint a_x_check, add constraint a_x_check check (x > 1)`,
      {
        rules: ['The rule for a, x is more than 1, has changed: before: y is more than 1.'],
      },
    ],
    [
      '',
      'alter policy own on public.tickets rename to mine; alter policy mine on public.tickets using (true)',
      {
        roles: [
          'The policy own of tickets is now called mine.',
          'Signed-in members may now read open_tickets and tickets always (before: when own row (by owner)).',
          'The policy mine of tickets has changed: it now lets rows through always (before: when own row (by owner)).',
          'Advice that no longer holds: call for each row (tickets).',
          'Advice that no longer holds: no index (tickets).',
        ],
      },
    ],
    [
      '',
      `alter table public.tickets rename to questions; alter table public.questions rename title to heading;
       alter table public.questions alter heading drop not null`,
      {
        entities: [
          'In place of the table tickets there is questions, the same but for its name.',
          'In place of the field title of questions there is heading, the same but for its name.',
          'heading of questions may now be empty.',
        ],
      },
    ],
    [
      '',
      `alter function public.close(uuid) rename to finish; create or replace function public.finish(ticket uuid) returns void language sql as 'select 2'`,
      {
        calls: [
          'In place of the function close(uuid) there is finish(uuid), the same but for its name.',
          'The function finish(uuid) now has other code, which was select 1, is now select 2.',
        ],
      },
    ],
    [
      '',
      `alter type public.status rename value 'open' to 'waiting'`,
      {
        entities: ['In the entities, the value open of the type status is now waiting.'],
        rules: ['In the rules, the value open of the type status is now waiting.'],
        errors: ['In the errors, the value open of the type status is now waiting.'],
      },
    ],
    [machine('close'), machine('shut'), { states: ['The transition close of customers.email is now called shut.'] }],
  ])('reports a rename once, with the other changes of the object: %s%s', async (first, sql, expected) => {
    if (first !== '') await owner.script(first);
    const before = await derive();
    await owner.script(sql);
    const after = await derive();
    for (const [chapter, sentences] of Object.entries(expected)) {
      const told = diff(before, after).filter((change) => change.chapter === chapter);
      expect(told.map((change) => change.words)).toEqual(sentences.map((start) => expect.stringContaining(start)));
    }
    expect(
      diff(after, before)
        .map((change) => change.words)
        .join(),
    ).not.toContain(' gone');
  });
});
