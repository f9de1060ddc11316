import { describe, expect, it } from 'vitest';
import { diffedApp } from '../../../test/support/diffed-app.ts';
import { diffChapters } from './diff.ts';
import { diffMarkdown } from './markdown.ts';

const { owner, derive, diff } = diffedApp('told_once');

const refusing = (name: string, codes: readonly string[]): string =>
  `create function public.${name}() returns trigger language plpgsql as $$ begin
    ${codes.map((code) => `if new.title = '${code}' then raise exception 'Not ${code}' using errcode = '${code}'; end if;`).join(' ')}
    return new; end $$;
   create trigger ${name} before insert on public.tickets for each row execute function public.${name}()`;

describe('diffChapters with changes that show in several chapters', () => {
  it.each<[string, string, Record<string, string[]>]>([
    [
      `create table public.replies (id int primary key, ticket uuid);
       alter table public.replies enable row level security; grant select on public.replies to authenticated;
       create policy theirs on public.replies for select to authenticated
         using (ticket in (select t.id from public.tickets t where t.owner = auth.uid()));
       create view public.owned as select t.owner, t.title from public.tickets t;
       alter table public.tickets add constraint once unique (id, owner);
       create table public.pairs (a uuid, b uuid, foreign key (a, b) references public.tickets (id, owner));
       create function public.owners() returns setof uuid language sql begin atomic select t.owner from public.tickets t; end`,
      'alter table public.tickets rename column owner to keeper',
      {
        entities: ['In place of the field owner of tickets there is keeper, the same but for its name.'],
        rules: ['In the rules, the field owner of tickets is now keeper.'],
        roles: ['Where it says who may do what, the field owner of tickets is now keeper.'],
        calls: ['In the calls, the field owner of tickets is now keeper.'],
        errors: ['In the errors, the field owner of tickets is now keeper.'],
      },
    ],
    [
      `create table public.replies (id int primary key, owner uuid);
       create view public.both_owners as select t.owner as one, r.owner as other from public.tickets t, public.replies r`,
      `alter table public.tickets rename column owner to keeper;
       create or replace view public.both_owners as select t.keeper as one, t.keeper as other from public.tickets t, public.replies r`,
      {
        entities: [
          'In place of the field owner of tickets there is keeper, the same but for its name.',
          'The query of the view both_owners was SELECT t.keeper AS one, r.owner AS other',
        ],
      },
    ],
    [
      '',
      'alter view public.open_tickets rename column title to heading',
      { entities: ['In place of the field title of open_tickets there is heading, the same but for its name.'] },
    ],
    [
      'revoke select on public.open_tickets from authenticated; grant select (title) on public.open_tickets to authenticated',
      'create or replace view public.open_tickets with (security_invoker) as select id, title, status from public.tickets',
      {
        roles: ['Why signed-in members may read open_tickets has changed: 1 of 3 fields (before: 1 of 2 fields).'],
      },
    ],
    [
      `select ninefold.define_role('agent', 'Answers tickets.');
       select ninefold.define_screen('/tickets', 'Asked', 'list', 'public.tickets', array['title'], roles => array['agent'])`,
      `update ninefold.roles set name = 'helper' where name = 'agent'`,
      {
        screens: [
          'In the screens, the role agent of members is now helper.',
          'The screen /tickets: broken, as the role agent is gone.',
        ],
      },
    ],
    [
      `select ninefold.define_screen('/tickets', 'Asked', 'list', 'public.tickets', array['title']);
       select ninefold.define_screen('/tickets/new', 'Ask', 'form', 'public.tickets', array['title'])`,
      'alter table public.tickets rename to questions',
      {
        screens: [
          'In the screens, tickets is now questions: /questions/:id (before: /tickets/:id).',
          'New screen of questions: /questions (list).',
          'The screen /tickets/new: broken because the entity public.tickets is gone.',
          'The screen /tickets: broken, as the entity public.tickets is gone; now for nobody; is now defined (before: defined in place of a derived one).',
        ],
      },
    ],
    [
      `comment on function public.close(uuid) is 'Ends it'; grant execute on function public.close(uuid) to authenticated`,
      `comment on function public.close(uuid) is 'Closes it'`,
      {
        calls: [
          'Calls of close(uuid), GET /rest/v1/rpc/close and POST /rest/v1/rpc/close: now described as “Closes it” (before: “Ends it”).',
        ],
      },
    ],
    [
      '',
      'alter function public.close(uuid) stable',
      { calls: ['The function close(uuid) is now stable (before: volatile).'] },
    ],
    [
      `create table public.kept (id int primary key); alter table public.kept enable row level security;
       grant select on public.kept to authenticated; create function public.may() returns boolean language sql as 'select true';
       create policy own on public.kept for select to authenticated using (public.may())`,
      `create or replace function public.may() returns boolean language sql as ' select  true '`,
      {
        roles: ['The policy own of kept has changed: may(), which it calls, has code with other white space.'],
        calls: ['The function may() now has code with other white space.'],
      },
    ],
    [
      '',
      'create rule kept as on delete to public.customers do instead nothing',
      {
        entities: [
          'Of customers, a new rule kept stands in for writes: CREATE RULE kept AS ON DELETE TO public.customers DO INSTEAD NOTHING.',
        ],
      },
    ],
    [
      `select ninefold.define_role('agent', 'Answers tickets.')`,
      `select ninefold.drop_role('agent')`,
      { roles: ['The role agent is gone, with all its privileges.'] },
    ],
    [
      '',
      'alter table public.tickets drop constraint tickets_customer_fkey',
      { entities: ['Rows of tickets no longer refer to a row of customers (customer).'] },
    ],
    [
      'create table public.votes (customer bigint)',
      'alter table public.votes add foreign key (customer) references public.customers on delete cascade',
      { entities: ['Rows of votes now refer to a row of customers (customer); they are deleted with it.'] },
    ],
    [
      'create table public.replies (id int primary key, status public.status)',
      `alter type public.status add value 'held'`,
      {
        errors: [
          "The error 22P02: Status is one of 'open', 'closed', 'held' (replies and tickets) has changed: before: Status is one of 'open', 'closed'.",
        ],
      },
    ],
    [
      refusing('guard', ['ZZ001', 'ZZ002']),
      'alter table public.tickets disable trigger guard',
      {
        entities: ['The trigger guard on tickets is now switched off.'],
        errors: [
          'The errors ZZ001: Not ZZ001 and ZZ002: Not ZZ002 have changed: now with the remark “not while no trigger that is switched on runs it”.',
        ],
      },
    ],
    [
      `comment on type public.status is 'How far'; comment on column public.tickets.status is 'Where it stands'`,
      `comment on type public.status is 'How far it is'`,
      { entities: ['The comment on the type of status of tickets is now “How far it is” (before: “How far”).'] },
    ],
    [
      '',
      'drop policy own on public.tickets; create policy own on public.tickets for update to authenticated using (owner = auth.uid())',
      {
        roles: [
          'New advice: unreachable policy (tickets).',
          'Signed-in members may no longer read open_tickets and tickets (before: when own row (by owner)).',
          'The policy own of tickets has changed: it is now for update (before: for select).',
        ],
      },
    ],
    [
      `select ninefold.define_role('agent', 'Answers tickets.');
       select ninefold.define_machine('public.tickets', 'status', 'open', '[{"name": "close", "from": "open", "to": "closed", "roles": ["agent"]},
         {"name": "reopen", "from": "closed", "to": "open", "roles": ["agent"]}]')`,
      `select ninefold.drop_role('agent')`,
      {
        states: [
          'The transition close of tickets.status is now: close: agent may take a row from open to closed (before: close: no call',
          'The transition reopen of tickets.status is now: reopen: agent may take a row from closed to open (before: reopen: no call',
          'With the states of tickets.status, there are now problems: the transition close is for the role agent, which is gone; the transition reopen is for the role agent, which is gone.',
        ],
      },
    ],
  ])('reports a change once in each chapter: %s; %s', async (first, sql, expected) => {
    if (first !== '') await owner.script(first);
    const before = await derive();
    await owner.script(sql);
    const changes = diff(before, await derive());
    for (const [chapter, sentences] of Object.entries(expected)) {
      const told = changes.filter((change) => change.chapter === chapter).map(({ words }) => words);
      expect(told.sort()).toEqual(sentences.map((start) => expect.stringContaining(start)));
    }
    expect(changes.filter(({ words }) => words.includes('\n'))).toEqual([]);
  });

  it('does not report a function of a policy as newly called when only its schema becomes reachable for calls', () => {
    const chapters = (functions: object) => ({
      roles: {
        policies: [
          { entity: 'public.a', name: 'own', command: 'all', roles: [], using: 'shop.f()', sql: '', ...functions },
        ],
      },
    });
    const told = diffChapters(chapters({}), chapters({ functions: [{ id: 'shop.f()', body: 'select true' }] }));
    expect(told.map(({ words }) => words)).toEqual([
      'The policy own of a has changed: shop.f(), which it calls, is now described in chapter 7.',
    ]);
  });

  it('quotes a long changed line from the first difference between the two lines', () => {
    const page = (end: string) => `# App\n\n## 3 Entities\n\n### a\n\n- ${'long '.repeat(60)}${end}\n`;
    expect(diffMarkdown(page('one'), page('two')).map(({ words }) => words)).toEqual([
      'a: a line was …long long long long one, is now …long long long long two.',
    ]);
  });
});
