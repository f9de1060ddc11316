import { beforeAll, describe, expect, it } from 'vitest';
import { scriptIn } from '../../test/support/app-database.ts';
import {
  ada,
  agent,
  become,
  bob,
  type Caller,
  calls,
  customer,
  owner,
  serviceKey,
  useTicketsWithStates,
} from '../../test/support/tickets-with-states.ts';
import { rolledBack, SavepointRunner } from '../access/rolled-back.ts';
import { DatabaseError } from '../database/database-error.ts';
import { rowsAsText } from '../database/statement.ts';

useTicketsWithStates();

/** Tables whose policies, privileges and triggers limit who may take a transition. Each row has an id and a state. */
const designs = `
  drop schema if exists designs cascade;
  create schema designs;
  grant usage on schema designs to anon, authenticated, service_role;
  set search_path = designs, public;

  -- WITH CHECK limits the new state.
  create table beds (id int primary key, state text not null default 'sown', gardener uuid);
  alter table beds enable row level security;
  create policy gardeners on beds using (gardener = auth.uid() or ninefold.has_role('agent'))
    with check (state <> 'sold' or ninefold.has_role('agent'));

  -- Several policies for several commands, one of them restrictive. The policy for SELECT refuses an archived row.
  create table loans (id int primary key, state text not null default 'lent', reader uuid, is_locked boolean not null default false);
  alter table loans enable row level security;
  create policy shown on loans for select using (state <> 'archived');
  create policy readers on loans for update to authenticated using (reader = auth.uid()) with check (true);
  create policy staff on loans for update using (ninefold.has_role('agent'));
  create policy unlocked on loans as restrictive for update using (not is_locked or ninefold.has_role('agent'));

  -- A function without a search path of its own, and a subquery that sees only what the caller may read.
  create table crews (stage int, member uuid);
  alter table crews enable row level security;
  create policy own_crews on crews for select using (member = auth.uid());
  create function is_crew(stage int) returns boolean language plpgsql stable as
    $$ begin return exists (select from crews c where c.stage = is_crew.stage); end $$;
  create table stages (id int primary key, state text not null default 'dark');
  alter table stages enable row level security;
  create policy everybody on stages for select using (true);
  create policy crews on stages for update using (is_crew(id))
    with check (state <> 'open' or exists (select from crews c where c.stage = stages.id and c.stage > 1));

  -- A transition sets the field that WITH CHECK compares, another transition does not.
  create table permits (id int primary key, state text not null default 'filed', signer uuid);
  alter table permits enable row level security;
  create policy everybody on permits using (true) with check (signer = auth.uid());

  -- A trigger of the app sets the field that WITH CHECK compares.
  create table kennels (id int primary key, state text not null default 'free', changed_by uuid);
  create function stamp_kennel() returns trigger language plpgsql as $$ begin new.changed_by := auth.uid(); return new; end $$;
  create trigger stamp before update on kennels for each row execute function stamp_kennel();
  alter table kennels enable row level security;
  create policy everybody on kennels to authenticated using (state <> 'gone') with check (changed_by = auth.uid());

  -- A generated field, the row as a whole, names that need quotes, and no policy for UPDATE.
  create table "Odd ""files" (id int primary key, state text not null default 'new', is_done boolean generated always as (state = 'done') stored);
  create function is_even("Odd ""files") returns boolean language sql stable as 'select $1.id % 2 = 0 or $1.state = ''new''';
  alter table "Odd ""files" enable row level security;
  create policy "all of ""them" on "Odd ""files" using (is_even("Odd ""files")) with check (not is_done or ninefold.has_role('agent'));
  create table read_only (id int primary key, state text not null default 'new');
  alter table read_only enable row level security;
  create policy everybody on read_only for select using (true);

  -- A privilege on some fields only, and a required field that WITH CHECK compares.
  create table notices (id int primary key, state text not null default 'draft', text text, grade int not null default 0);
  create table drafts (id int primary key, state text not null default 'draft', text text);
  alter table drafts enable row level security;
  create policy everybody on drafts using (true) with check (state = 'draft' or text = 'x');
  -- A policy that fails for some rows.
  create table ratios (id int primary key, state text not null default 'new');
  alter table ratios enable row level security;
  create policy everybody on ratios for select using (true);
  create policy halves on ratios for update using (10 / (id - 2) <> 0);

  grant all on all tables in schema designs to anon, authenticated, service_role;
  revoke update on notices from anon, authenticated;
  grant update (state, grade) on notices to authenticated;

  select ninefold.define_machine('beds', 'state', 'sown', '[{"name": "sell", "from": "any", "to": "sold"}, {"name": "grow", "from": "sown", "to": "grown"}]');
  select ninefold.define_machine('loans', 'state', 'lent', '[{"name": "give", "from": "lent", "to": "back"}, {"name": "archive", "from": "any", "to": "archived"}]');
  select ninefold.define_machine('stages', 'state', 'dark', '[{"name": "lit", "from": "dark", "to": "lit"}, {"name": "open", "from": "any", "to": "open"}]');
  select ninefold.define_machine('permits', 'state', 'filed', '[{"name": "sign", "from": "filed", "to": "signed", "sets": {"signer": "auth.uid()"}}, {"name": "drop", "from": "filed", "to": "dropped"}]');
  select ninefold.define_machine('kennels', 'state', 'free', '[{"name": "take", "from": "free", "to": "taken"}, {"name": "lose", "from": "taken", "to": "gone"}]');
  select ninefold.define_machine('"Odd ""files"', 'state', 'new', '[{"name": "do", "from": "new", "to": "done"}, {"name": "start", "from": "new", "to": "begun"}]');
  select ninefold.define_machine('read_only', 'state', 'new', '[{"name": "do", "from": "new", "to": "done"}]');
  select ninefold.define_machine('notices', 'state', 'draft', '[{"name": "show", "from": "draft", "to": "shown", "requires": "text"}, {"name": "drop", "from": "draft", "to": "dropped", "requires": "grade"}]');
  select ninefold.define_machine('drafts', 'state', 'draft', '[{"name": "show", "from": "draft", "to": "shown", "requires": "text"}]');
  select ninefold.define_machine('ratios', 'state', 'new', '[{"name": "do", "from": "new", "to": "done"}]');

  insert into beds values (1, 'sown', '${bob}'), (2, 'grown', '${bob}'), (3, 'sown', '${ada}');
  insert into loans values (1, 'lent', '${bob}', false), (2, 'lent', '${bob}', true), (3, 'lent', '${ada}', false);
  insert into stages values (1), (2), (3);
  insert into crews values (1, '${bob}'), (2, '${bob}'), (2, '${ada}');
  insert into permits values (1, 'filed', null), (2, 'filed', '${bob}');
  insert into kennels values (1), (2);
  update kennels set state = 'taken' where id = 2;
  insert into "Odd ""files" values (1), (2);
  insert into read_only values (1);
  insert into notices values (1, 'draft', null), (2, 'draft', 'x');
  insert into drafts values (1, 'draft', null), (2, 'draft', 'y'), (3, 'draft', 'x');
  insert into ratios values (1), (2);`;

