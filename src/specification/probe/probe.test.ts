import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProbedCell } from '../../../contract/probe.ts';
import type { RolesChapter, Verdict } from '../../../contract/specification-roles.ts';
import { makeMatrixSchemas, matrixRoles, matrixSchemas } from '../../../test/support/access-matrix/matrix-schemas.ts';
import { type AppDatabase, startAppDatabase } from '../../../test/support/app-database.ts';
import { type Facts, loadFacts } from '../../catalog/facts.ts';
import type { Pool } from '../../database/pool.ts';
import { rowsAsText } from '../../database/statement.ts';
import { rolesChapter } from '../derive/chapters/roles/roles.ts';
import { Entries } from '../derive/entries.ts';
import { probe } from './probe.ts';

let database: AppDatabase;
let login: Pool;
let owner: Pool;

beforeAll(async () => {
  database = await startAppDatabase('probe');
  login = database.as('app_authenticator');
  owner = database.as('app_owner');
  await database.pool.script(`${matrixRoles} grant supabase_auth_admin to app_owner;`);
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

async function read(exposedSchemas: readonly string[]): Promise<{ facts: Facts; chapter: RolesChapter }> {
  const facts = await loadFacts(login, { exposedSchemas, authenticator: 'app_authenticator' });
  return { facts, chapter: rolesChapter(new Entries(facts)) };
}

async function probed(exposedSchemas: readonly string[], change: (chapter: RolesChapter) => void = () => undefined) {
  const { facts, chapter } = await read(exposedSchemas);
  change(chapter);
  return probe(login, facts, chapter, { extraSearchPath: ['public', 'extensions'] });
}

/** Returns the content of all tables and sequences of a schema. */
async function everything(schema: string): Promise<string> {
  const [result] = await database.pool.run([
    {
      text: `select coalesce(string_agg(query_to_xml(format('select %s from %I.%I t order by 1', case c.relkind when 'S' then 'last_value, is_called' else 't::text' end,
        n.nspname, c.relname), true, true, '')::text, E'\\n' order by n.nspname, c.relname), '') as all
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'S') and (n.nspname = $1 or c.oid in ('auth.users'::regclass, 'ninefold.member_roles'::regclass))`,
      params: [schema],
    },
  ]);
  return (result && rowsAsText(result)[0]?.all) ?? '';
}

const shown = (cells: readonly ProbedCell[]): string =>
  cells
    .map((cell) => {
      const attempts = cell.attempts.map(
        (one) =>
          `    ${one.agrees ? ' ' : '!'} ${one.as}, ${one.row}: ${one.result}, claimed ${one.expected}; ${one.sql ?? ''} ${one.answer ?? ''}`,
      );
      return [
        `${cell.role} ${cell.operation} ${cell.entity}: ${cell.verdict}, ${cell.outcome} ${cell.note ?? ''}`,
        ...attempts,
      ].join('\n');
    })
    .join('\n');

describe('probe of an app that contains every case of the matrix', () => {
  let cells: ProbedCell[];

  beforeAll(async () => {
    await makeMatrixSchemas(database.pool);
    cells = await probed(matrixSchemas);
  }, 240_000);

  it('agrees with the claims of every cell', () => {
    expect(shown(cells.filter((cell) => cell.outcome === 'disagrees'))).toBe('');
  });

  it('tests nearly all cells and gives a reason for the others', () => {
    const left = cells.filter((cell) => cell.outcome === 'not probed');
    expect(left.filter((cell) => cell.note === null)).toEqual([]);
    // Ignores cells for which the time was too short, and cells whose rows a constraint refuses. Their results say
    // nothing about privileges.
    const unexplained = left.filter(({ note }) => !/too long|^a rule, no right/.test(note ?? ''));
    expect(unexplained.length / cells.length, shown(unexplained.slice(0, 50))).toBeLessThan(0.05);
  });

  it('tests refusals for missing privileges, whatever the names of the objects are', async () => {
    await database.pool.script(
      'create schema "odd (23502)" authorization app_owner; set role app_owner; create table "odd (23502)".t (id int)',
    );
    const found = await probed(['odd (23502)']);
    expect(new Set(found.map(({ role, outcome }) => (role === 'anon' ? outcome : '')))).toContain('agrees');
    expect(found.filter(({ note }) => note?.startsWith('a rule'))).toEqual([]);
  });

  it('reports a contradiction if the claim of a cell is inverted', async () => {
    const turned: Readonly<Record<Verdict, Verdict>> = { always: 'never', never: 'always', when: 'when' };
    const again = await probed(matrixSchemas, (chapter) => {
      for (const cell of chapter.cells) cell.verdict = turned[cell.verdict];
    });
    const wrong = again.filter((cell, i) => cell.verdict !== 'when' && cells[i]?.outcome === 'agrees');
    expect(wrong.length).toBeGreaterThan(1000);
    expect(shown(wrong.filter((cell) => cell.outcome === 'agrees'))).toBe('');
  }, 120_000);

  it('leaves the database unchanged', async () => {
    const [schema = ''] = matrixSchemas;
    const before = await everything(schema);
    await probed([schema]);
    expect(await everything(schema)).toBe(before);
  });
});

describe('probe of a separate app', () => {
  beforeAll(async () => {
    await owner.script(`
      create schema shop; grant usage on schema shop to anon, authenticated, service_role;
      alter default privileges in schema shop grant all on tables to anon, authenticated, service_role;
      select ninefold.define_role('desk', 'Answers tickets');
      create table shop.teams (id int generated always as identity primary key, name text not null check (length(name) > 2));
      create table shop.members (team int not null references shop.teams, who uuid not null references auth.users on delete cascade, primary key (team, who));
      create table shop.tickets (
        id bigint generated always as identity primary key, team int not null references shop.teams, owner uuid references auth.users,
        status text not null check (status in ('open', 'closed')), price numeric not null check (price > 0), email text not null check (email like '%@%'));
      alter table shop.members enable row level security; alter table shop.tickets enable row level security;
      create policy own on shop.members for select to authenticated using (who = (select auth.uid()));
      create policy own on shop.tickets to authenticated using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
      create policy team on shop.tickets for select to authenticated
        using (exists (select 1 from shop.members m where m.team = tickets.team and m.who = (select auth.uid())));
      create policy agents on shop.tickets for update to authenticated using ((select ninefold.has_role('desk')) and status = 'open');
      create policy agents_read on shop.tickets for select to authenticated using ((select ninefold.has_role('desk')));
      create policy agents_drop on shop.members for delete to authenticated using (ninefold.has_role('desk'));
      create sequence shop.runs; grant usage on sequence shop.runs to public; create table shop.log (id uuid primary key default gen_random_uuid(), what text);
      create function shop.note() returns trigger language plpgsql security definer set search_path = '' as
        $$ begin insert into shop.log (what) values (tg_op); perform pg_notify('shop', tg_op); return coalesce(new, old); end $$;
      create trigger noted after insert or update or delete on shop.tickets for each row execute function shop.note();
      create function shop.ran() returns int language plpgsql as $$ begin perform nextval('shop.runs'); return 1; end $$;
      create function shop.closed(a int) returns int language sql as 'select 1';
      revoke execute on function shop.closed from public, anon, authenticated, service_role;
      create table shop.guarded (id int primary key); insert into shop.guarded values (1);
      create function shop.away() returns trigger language plpgsql as $$ begin perform public.dblink_exec('x', 'delete from y'); return old; end $$;
      create table shop.named (id int primary key, away text default 'away'); insert into shop.named values (1);
      create trigger away before delete on shop.guarded for each row execute function shop.away();
      create table shop.parents (id int primary key); insert into shop.parents values (1);
      alter table shop.guarded add parent int references shop.parents on delete cascade;
      create function shop.stops() returns trigger language plpgsql as $$ begin raise exception 'not on Sundays'; end $$;
      create table shop.stopped (id int primary key); insert into shop.stopped values (1);
      create trigger stops before update on shop.stopped for each row execute function shop.stops();
      create schema late; grant usage on schema late to anon, authenticated, service_role;
      create function late.slowly() returns boolean language plpgsql as $$ begin perform pg_sleep(3); return true; end $$;
      create table late.slow (id int primary key); insert into late.slow values (1);
      grant all on late.slow to anon, authenticated, service_role;
      alter table late.slow enable row level security; create policy slowly on late.slow using (late.slowly());`);
  }, 60_000);

  const of = (cells: readonly ProbedCell[], entity: string, operation: string, role: string) =>
    cells.find((cell) => cell.entity === entity && cell.operation === operation && cell.role === role);

  it('creates rows in empty tables, gives members their roles, and leaves no change in the database', async () => {
    const before = await everything('shop');
    const cells = await probed(['shop']);
    expect(shown(cells.filter((cell) => cell.outcome === 'disagrees'))).toBe('');
    for (const operation of ['select', 'insert', 'update', 'delete']) {
      for (const role of ['anon', 'authenticated', 'desk', 'service_role']) {
        const cell = of(cells, 'shop.tickets', operation, role);
        expect(shown(cell ? [cell] : []), `${operation} ${role}`).toMatch(/, agrees/);
      }
    }
    const attempts = of(cells, 'shop.tickets', 'select', 'authenticated')?.attempts ?? [];
    expect(new Set(attempts.map((one) => one.result))).toEqual(new Set(['allowed', 'hidden']));
    const read = of(cells, 'shop.tickets', 'select', 'desk');
    expect(read?.verdict).toBe('always');
    expect(read?.attempts.length).toBeGreaterThan(0);
    expect(of(cells, 'shop.tickets', 'update', 'desk')?.attempts.some((one) => one.result === 'allowed')).toBe(true);
    expect(await everything('shop')).toBe(before);
  }, 60_000);

  it('creates rows that satisfy constraints, triggers and times, and names the conditions of a view', async () => {
    await owner.script(`
      create schema hall; grant usage on schema hall to anon, authenticated, service_role;
      create table hall.rooms (id bigint generated always as identity primary key, title text not null check (length(title) between 12 and 14));
      create table hall.hours (id bigint generated always as identity primary key, room bigint not null references hall.rooms,
        opens timestamptz not null, closes timestamptz not null, check (opens < closes));
      create table hall.visits (id bigint generated always as identity primary key, room bigint not null references hall.rooms,
        member uuid not null default auth.uid() references auth.users, opens timestamptz not null, closes timestamptz not null,
        locked text, note text, check (opens < closes));
      create function hall.fit() returns trigger language plpgsql as $$ begin
        if tg_op = 'UPDATE' and current_user <> 'postgres' then raise exception 'stays as it is'; end if;
        if new.closes - new.opens > interval '40 minutes' or not exists (
          select from hall.hours h where h.room = new.room and h.opens <= new.opens and h.closes >= new.closes) then
          raise exception 'does not fit';
        end if;
        return new; end $$;
      create trigger fit before insert or update of room, opens, closes, locked on hall.visits for each row execute function hall.fit();
      alter table hall.visits enable row level security;
      create policy own on hall.visits to authenticated using (member = (select auth.uid()));
      create view hall.mine with (security_invoker = true) as select v.id, v.member = (select auth.uid()) as own, r.title
        from hall.visits v join hall.rooms r on r.id = v.room union all select null, null, null where false;
      grant all on all tables in schema hall to anon, authenticated, service_role;`);
    const cells = (await probed(['hall'])).filter((cell) => /^(anon|authenticated|service_role)$/.test(cell.role));
    expect(
      shown(cells.filter((cell) => cell.outcome !== 'agrees' && cell !== of(cells, 'hall.mine', 'select', 'anon'))),
    ).toBe('');
    expect(of(cells, 'hall.mine', 'select', 'anon')?.note).toContain('every try was kept out');
    const changed = of(cells, 'hall.visits', 'update', 'authenticated')?.attempts ?? [];
    expect(changed.map((one) => one.result)).toContain('allowed');
    expect(of(cells, 'hall.mine', 'select', 'authenticated')?.note).toContain('some attempts were let through');
  }, 60_000);

  it('raises no alarm for views whose rows or columns differ between callers', async () => {
    await owner.script(`
      create schema views_of; grant usage on schema views_of to anon, authenticated, service_role;
      create table views_of.things (id int primary key, title text);
      insert into views_of.things select n, 'Thing ' || n from generate_series(1, 4) n;
      create view views_of.asked as select id, title, auth.uid() as asker, current_user as role from views_of.things;
      create view views_of.above as select id, asker from views_of.asked;
      create function views_of.is_even(int) returns boolean language sql stable as $$ select $1 % 2 = 0 or auth.uid() is null $$;
      create view views_of.some as select id from views_of.things where views_of.is_even(id);
      create view views_of.plain as select id, title from views_of.things;
      grant select on all tables in schema views_of to anon, authenticated, service_role;`);
    const cells = (await probed(['views_of'])).filter(({ operation }) => operation === 'select');
    expect(shown(cells.filter(({ outcome }) => outcome === 'disagrees'))).toBe('');
    expect(of(cells, 'views_of.plain', 'select', 'authenticated')?.outcome).toBe('agrees');
  }, 60_000);

  it('distinguishes an unreachable row from a row that a trigger skips, and sends the claims of real tokens', async () => {
    await owner.script(`
      create schema desk_notes; grant usage on schema desk_notes to anon, authenticated, service_role;
      create table desk_notes.notes (id bigint generated always as identity primary key,
        member uuid not null default auth.uid() references auth.users, open boolean not null default true);
      create table desk_notes.kept (id bigint generated by default as identity primary key);
      insert into desk_notes.kept default values;
      create view desk_notes.shown as select id from desk_notes.kept;
      create function desk_notes.stamp() returns trigger language plpgsql as 'begin return new; end';
      create function desk_notes.keep() returns trigger language plpgsql as 'begin return null; end';
      create function desk_notes.is_fresh() returns boolean language plpgsql stable as $$ begin
        if auth.role() = 'authenticated' and to_timestamp((auth.jwt() ->> 'exp')::int8) <= now() is not false then
          raise exception 'expired';
        end if;
        return true; end $$;
      create trigger stamp before update on desk_notes.notes for each row execute function desk_notes.stamp();
      create trigger keep before update on desk_notes.kept for each row execute function desk_notes.keep();
      alter table desk_notes.notes enable row level security;
      create policy own on desk_notes.notes to authenticated using (member = (select auth.uid()) and desk_notes.is_fresh());
      create policy "all read" on desk_notes.notes for select using (open);
      grant all on all tables in schema desk_notes to anon, authenticated, service_role;`);
    const cells = (await probed(['desk_notes'])).filter(({ role }) =>
      /^(anon|authenticated|service_role|desk)$/.test(role),
    );
    expect(shown(cells.filter(({ outcome, entity }) => outcome !== 'agrees' && !/kept|shown/.test(entity)))).toBe('');
    const never = of(cells, 'desk_notes.notes', 'update', 'anon');
    expect([never?.verdict, never?.outcome]).toEqual(['never', 'agrees']);
    expect(never?.attempts.map(({ result }) => result)).toContain('hidden');
    const own = of(cells, 'desk_notes.notes', 'update', 'authenticated')?.attempts ?? [];
    expect(new Set(own.map(({ result }) => result))).toEqual(new Set(['allowed', 'hidden']));
    for (const entity of ['desk_notes.kept', 'desk_notes.shown']) {
      expect(of(cells, entity, 'update', 'service_role')?.note).toContain('stopped by something other than rights');
    }
  }, 60_000);

  it('does not trigger effects that a rollback cannot undo', async () => {
    const cells = await probed(['shop']);
    expect(of(cells, 'shop.guarded', 'delete', 'service_role')).toMatchObject({
      outcome: 'not probed',
      note: expect.stringContaining(
        'a trigger of shop.guarded calls away(), which may do what a rollback does not take back',
      ),
    });
    expect(of(cells, 'shop.parents', 'delete', 'service_role')?.note).toContain('away()');
    for (const operation of ['update', 'insert'])
      expect(
        of(cells, operation === 'insert' ? 'shop.named' : 'shop.guarded', operation, 'service_role')?.outcome,
      ).toBe('agrees');
  }, 60_000);

  it('checks the privilege to execute a function without running its body', async () => {
    const cells = await probed(['shop']);
    const calls = cells.filter((cell) => cell.operation === 'execute');
    expect(shown(calls.filter((cell) => cell.outcome !== 'agrees'))).toBe('');
    expect(of(cells, 'shop.closed(integer)', 'execute', 'anon')?.attempts).toMatchObject([{ result: 'refused' }]);
    const [sequence] = await database.pool.run([{ text: 'select is_called from shop.runs', params: [] }]);
    expect(sequence?.rows[0]?.[0]?.toString()).toBe('f');
  }, 60_000);

  it('probes computed fields without a row, and strict functions whose arguments cannot be evaluated early', async () => {
    await database.pool.script(`create schema shelf authorization app_owner; grant usage on schema shelf to public;
      set search_path = shelf, extensions; set role app_owner;
      create table books (id int primary key, name text, price int); create table pages (id int primary key, book int);
      grant select on books, pages to anon, service_role; grant select (id, name) on books to authenticated;
      create function label(books) returns text language sql stable strict as $$ select $1.name $$;
      create function priced(book books) returns int language sql stable as $$ select book.price $$;
      create function leaves(books) returns setof pages language sql stable as $$ select * from shelf.pages where book = $1.id $$;
      create function twice(n int) returns int language sql strict as $$ select 2 * n $$;
      create function switched() returns int language sql security definer set role = 'service_role' as $$ select 1 $$;
      revoke execute on function label(books), leaves(books), twice(int) from public, anon; grant execute on function label(books) to service_role`);
    const cells = (await probed(['shelf'])).filter((cell) => cell.operation === 'execute');
    const of = (name: string) =>
      ['anon', 'authenticated', 'service_role'].map((role) => {
        const cell = cells.find((one) => one.role === role && one.entity.startsWith(`shelf.${name}(`));
        return `${cell?.verdict} ${cell?.outcome}`;
      });
    expect(of('label')).toEqual(['never agrees', 'never agrees', 'always agrees']);
    expect(of('priced')).toEqual(['always agrees', 'when agrees', 'always agrees']);
    expect(of('leaves')).toEqual(['never agrees', 'never agrees', 'never agrees']);
    expect(of('twice')).toEqual(['never agrees', 'never agrees', 'never agrees']);
    // PostgreSQL refuses the setting of the function only when the function runs. The probe does not run functions, so
    // it cannot test this.
    expect(of('switched')).toEqual(['never not probed', 'never not probed', 'never not probed']);
  });

  it('finds rows in tables without a key, also if the role may not use the types of the fields', async () => {
    await owner.script(`
      create schema apart; create schema keyless; grant usage on schema keyless to anon, authenticated, service_role;
      alter default privileges in schema keyless grant all on tables to anon, authenticated, service_role;
      create function apart.fits(text) returns boolean language plpgsql as 'begin return true; end';
      revoke execute on function apart.fits from public; grant execute on function apart.fits to service_role;
      grant usage on schema apart to service_role;
      create type apart.mood as enum ('calm'); create domain apart.code as text check (apart.fits(value));
      create type apart.parcel as (weight int, code apart.code);
      create table keyless.moods (note text, mood apart.mood);
      create table keyless.coded (note text, code apart.code);
      create table keyless.code_first (code apart.code, note text);
      create table keyless.many (note text, codes apart.code[]);
      create table keyless.parcels (note text, parcel apart.parcel);
      create table keyless.written (note text, doc json, place point);
      create view keyless.seen as select m.note, m.mood from keyless.moods m;
      insert into keyless.moods values ('a', 'calm'), ('b', null);
      insert into keyless.coded values ('a', 'x'), ('b', 'y'); insert into keyless.code_first values ('x', 'a'), ('y', 'b');
      insert into keyless.many values ('a', '{x}'), ('b', '{y}');
      insert into keyless.parcels values ('a', (1, 'x')), ('b', null);
      insert into keyless.written select n || repeat('long', 2000), '{"a": 1}', '(1,2)' from generate_series(1, 9) n;
      create table keyless.own (owner uuid, code apart.code);
      alter table keyless.own enable row level security;
      create policy own on keyless.own using (code <> 'z' or owner = auth.uid());
      insert into keyless.own values (null, 'x'), (null, 'z')`);
    const cells = await probed(['keyless']);
    const wrong = cells.filter(({ outcome }) => outcome === 'disagrees');
    expect(shown(wrong)).toBe('');
    const reached = cells.filter(
      ({ role, operation, attempts }) =>
        role === 'anon' && operation === 'delete' && attempts.filter(({ result }) => result === 'allowed').length >= 1,
    );
    expect(reached.map(({ entity }) => entity)).toEqual([
      'keyless.code_first',
      'keyless.coded',
      'keyless.many',
      'keyless.moods',
      'keyless.own',
      'keyless.parcels',
      'keyless.seen',
      'keyless.written',
    ]);
  });

  it('agrees with a claim of refusal if a publication makes PostgreSQL refuse the write', async () => {
    await owner.script(`
      create schema published; grant usage on schema published to anon;
      create table published.filtered (id int primary key, note text);
      create table published.without (note text);
      grant all on published.filtered, published.without to anon;
      insert into published.filtered values (1, 'a'); insert into published.without values ('a');
      create publication filtered for table published.filtered where (note <> '');
      create publication whole for table published.without;`);
    const cells = await probed(['published']);
    const writes = cells.filter(({ role, operation }) => role === 'anon' && /update|delete/.test(operation));
    expect(writes.map(({ entity, verdict, outcome }) => [entity, verdict, outcome])).toEqual([
      ['published.filtered', 'never', 'agrees'],
      ['published.filtered', 'never', 'agrees'],
      ['published.without', 'never', 'agrees'],
      ['published.without', 'never', 'agrees'],
    ]);
  });

  it('reports the cause of stopped attempts and of attempts that took too long', async () => {
    const cells = await probed(['shop']);
    expect(of(cells, 'shop.stopped', 'update', 'service_role')).toMatchObject({
      outcome: 'not probed',
      note: expect.stringContaining('not on Sundays'),
    });
    expect(of(await probed(['late']), 'late.slow', 'select', 'authenticated')).toMatchObject({
      outcome: 'not probed',
      note: expect.stringContaining('57014'),
    });
  }, 60_000);

  it('does not wait for calls and does not delay calls', async () => {
    const holder = database.as('app_owner');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = () => {};
    const holding = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    const call = holder.transaction(async (tx) => {
      await tx.run([{ text: 'select id from shop.parents for update', params: [] }]);
      isHeld();
      await held;
    });
    await holding;
    const cells = await probed(['shop']);
    release();
    await call;
    expect(of(cells, 'shop.parents', 'update', 'service_role')?.note).toContain('55P03');
  }, 60_000);

  it('probes an entity again at the end of the run if the first attempt took too long', async () => {
    const { facts, chapter } = await read(['shop']);
    let isLocked = () => {};
    const locked = new Promise<void>((resolve) => {
      isLocked = resolve;
    });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holding = database.as('app_owner').transaction(async (tx) => {
      await tx.run([{ text: 'lock table shop.tickets', params: [] }]);
      isLocked();
      await released;
    });
    await locked;
    let steps = 0;
    const cells = await probe(login, facts, chapter, {
      extraSearchPath: ['public', 'extensions'],
      onProgress: (_done, all) => {
        steps ||= all;
        if (all > steps) release();
      },
    });
    await holding;
    expect(of(cells, 'shop.tickets', 'select', 'service_role')?.outcome).toBe('agrees');
  }, 60_000);
});
