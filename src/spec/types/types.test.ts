import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type AppDatabase, startAppDatabase } from '../../../test/support/app-database.ts';
import { clone } from '../../../test/support/clone.ts';
import { makeTestFolder } from '../../../test/support/test-folder.ts';
import { loadCatalog } from '../../catalog/load.ts';
import type { Pool } from '../../database/pool.ts';
import { firstJson } from '../../database/statement.ts';
import { loadFacts } from '../facts.ts';
import { loadTypeFacts, type TypeFacts } from './facts.ts';
import { jsonSchemas } from './json-schema.ts';
import { typescriptOf, typescriptTypes } from './typescript.ts';
import { zodSchemas } from './zod.ts';

const schema = `
  create type public.status as enum ('open', 'closed', 'it''s "odd"');
  create type public.address as (street text, number int);
  create type private.secret as enum ('a');
  create domain public.title as varchar(120) check (length(value) >= 3);
  create domain public.short_title as public.title not null check (length(value) <= 20);
  create domain public.percent as int check (value between 0 and 100);
  create table public.customers (
    id bigint generated always as identity primary key, email extensions.citext not null unique, name text not null
  );
  create table public.profiles (customer bigint primary key references public.customers, bio text);
  create table public.tickets (
    id uuid primary key default gen_random_uuid(),
    title text not null constraint title_length check (char_length(title) between 3 and 120),
    status public.status not null default 'open',
    customer bigint not null references public.customers on delete cascade,
    tags text[] not null default '{}' check (cardinality(tags) <= 3),
    moods public.status[],
    hidden private.secret,
    address public.address,
    meta jsonb not null default '{}',
    words text generated always as (upper(title)) stored,
    created_at timestamptz not null default now()
  );
  comment on table public.tickets is 'What customers ask. */ "quoted" \`odd\`';
  comment on constraint title_length on public.tickets is 'A title has 3 to 120 characters';
  create view public.open_tickets with (security_invoker) as select id, title, customer from public.tickets where status = 'open';
  create view public.counts as select status, count(*) as tickets from public.tickets group by 1;
  create table public."odd ""name" ("a b" int, "__proto__" text, "class" boolean);
  create function public.close(ticket uuid, note text default null) returns public.tickets language sql as 'select * from public.tickets limit 1';
  create function public.search(term text) returns setof public.tickets language sql stable as 'select * from public.tickets';
  create function public.totals() returns table (status public.status, tickets bigint) language sql stable as 'select status, count(*) from public.tickets group by 1';
  create function public.first_same(t public.tickets) returns setof public.tickets rows 1 language sql stable as 'select t.*';
  create function public.label(public.customers) returns text language sql stable as 'select $1.name';
  create function public.latest(public.customers) returns setof public.tickets rows 1 language sql stable as 'select * from public.tickets';
  create function public.richest() returns public.customers language sql stable as 'select * from public.customers limit 1';
  create function public.lone(out n int) language sql as 'select 42';
  create function public.lones() returns table (n int) language sql as 'select 42';
  create function public.apart(out a public.address) language sql as 'select null::public.address';
  create function public.answer() returns int language sql as 'select 42';
  create function public.add(a int, b int) returns int language sql as 'select a + b';
  create function public.add(a text) returns text language sql as 'select a';
  create function public.nothing() returns void language sql as 'select 1';
  create schema api; create table api.things (id int primary key, other int references api.things);
  create table public.mended (title text not null check (length(title) > 3), n smallint);
  create function public.mend() returns trigger language plpgsql as $$ begin new.title := coalesce(new.title, 'untitled'); return new; end $$;
  create trigger mend before insert on public.mended for each row execute function public.mend();
  create table public.touched (like public.mended including all); create table public.moved (title text not null) partition by list (title);
  create trigger touch before update on public.touched for each row execute function public.mend();
  create trigger mend before insert on public.moved for each row execute function public.mend();
  create table public.flows (id serial primary key, title text not null check (length(title) > 2), stage text not null, closed_at date check (closed_at > '2026-01-01'));
  select ninefold.define_machine('public.flows', 'stage', 'open',
    '[{"name": "close", "from": ["open"], "to": "closed", "sets": {"closed_at": "date ''2026-02-01''"}}]');
  create collation public.loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create domain public.letter as text collate public.loose check (value = 'a');
  create domain public.initial as text check (value ~ '^[a-z]$');
  create type public.spot as (title public.short_title, share public.percent, letters public.initial[]);
  create domain public.shares as public.percent[] check (cardinality(value) <= 2);
  create table public.samples (
    small smallint, whole int check (whole > 5 and whole <> 8), large bigint check (large >= -3), free numeric check (free <= 1.5),
    money numeric(6, 2) check (money > 0), signed numeric(4, 1) check (signed >= -2.25 and signed < 3), round numeric(3) check (round >= 0),
    float double precision check (float between -0.5 and 0.5), single real check (single < 0.1),
    flag boolean, label text check (length(label) <= 3), code varchar(5) check (code ~ '^[A-Z]+\\d*$'), padded char(4) check (length(padded) <= 2),
    sized varchar(4) check (length(sized) between 2 and 3), color varchar(6) check (color in ('red', 'green')),
    plain text check (plain is null or plain like 'a%_'), cased text collate public.loose check (cased = 'a'), place public.address,
    address extensions.citext check (length(address) > 1), key uuid, day date, moment timestamptz, state public.status,
    states public.status[], numbers int[] check (cardinality(numbers) between 1 and 2), short public.short_title default 'untitled', share public.percent,
    json json, jsonb jsonb, percents public.percent[], titles public.short_title[], spot public.spot, spots public.spot[],
    filled text check (filled <> ''), words text check (btrim(words) <> ''), letters_in varchar(4) check (length(trim(letters_in)) > 0),
    mask bit(3), byte bit(8), fewer varbit(5), bits varbit, nibbles bit(8)[],
    split public.shares, letter public.letter collate "C", letters public.letter[], initials public.initial[]
  );`;