/** The states to which the machine of each table leads. In tables with a field `text`, the state `shown` requires it. */
const tables: Record<string, readonly string[]> = {
  beds: ['sold', 'grown'],
  loans: ['back', 'archived'],
  stages: ['lit', 'open'],
  permits: ['signed', 'dropped'],
  kennels: ['taken', 'gone'],
  '"Odd ""files"': ['done', 'begun'],
  read_only: ['done'],
  notices: ['shown', 'dropped'],
  drafts: ['shown'],
  ratios: ['done'],
};

const callers: Record<string, Caller> = {
  agent,
  customer,
  anon: { role: 'anon', claims: { role: 'anon' } },
  serviceKey,
};

const path = { text: `select set_config('search_path', 'designs, public', true)`, params: [] };
const readOnly = { text: 'set transaction read only', params: [] };

interface Row {
  id: string;
  state: string;
  values: Record<string, unknown>;
  /** The states to which the offered transitions lead. */
  offered: string[];
}

/** Reads the rows that the caller sees, with their transitions, in a read-only transaction. */
async function rowsOf(caller: Caller, table: string): Promise<Row[]> {
  const text = `select t.id, t.state, to_jsonb(t) as values, t.transitions from designs.${table} t order by id`;
  const results = await calls.run([readOnly, become(caller), path, { text, params: [] }]).catch((error: unknown) => {
    if (error instanceof DatabaseError && error.sqlstate === '42501') return [];
    throw error;
  });
  const last = results.at(-1);
  return (last ? rowsAsText(last) : []).map(({ id, state, values, transitions }) => ({
    id: id ?? '',
    state: state ?? '',
    values: JSON.parse(values ?? '{}'),
    offered: (JSON.parse(transitions ?? '[]') as { to: string }[]).map(({ to }) => to).sort(),
  }));
}

/** Tries an update of the state together with the fields that have no value yet, and rolls it back. */
async function isAccepted(caller: Caller, table: string, { id, values }: Row, to: string): Promise<boolean> {
  const text = `update designs.${table} set state = '${to}'${to === 'shown' && values.text === null ? ", text = 'x'" : ''} where id = ${id} returning id`;
  const results = await rolledBack(calls, (tx) =>
    new SavepointRunner(tx, null).tryAndRollBack([become(caller), path, { text, params: [] }]),
  );
  const last = results instanceof DatabaseError ? undefined : results.at(-1);
  return last !== undefined && rowsAsText(last).length > 0;
}

describe('open_transitions', () => {
  beforeAll(() => scriptIn(owner, designs));

  it('offers exactly the transitions that PostgreSQL accepts, in tables with policies, privileges and triggers of many kinds', async () => {
    const differences: unknown[] = [];
    for (const [table, states] of Object.entries(tables)) {
      let refused = 0;
      for (const [name, caller] of Object.entries(callers)) {
        for (const row of await rowsOf(caller, table)) {
          const accepted: string[] = [];
          for (const to of states)
            if (to !== row.state && (await isAccepted(caller, table, row, to))) accepted.push(to);
          refused += states.length - accepted.length;
          if (row.offered.join() !== accepted.sort().join()) differences.push({ table, name, row, accepted });
        }
      }
      expect([table, refused]).not.toEqual([table, 0]);
    }
    expect(differences).toEqual([]);
  });
});
