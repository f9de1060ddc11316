import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultAuthSettings } from '../../../contract/settings-auth.ts';
import type { RoleCell } from '../../../contract/specification-roles.ts';
import { type AppDatabase, startAppDatabase } from '../../../test/support/app-database.ts';
import { catalogFingerprint } from '../../catalog/catalog-fingerprint.ts';
import {
  type ParsedFacts,
  parseChangedFacts,
  parseFacts,
  type RawFacts,
  readChangedFacts,
  readFacts,
} from '../../catalog/facts.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Pool } from '../../database/pool.ts';
import { cellsOfCaller } from './chapters/roles/roles.ts';
import { contentHash, stableContent } from './content-hash.ts';
import type { Entries } from './entries.ts';
import { type Derivation, deriveChanged, deriveSpecification } from './specification.ts';

const app = { ref: 'changing', name: 'Changing', authSettings: defaultAuthSettings };

let database: AppDatabase;
let owner: Pool;

beforeAll(async () => {
  database = await startAppDatabase('entries');
  owner = database.as('app_owner');
  await owner.script(initial);
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

const initial = `
  drop schema if exists public cascade; create schema public; create schema side;
  grant usage on schema public, side to anon, authenticated, service_role;
  create type public.e0 as enum ('a', 'b');
  create domain public.d0 as text check (length(value) < 50);
  create type public.r0 as (street text, kind public.e0);
  create table public.t0 (id int primary key, owner uuid, c0 text not null check (c0 <> ''), c1 public.e0 default 'a');
  create table public.t1 (id int primary key, owner uuid, c0 public.d0, t0 int references public.t0, c1 public.r0[]);
  create table side.t2 (id int primary key, owner uuid, c0 text, t1 int references public.t1 on delete cascade);
  create table public.t3 (id int, c0 text, owner uuid, primary key (id, c0)) partition by list (c0);
  create view public.v0 with (security_invoker) as select id, c0, owner from public.t0;
  create function public.f0(a int) returns text language plpgsql stable as $$ begin return (select c0 from public.t0 where id = a); end $$;
  grant all on all tables in schema public, side to anon, authenticated, service_role;`;

/** Returns random changes of a schema as SQL. Some of them fail, because an object is missing or already exists. */
const change = (() => {
  const table = fc.constantFrom('public.t0', 'public.t1', 'side.t2', 'public.t3', 'public.t4', 'public.t5');
  const field = fc.constantFrom('id', 'owner', 'c0', 'c1', 'c2', 't0');
  const type = fc.constantFrom('text', 'int', 'public.e0', 'public.d0', 'public.r0', 'public.d0[]', 'numeric(8, 2)');
  const role = fc.constantFrom('anon', 'authenticated', 'public');
  const operation = fc.constantFrom('select', 'insert', 'update', 'delete', 'all');
  const condition = fc.constantFrom(
    'owner = auth.uid()',
    'true',
    'exists (select from public.t0 x where x.owner = auth.uid())',
    'id in (select t0 from public.t1)',
    `public.f0(id) = 'x'`,
    // Reads a table whose policies may read this table, directly or through a view.
    'exists (select from public.t1 x where x.t0 = 1)',
    'exists (select from public.v1)',
  );
  const number = fc.nat({ max: 2 });
  return fc.oneof(
    fc
      .tuple(table)
      .map(([t]) => `create table ${t} (id int primary key, owner uuid, c0 text, t0 int references public.t0)`),
    fc.tuple(table).map(([t]) => `drop table ${t} cascade`),
    fc.tuple(table, field, type).map(([t, f, y]) => `alter table ${t} add column ${f} ${y}`),
    fc.tuple(table, field).map(([t, f]) => `alter table ${t} drop column ${f} cascade`),
    fc.tuple(table, field, field).map(([t, f, g]) => `alter table ${t} rename column ${f} to ${g}`),
    fc.tuple(table, field).map(([t, f]) => `alter table ${t} alter column ${f} set not null`),
    fc.tuple(table, field).map(([t, f]) => `alter table ${t} alter column ${f} set default null`),
    fc.tuple(table, number).map(([t, n]) => `alter table ${t} rename to t${n + 3}`),
    fc.tuple(table).map(([t]) => `alter table ${t} set schema side`),
    fc.tuple(table, number).map(([t, n]) => `alter table ${t} add constraint k${n} check (id > ${n})`),
    fc.tuple(table, field, number).map(([t, f, n]) => `alter table ${t} add constraint k${n} unique (${f})`),
    fc
      .tuple(table, table, number)
      .map(([t, u, n]) => `alter table ${t} add constraint r${n} foreign key (id) references ${u} (id)`),
    fc.tuple(table, number).map(([t, n]) => `alter table ${t} drop constraint k${n} cascade`),
    fc
      .tuple(table, field, number)
      .map(([t, f, n]) => `create unique index i${n} on ${t} (lower(${f}::text)) where id > ${n}`),
    fc.tuple(number).map(([n]) => `drop index public.i${n}`),
    fc.tuple(table, number).map(([t, n]) => `comment on table ${t} is 'Comment ${n}'`),
    fc.tuple(table, field, number).map(([t, f, n]) => `comment on column ${t}.${f} is 'Field ${n}'`),
    fc.tuple(table, number).map(([t, n]) => `comment on constraint k${n} on ${t} is 'Rule ${n}'`),
    fc.tuple(number).map(([n]) => `comment on function public.f0 is 'Function ${n}'`),
    fc.tuple(number).map(([n]) => `comment on type public.e0 is 'Type ${n}'`),
    fc.tuple(table).map(([t]) => `alter table ${t} enable row level security`),
    fc.tuple(table).map(([t]) => `alter table ${t} disable row level security`),
    fc
      .tuple(table, number, operation, role, condition)
      .map(
        ([t, n, o, r, c]) =>
          `create policy p${n} on ${t} for ${o} to ${r} ${o === 'insert' ? 'with check' : 'using'} (${c})`,
      ),
    fc.tuple(table, number, role).map(([t, n, r]) => `alter policy p${n} on ${t} to ${r}`),
    fc.tuple(table, number).map(([t, n]) => `drop policy p${n} on ${t}`),
    fc.tuple(operation, table, role).map(([o, t, r]) => `grant ${o} on ${t} to ${r}`),
    fc.tuple(operation, table, role).map(([o, t, r]) => `revoke ${o} on ${t} from ${r}`),
    fc.tuple(field, table, role).map(([f, t, r]) => `grant select (${f}), update (${f}) on ${t} to ${r}`),
    fc.tuple(table, number).map(([t, n]) => `create view public.v${n} as select * from ${t}`),
    fc.tuple(number, number).map(([n, m]) => `create view public.v${n} as select id, owner from public.v${m}`),
    fc.tuple(number).map(([n]) => `drop view public.v${n} cascade`),
    fc.tuple(number, table).map(
      ([n, t]) => `create or replace function public.f${n}(a int) returns text language plpgsql as $$
      begin if a > ${n} then raise exception 'Too large' using errcode = 'P000${n}'; end if; delete from ${t}; return 'x'; end $$`,
    ),
    fc.tuple(number).map(([n]) => `drop function public.f${n}(int) cascade`),
    fc.tuple(number).map(([n]) => `revoke execute on function public.f${n}(int) from public`),
    fc.tuple(number).map(([n]) => `alter function public.f${n}(int) security definer set search_path = ''`),
    fc.tuple(number, table).map(
      ([n, t]) => `create function public.g${n}() returns trigger language plpgsql as 'begin return new; end';
      create trigger w${n} before insert or update on ${t} for each row execute function public.g${n}()`,
    ),
    fc.tuple(number, table).map(([n, t]) => `alter table ${t} disable trigger w${n}`),
    fc.tuple(number).map(([n]) => `alter type public.e0 add value 'value ${n}'`),
    fc.tuple(number).map(([n]) => `alter domain public.d0 add constraint k${n} check (value <> '${n}')`),
    fc.tuple(number).map(([n]) => `alter type public.r0 add attribute a${n} int cascade`),
    fc.tuple(number).map(([n]) => `create table public.t3_${n} partition of public.t3 for values in ('${n}')`),
    fc.tuple(number).map(([n]) => `alter table public.t3_${n} add constraint k${n} check (id <> ${n})`),
    fc.tuple(number, table).map(([n, t]) => `create table public.h${n} (extra text) inherits (${t})`),
    fc
      .tuple(field, role)
      .map(([f, r]) => `alter default privileges in schema public grant select on tables to ${r}; select '${f}'`),
    fc.tuple(number).map(([n]) => `select ninefold.define_role('role ${n}', 'Role ${n}')`),
    fc.tuple(table, number).map(([t, n]) => `select ninefold.label('en', 'Label ${n}', entity => '${t}')`),
    fc.tuple(table, number).map(([t, n]) => `select ninefold.define_screen('/s${n}', 'Screen ${n}', 'list', '${t}')`),
    fc.tuple(role).map(([r]) => `grant usage on schema side to ${r}`),
    fc.tuple(table, number).map(([t, n]) => `alter table ${t} add column n${n} int generated by default as identity`),
    fc.tuple(operation, role).map(([, r]) => `revoke usage on all sequences in schema public from ${r}`),
  );
})();

const optionsOf = (exposedSchemas: readonly string[]) => ({ exposedSchemas, authenticator: 'app_authenticator' });
const read = (exposedSchemas: readonly string[]): Promise<RawFacts> =>
  readFacts(database.as('app_authenticator'), optionsOf(exposedSchemas));

const callers = [
  { role: 'anon', memberRoles: [] },
  { role: 'authenticated', memberRoles: [] },
  { role: 'authenticated', memberRoles: ['role 1', 'role 2'] },
];
const actions = new Set(['public.f0', 'public.f1']);
/** Number of changes. Each takes half a second of processor time. */
const CHANGES = 50;

describe('deriveChanged', () => {
  it('returns after each of many random schema changes the same bytes as a new derivation', async () => {
    let parsed: ParsedFacts | null = null;
    let earlier: Entries | null = null;
    let changes = 0;
    let partial = 0;
    const server = database.as('app_authenticator');
    let before = await catalogFingerprint(server);
    for (const [i, sql] of fc.sample(change, { seed: 20, numRuns: 400 }).entries()) {
      if (changes === CHANGES) break;
      const isDone = await owner.script(sql).then(
        () => true,
        (error: unknown) => {
          if (error instanceof DatabaseError) return false;
          throw error;
        },
      );
      if (!isDone) continue;
      changes++;
      const schemas = i % 10 === 0 ? ['side', 'public'] : ['public', 'side'];
      const raw = await read(schemas);
      const after = await catalogFingerprint(server);
      const changed = parsed && (await readChangedFacts(server, optionsOf(schemas), { before, after }));
      if (changed) partial++;
      before = after;
      parsed = parseChangedFacts(changed ?? raw, parsed);
      const warm: Derivation = deriveChanged(parsed.facts, app, earlier);
      earlier = warm.entries;
      const { specification: cold, entries } = deriveChanged(parseFacts(raw), app, null);
      expect(Buffer.concat(warm.entries.writer.json(warm.specification)).toString(), sql).toBe(JSON.stringify(cold));
      expect(cold.hash).toBe(contentHash([JSON.stringify(stableContent(cold.chapters))]));
      for (const caller of callers)
        expect(cellsOfCaller(warm.entries, caller, actions), sql).toEqual(cellsOfCaller(entries, caller, actions));
    }
    expect(changes).toBe(CHANGES);
    expect(partial).toBeGreaterThan(5);
  }, 120_000);

  it('decides after a new field and policy only about the tables that read the changed table', async () => {
    await owner.script(`
      create table public.base (id int primary key, owner uuid);
      create table public.reader (id int primary key);
      create table public.apart (id int primary key);
      alter table public.base enable row level security; alter table public.reader enable row level security;
      create policy reads on public.reader for select using (exists (select from public.base b where b.id = 1));
      grant select on public.base, public.reader, public.apart to anon, authenticated;`);
    const parsed = parseChangedFacts(await read(['public']), null);
    const before = deriveChanged(parsed.facts, app, null);
    await owner.script(`alter table public.base add column extra text;
      create policy own on public.base for select to authenticated using (owner = auth.uid());`);
    const after = deriveChanged(parseChangedFacts(await read(['public']), parsed).facts, app, before.entries);
    const cells = (one: Derivation) => one.specification.chapters.roles?.cells ?? [];
    const known = new Set(cells(before));
    const made = new Set(cells(after).flatMap((cell) => (known.has(cell) ? [] : cell.entity)));
    expect([...made].filter((entity) => /^public\.(base|reader|apart)$/.test(entity))).toEqual([
      'public.base',
      'public.reader',
    ]);
  });

  it('decides about a circle of policies in the order of a complete derivation', async () => {
    const code = (name: string, table: string) => `create function public.${name}() returns boolean stable
      language plpgsql as $$ begin return exists (select from public.${table}); end $$;`;
    await owner.script(`
      create table public.ring_a (id int); create table public.ring_b (id int); create table public.secret (id int);
      ${code('of_b', 'ring_b')} ${code('of_a', 'ring_a')} ${code('of_secret', 'secret')}
      alter table public.ring_a enable row level security; alter table public.ring_b enable row level security;
      create policy a on public.ring_a using (public.of_b() and public.of_secret());
      create policy b on public.ring_b using (public.of_a());
      grant select on public.ring_a, public.ring_b to anon;`);
    const parsed = parseChangedFacts(await read(['public']), null);
    const before = deriveChanged(parsed.facts, app, null);
    // The cells of this table come first, so the decision about ring_b is made before the one about ring_a.
    await owner.script(`create table public.first (id int); alter table public.first enable row level security;
      create policy reads on public.first using (exists (select from public.ring_b)); grant select on public.first to anon;`);
    const raw = await read(['public']);
    const warm = deriveChanged(parseChangedFacts(raw, parsed).facts, app, before.entries).specification;
    expect(warm).toEqual(deriveSpecification(parseFacts(raw), app));
    // Entries of a circle are always made again, which other tests must not see.
    await owner.script('drop table public.first, public.ring_a, public.ring_b');
  });

  it('derives only the entry of a table again after a comment on the table', async () => {
    await owner.script(
      'create table public.plain (id int primary key); create table public.other (id int primary key); grant select on public.plain to anon',
    );
    const parsed = parseChangedFacts(await read(['public']), null);
    const before = deriveChanged(parsed.facts, app, null);
    await owner.script(`comment on table public.plain is 'What it is for.'`);
    const after = deriveChanged(parseChangedFacts(await read(['public']), parsed).facts, app, before.entries);
    const entities = before.specification.chapters.entities?.entities ?? [];
    const made = after.specification.chapters.entities?.entities.filter((entity) => !entities.includes(entity));
    expect(made).toMatchObject([{ id: 'public.plain', comment: 'What it is for.' }]);
    expect(after.specification.chapters.roles).toBe(before.specification.chapters.roles);
    const cellsOf = ({ entries }: Derivation) => cellsOfCaller(entries, { role: 'anon', memberRoles: [] });
    const [earlierCells, cells] = [cellsOf(before), cellsOf(after)];
    expect(cells.every((cell, i) => cell === earlierCells[i])).toBe(true);
    const lists = (one: Derivation) => [
      ...(one.specification.chapters.rules?.rules ?? []),
      ...(one.specification.chapters.errors?.errors.filter(({ group }) => group === 'rule') ?? []),
    ];
    expect(lists(after).every((entry, i) => entry === lists(before)[i])).toBe(true);
    await owner.script('alter table public.plain enable row level security');
    const secured = deriveChanged(parseChangedFacts(await read(['public']), parsed).facts, app, after.entries);
    const ofOther = (all: RoleCell[]) => all.filter(({ entity }) => entity === 'public.other');
    expect(ofOther(cellsOf(secured)).every((cell, i) => cell === ofOther(cells)[i])).toBe(true);
    const verdicts = (one: Derivation) =>
      cellsOf(one).flatMap(({ entity, operation, verdict }) =>
        entity === 'public.plain' && operation === 'select' ? [verdict] : [],
      );
    expect([verdicts(after), verdicts(secured)]).toEqual([['always'], ['never']]);
  });
});
