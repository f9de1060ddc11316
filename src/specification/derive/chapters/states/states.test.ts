import { describe, expect, it } from 'vitest';
import type { Machine } from '../../../../../contract/states.ts';
import { chaptersApp } from '../../../../../test/support/chapters-app.ts';

const { owner, derive } = chaptersApp('states');

const machineOf = async (): Promise<Machine> => {
  const [machine] = (await derive()).states?.machines ?? [];
  if (!machine) throw new Error('there is no machine');
  return machine;
};

describe('statesChapter', () => {
  it('describes who may take a transition, and under which condition, as the policies allow', async () => {
    await owner.script(`
      create type public.bed_state as enum ('sown', 'grown', 'sold', 'lost');
      create table public.beds (id int primary key, state public.bed_state not null default 'sown', gardener uuid, kind text);
      alter table public.beds enable row level security;
      create policy seen on public.beds for select to authenticated using (state <> 'lost' and gardener = auth.uid());
      create policy sown on public.beds for update to authenticated using (gardener = auth.uid() and (state = 'sown' or kind = 'tree'))
        with check (gardener = auth.uid() and (state <> 'sold' or ninefold.has_role('agent')));
      grant all on public.beds to anon, authenticated, service_role;
      select ninefold.define_machine('public.beds', 'state', 'sown', '[{"name": "grow", "from": "sown", "to": "grown"},
        {"name": "sell", "from": ["sown", "grown"], "to": "sold"}, {"name": "lose", "from": "any", "to": "lost"},
        {"name": "return", "from": "sold", "to": "sown", "roles": "service_role"}]')`);
    const machine = (await derive()).states?.machines.find(({ entity }) => entity === 'public.beds');
    const words = machine?.transitions.map((one) => one.words);
    expect(words).toEqual([
      'grow: authenticated (when own row (by gardener)) may take a row from sown to grown',
      `sell: authenticated (when own row (by gardener) and (state is 'sown' or kind is 'tree'); new row: the member has role agent) or agent (when own row (by gardener) and (state is 'sown' or kind is 'tree')) may take a row from sown or grown to sold`,
      expect.stringMatching(
        /^lose: no member may take a row from any state to lost \(the policies for SELECT refuse a row in the state lost: /,
      ),
      'return: service_role may take a row from sold to sown',
    ]);
    expect(machine?.transitions[0]?.access).toEqual([
      { role: 'anon', verdict: 'never', words: expect.stringContaining('no policy') },
      { role: 'authenticated', verdict: 'when', words: 'own row (by gardener)' },
      { role: 'agent', verdict: 'when', words: 'own row (by gardener)' },
      { role: 'service_role', verdict: 'always', words: '' },
    ]);
  });

  it('describes a state machine from its triggers and functions in the database', async () => {
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
        access: [
          { role: 'anon', verdict: 'never', words: 'no UPDATE privilege' },
          { role: 'authenticated', verdict: 'always', words: '' },
          { role: 'agent', verdict: 'always', words: '' },
          { role: 'service_role', verdict: 'always', words: '' },
        ],
        words: 'hold: authenticated may take a row from open to held',
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
        access: [{ role: 'agent', verdict: 'always', words: '' }],
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

  it('reports a default that differs from the initial state, because a new row with it is refused', async () => {
    const problems = async () =>
      (await derive()).states?.machines[0]?.problems.filter((one) => one.includes('default'));
    expect(await problems()).toEqual([]);
    await owner.script(`alter table public.tickets alter column status set default 'held'`);
    expect(await problems()).toEqual(['a new row that leaves status out is refused: its default is held, not open']);
    await owner.script('alter table public.tickets alter column status drop default');
    expect(await problems()).toEqual([]);
  });

  it('lists the states of a check or a domain that no transition reaches', async () => {
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
  ])('recognises the triggers of a machine whose table has a key and a state of the type %s', async (type) => {
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
      `create or replace trigger ${trigger('check')} after update on public.tickets for each row when (old.status is distinct from new.status and false) execute function ninefold.check_state_change('status')`,
      `create or replace trigger ${trigger('check')} after update on public.tickets for each row when (old.status is distinct from new.status) execute function ninefold.check_state_change('status');
        alter table public.tickets enable always trigger ${trigger('check')}`,
      'not enforced in full: what a transition requires may be left out, and what other triggers make of the state is not judged, as the trigger after update was replaced by one that runs under other conditions',
      false,
    ],
    [
      'a check is for some columns only',
      `create or replace trigger ${trigger('check')} after update of title on public.tickets for each row when (old.status is distinct from new.status) execute function ninefold.check_state_change('status')`,
      `create or replace trigger ${trigger('check')} after update on public.tickets for each row when (old.status is distinct from new.status) execute function ninefold.check_state_change('status');
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
      'state changes are no longer recorded',
      `alter table public.tickets disable trigger ${trigger('record')}`,
      `alter table public.tickets enable always trigger ${trigger('record')}`,
      'state changes are not recorded, as the trigger after update is switched off',
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
  ])('shows in the machine when %s, until the change is undone', async (_, change, undo, problem, enforced) => {
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

  it('follows changes of columns, tables and transitions', async () => {
    await owner.script(
      'alter table public.tickets rename assignee to worker; alter table public.tickets rename to requests',
    );
    const machine = await machineOf();
    expect(machine.id).toBe('public.requests.status');
    expect(machine.transitions[1]?.when?.sql).toContain('worker = auth.uid()');
    await owner.script(`update ninefold.transitions set roles = null where name = 'close'`);
    expect((await machineOf()).transitions[1]?.roles).toBeNull();
  });

  it('writes the machine into the Markdown', async () => {
    const { markdown } = await derive();
    expect(markdown).toContain('### tickets: status\n\nEnforced on every write. Initial state: open.');
    expect(markdown).toContain('| hold | open | held | who may change the row |');
    expect(markdown).toContain('- Warning: no transition reaches the state lost.');
  });
});

it('chapter 3 leaves out the triggers of machines, because chapter 4 describes their effects', async () => {
  await owner.script(`
    create function public.look() returns trigger language plpgsql as 'begin return new; end';
    create trigger zz_ninefold_look before update on public.tickets for each row execute function public.look();
    select ninefold.define_machine('public.tickets', 'status', 'open', $$[
      {"name": "close", "from": "any", "to": "closed", "sets": {"closed_at": "now()", "assignee": null}},
      {"name": "reopen", "from": "closed", "to": "open", "sets": {"closed_at": null}}]$$)`);
  const { markdown } = await derive();
  const [entities] = markdown.split('## 4 States');
  expect(entities?.match(/Trigger `[^`]*`/g)).toEqual([expect.stringContaining('zz_ninefold_look')]);
  expect(markdown).toContain('sets `closed_at = now()`; empties `assignee`');
  expect(markdown).toContain('| reopen | closed | open | who may change the row | empties `closed_at` |');
});