let database: AppDatabase;
let owner: Pool;
let types: TypeFacts;
let folder: string;

beforeAll(async () => {
  database = await startAppDatabase('types');
  owner = database.as('app_owner');
  await database.pool.script('create schema private authorization app_owner');
  await owner.script(schema);
  const facts = await loadFacts(owner, { exposedSchemas: ['public', 'api'], authenticator: 'app_authenticator' });
  types = await loadTypeFacts(owner, facts, await loadCatalog(owner, ['public', 'api'], ['extensions']));
  folder = await makeTestFolder('types');
}, 60_000);

afterAll(async () => {
  await database?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What the compiler says of a program beside the generated files; empty where it is content. */
async function compile(program: string): Promise<string> {
  await writeFile(join(folder, 'database.ts'), typescriptTypes(types));
  await writeFile(join(folder, 'schemas.ts'), zodSchemas(types));
  await writeFile(join(folder, 'program.ts'), program);
  const options = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2023',
    skipLibCheck: true,
    types: ['node'],
    allowImportingTsExtensions: true,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
  const tsc = join(clone, 'node_modules/.bin/tsc');
  return new Promise((resolve) => execFile(tsc, ['-p', folder], (_error, stdout) => resolve(stdout)));
}

describe('the type Database', () => {
  it('is what supabase-js takes: selections, embeddings, writes and functions have their types, and mistakes do not compile', async () => {
    expect(
      await compile(`
import { createClient } from '@supabase/supabase-js';
import type { Database, Enums, Json, Tables, TablesInsert } from './database.ts';
import { schemas } from './schemas.ts';
import type { z } from 'zod';

const supabase = createClient<Database>('http://127.0.0.1:1', 'key');
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T | undefined => undefined;

export async function program() {
  const tickets = await supabase.from('tickets').select('title, tags, meta, customers (email, profiles (bio))');
  const [ticket] = tickets.data ?? [];
  if (ticket) {
    yes<Same<typeof ticket.title, string>>();
    yes<Same<typeof ticket.tags, string[]>>();
    yes<Same<typeof ticket.meta, Json>>();
    yes<Same<typeof ticket.customers, { email: string; profiles: { bio: string | null } | null }>>();
  }
  const back = await supabase.from('customers').select('id, tickets (id)').single();
  if (back.data) yes<Same<typeof back.data.tickets, { id: string }[]>>();
  const view = await supabase.from('open_tickets').select('title, customers (name)').single();
  if (view.data) yes<Same<typeof view.data.title, string | null>>();

  await supabase.from('tickets').insert({ title: 'abc', customer: 1 });
  await supabase.from('tickets').update({ status: 'closed', meta: { a: [1, null] } });
  await supabase.from('odd "name').insert({ 'a b': 1, class: true });
  await supabase.schema('api').from('things').select('id, other').eq('id', 1);
  // @ts-expect-error a title is needed
  await supabase.from('tickets').insert({ customer: 1 });
  // @ts-expect-error there is no such status
  await supabase.from('tickets').update({ status: 'gone' });
  // @ts-expect-error PostgreSQL numbers the rows itself
  await supabase.from('customers').insert({ id: 1, email: 'a@example.com', name: 'A' });
  // @ts-expect-error generated
  await supabase.from('tickets').update({ words: 'A' });
  // @ts-expect-error no such table
  supabase.from('nothing');
  // @ts-expect-error the view counts
  await supabase.from('counts').insert({ status: 'open' });

  const closed = await supabase.rpc('close', { ticket: 'x' });
  if (closed.data) yes<Same<typeof closed.data.title, string>>();
  const found = await supabase.rpc('search', { term: 'x' });
  yes<Same<typeof found.data, Database['public']['Tables']['tickets']['Row'][] | null>>();
  const totals = await supabase.rpc('totals');
  yes<Same<typeof totals.data, { status: Enums<'status'>; tickets: number }[] | null>>();
  const embedded = await supabase.from('tickets').select('id, first_same(title)').single();
  yes<Same<NonNullable<typeof embedded.data>['first_same'], { title: string } | null>>();
  const computed = await supabase.from('customers').select('id, label, latest(title)').single();
  yes<Same<typeof computed.data, { id: number; label: string | null; latest: { title: string } | null } | null>>();
  const whole = await supabase.from('customers').select().single();
  yes<Same<keyof NonNullable<typeof whole.data>, 'id' | 'email' | 'name'>>();
  const richest = await supabase.rpc('richest');
  yes<Same<keyof NonNullable<typeof richest.data>, 'id' | 'email' | 'name'>>();
  const flows = await supabase.from('flows').select('id, transitions, passages').single();
  if (flows.data) yes<Same<typeof flows.data.transitions, Json | null>>();
  // @ts-expect-error nobody writes what is computed
  await supabase.from('customers').update({ label: 'x' });
  const lone = await supabase.rpc('lone');
  yes<Same<typeof lone.data, { n: number } | null>>();
  const lones = await supabase.rpc('lones');
  yes<Same<typeof lones.data, { n: number }[] | null>>();
  const apart = await supabase.rpc('apart');
  yes<Same<typeof apart.data, Database['public']['CompositeTypes']['address'] | null>>();
  const answer = await supabase.rpc('answer');
  yes<Same<typeof answer.data, number | null>>();
  const sum = await supabase.rpc('add', { a: 1, b: 2 });
  yes<Same<typeof sum.data, number | null>>();
  const same = await supabase.rpc('add', { a: 'x' });
  yes<Same<typeof same.data, string | null>>();
  // @ts-expect-error a ticket is needed
  await supabase.rpc('close', { note: 'x' });

  yes<Same<Tables<'tickets'>['hidden'], 'a' | null>>();
  yes<Same<Tables<'tickets'>['address'], Database['public']['CompositeTypes']['address'] | null>>();
  yes<Same<Enums<'status'>, 'open' | 'closed' | 'it\\'s "odd"'>>();
  const row: TablesInsert<'profiles'> = { customer: 1 };
  await supabase.from('profiles').insert(row);

  // What the schemas let through is what may be inserted.
  const checked = schemas.tickets.insert.parse({});
  await supabase.from('tickets').insert(checked);
  const change: z.infer<typeof schemas.customers.update> = { name: 'A' };
  await supabase.from('customers').update(change);
}
`),
    ).toBe('');
  });

  it('does not compile where it should not: the checks above can fail', async () => {
    const program = `import type { Tables } from './database.ts';\nexport const a: Tables<'tickets'>['title'] = 1;`;
    expect(await compile(program)).toContain('TS2322');
  });
});

it('of one entity: its schemas alone, with what they need', async () => {
  const id = 'public.profiles';
  expect(Object.keys(JSON.parse(jsonSchemas(types, 'helpdesk', id)).$defs)).toEqual([
    'profiles.insert',
    'profiles.update',
  ]);
  const code = zodSchemas(types, id);
  expect(code).not.toContain('customers');
  expect(code).not.toContain('characters');
  expect(typescriptOf(types, id)).toMatch(/^\/\/ within Database\['public'\]\['Tables'\]\nprofiles: \{\n {2}Row: /);
  expect(typescriptOf(types, 'public.gone')).toBe('');
});

type Schemas = Record<string, { insert: z.ZodType; update: z.ZodType }>;

async function loadZod(): Promise<Schemas> {
  const { code } = await transform(zodSchemas(types), { loader: 'ts', format: 'esm' });
  const file = join(folder, `schemas-${process.hrtime.bigint()}.mjs`);
  await writeFile(file, code);
  const { schemas } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { schemas: Schemas };
  return schemas;
}

function jsonValidators(): (name: string) => ValidateFunction {
  const document = JSON.parse(jsonSchemas(types, 'helpdesk'));
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  expect(ajv.validateSchema(document), JSON.stringify(ajv.errors)).toBe(true);
  ajv.addSchema(document);
  return (name) => {
    const validate = ajv.getSchema(`${document.$id}#/$defs/${name.replaceAll(' ', '%20').replaceAll('"', '%22')}`);
    if (!validate) throw new Error(`no schema ${name}`);
    return validate;
  };
}

/** Which of the rows PostgreSQL takes, each tried by itself as /rest/v1 writes it, and taken back. */
async function taken(table: string, rows: readonly Record<string, unknown>[]): Promise<boolean[]> {
  await owner.script(`create or replace function private.try(target regclass, item json) returns boolean language plpgsql as $$
    declare
      names text := (select string_agg(quote_ident(k), ', ') from json_object_keys(item) k);
      columns text := (select string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ')
        from json_object_keys(item) k join pg_attribute a on a.attrelid = target and a.attname = k);
    begin
      begin
        execute format('insert into %s (%s) select %2$s from json_to_record($1) as _ (%3$s)', target, names, columns) using item;
        raise exception using errcode = 'ZZ001';
      exception when sqlstate 'ZZ001' then return true; when others then return false;
      end;
    end $$`);
  const [result] = await owner.run([
    {
      text: 'select json_agg(private.try($1::regclass, r) order by i) from json_array_elements($2::json) with ordinality as a (r, i)',
      params: [table, JSON.stringify(rows)],
    },
  ]);
  return (result && firstJson<boolean[]>(result)) ?? [];
}

const texts = [
  '',
  '  ',
  'a',
  'A',
  'ab',
  'abc',
  'abcd',
  'a b',
  'AB1',
  'ABCDE',
  'ABCDE  ',
  'AB12  ',
  'abc   ',
  'red',
  'red    ',
  'blue',
  'ü😀',
  '😀😀😀',
  '😀😀😀😀',
  'a%',
  'ABC٣',
  '\n',
  'open',
  'closed',
  'x'.repeat(19),
  'x'.repeat(21),
  'x'.repeat(21).concat('   '),
  `${'x'.repeat(118)}    `,
  '2026-01-31',
  'tomorrow',
  'infinity',
  'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  '{A0EEBC999C0B4EF8BB6D6BB9BD380A11}',
  'a0ee-bc99-9c0b4ef8-bb6d6bb9-bd380a11',
  'a0eebc99-9c0b',
  `it's "odd"`,
  ...['101', 'B101', 'b1', 'x', 'xF', 'X1f', 'x1fF', '11111', '111111', '10101010', 'b', '102', '101 ', ' 101', 'xG'],
];
const numbers = [
  0,
  -0,
  1,
  -1,
  5,
  6,
  7.5,
  8,
  100,
  101,
  0.004,
  0.005,
  0.0049999,
  0.1,
  0.1000001,
  0.09999999,
  0.5,
  0.50000001,
  -0.5,
  1.5,
  1.50001,
  2.94,
  2.95,
  2.949999,
  -2.2,
  -2.25,
  -2.249,
  -2.3,
  -2.26,
  999,
  999.4,
  999.5,
  -0.4,
  9999.99,
  9999.994,
  9999.995,
  9999.9949999,
  -9999.995,
  32767,
  32768,
  -32768,
  -32769,
  2147483647,
  2147483648,
  -2147483648,
  2 ** 53,
  2 ** 62,
  2 ** 63 - 1024,
  2 ** 63,
  -(2 ** 63),
  1e21,
  1e308,
  5e-324,
  -3,
  -3.0001,
];
const lists = [
  { street: 'a', number: 1 },
  { street: 'a' },
  { number: 1.5 },
  [],
  [1],
  [1, 2],
  [1, 2, 3],
  [null],
  ['open'],
  ['open', null],
  ['gone'],
  ['a', 'b', 'c', 'd'],
  ['A'],
  ['abc'],
  ['abc', null],
  ['abc', 'ab'],
  [0, 100],
  [0, 101],
  [0, 1, 2],
  ...['abc', 'ab', null].map((title) => ({ title })),
  { title: 'abc', share: null, letters: null },
  { title: 'abc', share: 101 },
  { title: 'abc', letters: ['a', null] },
  { title: 'abc', letters: ['a', 'ab'] },
  [{ title: 'abc' }, null],
  [{ title: 'ab' }],
  [{ share: 1 }],
  ['10101010', 'xff'],
  ['B1010101'],
];
const values: readonly unknown[] = [...texts, ...numbers, ...lists, true, false, null, {}, { a: 1 }];

/** Of the type that the generated TypeScript gives a field: what is of another type is no question of rules. */
const kinds: Readonly<Record<string, string>> = {
  number: 'small whole large free money signed round float single share',
  boolean: 'flag',
  object: 'states numbers json jsonb place percents titles spot spots split letters initials nibbles',
};
const kindOf = (field: string): string =>
  Object.keys(kinds).find((kind) => kinds[kind]?.split(' ').includes(field)) ?? 'string';

/** A list whose elements are objects: for a list of texts, PostgreSQL takes the objects' JSON as texts. */
const holdsObjects = (value: unknown): boolean =>
  Array.isArray(value) && value.some((element) => typeof element === 'object' && element !== null);

describe('what the schemas refuse, PostgreSQL refuses', () => {
  it('value by value, for every kind of type and rule', async () => {
    const zod = (await loadZod()).samples?.insert;
    const json = jsonValidators()('samples.insert');
    const fields = types.facts.fields.filter(
      (field) => field.relation === types.facts.relations.find(({ name }) => name === 'samples')?.oid,
    );
    expect(fields).toHaveLength(45);
    const refused = { zod: 0, json: 0, postgres: 0 };
    for (const { name } of fields) {
      const rows = values
        .filter((value) => value === null || typeof value === kindOf(name) || name.startsWith('json'))
        .filter((value) => name === 'spots' || name.startsWith('json') || !holdsObjects(value))
        .map((value) => ({ [name]: value }));
      const answers = await taken('public.samples', rows);
      for (const [i, row] of rows.entries()) {
        const isTaken = answers[i];
        // Dates are read in a hundred ways: nothing is said of them.
        if (name === 'day' || name === 'moment') expect(zod?.safeParse(row).success).toBe(true);
        else if (!isTaken) refused.postgres++;
        const byZod = zod?.safeParse(row).success === true;
        const byJson = json(row) === true;
        if (!byZod) refused.zod++;
        if (!byJson) refused.json++;
        if (['mask', 'byte', 'fewer', 'bits', 'nibbles', 'filled', 'words', 'letters_in'].includes(name))
          expect([byZod, byJson], `${name} ${JSON.stringify(row)}`).toEqual([isTaken, isTaken]);
        expect(byZod || !isTaken, `zod refuses ${JSON.stringify(row)}`).toBe(true);
        expect(byJson || !isTaken, `JSON Schema refuses ${JSON.stringify(row)}`).toBe(true);
      }
    }
    // They would be true too if they took everything: most of what PostgreSQL refuses, they know.
    expect(refused.zod).toBeGreaterThan(refused.postgres * 0.6);
    expect(refused.json).toBeGreaterThan(refused.postgres * 0.6);
  });

  it('whole rows: what is required, what is made, what nobody knows', async () => {
    const zod = await loadZod();
    const json = jsonValidators();
    const customer = { email: 'a@example.com', name: 'A' };
    const cases: [table: string, row: Record<string, unknown>, taken: boolean][] = [
      ['customers', customer, true],
      ['customers', { email: 'a@example.com' }, false],
      ['customers', { ...customer, name: null }, false],
      ['customers', { ...customer, id: 1 }, false],
      ['customers', { ...customer, nick: 'a' }, false],
      ['mended', { n: 1 }, true],
      ['mended', { title: null }, true],
      ['mended', { n: 40_000 }, false],
      ['touched', { title: 'abcd' }, true],
      ['touched', { n: 1 }, false],
      ['touched', { title: 'abc' }, false],
      ['flows', { title: 'abc' }, true],
      ['flows', { title: 'abc', stage: null }, true],
      ['flows', { title: 'ab' }, false],
      ['flows', { stage: 'open' }, false],
      ['odd "name', { 'a b': 1, class: true }, true],
      ['odd "name', { 'a b': 1.5 }, false],
    ];
    for (const [table, row, isTaken] of cases) {
      const why = `${table} ${JSON.stringify(row)}`;
      const [answer] = await taken(`public."${table.replaceAll('"', '""')}"`, [row]);
      expect(answer, why).toBe(isTaken);
      expect(zod[table]?.insert.safeParse(row).success, `zod ${why}`).toBe(isTaken);
      expect(json(`${table}.insert`)(row), `JSON Schema ${why}`).toBe(isTaken);
    }
  });

  it('a trigger mends the write before which it runs, and no other; a change may add the row to another partition', async () => {
    const zod = await loadZod();
    const json = jsonValidators();
    for (const [table, isTaken] of [
      ['mended', false],
      ['touched', true],
      ['moved', true],
    ] as const) {
      expect(zod[table]?.update.safeParse({ title: null }).success, `zod ${table}`).toBe(isTaken);
      expect(json(`${table}.update`)({ title: null }), `JSON Schema ${table}`).toBe(isTaken);
    }
  });

  it('and they say which rule was broken in the words of the specification', async () => {
    const { tickets } = await loadZod();
    const result = tickets?.insert.safeParse({ title: 'ab', customer: 1, tags: ['a', 'b', 'c', 'd'] });
    expect(result?.error?.issues.map(({ path, message }) => [path[0], message])).toEqual([
      ['title', 'A title has 3 to 120 characters'],
      ['tags', 'tags has at most 3 elements'],
    ]);
    const inner = (await loadZod()).samples?.insert.safeParse({ percents: [101], spot: { title: 'abc', share: -1 } });
    expect(inner?.error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['percents.0', 'each element is 0 to 100'],
      ['spot.share', 'share is 0 to 100'],
    ]);
  });
});
