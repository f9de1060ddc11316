import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppDatabase, scriptIn, startAppDatabase } from '../../../test/support/app-database.ts';
import { changesApp, member, type TestApp } from '../../../test/support/changes-app.ts';
import type { Pool } from '../../database/pool.ts';
import { rowsAsText } from '../../database/statement.ts';
import { askMembers } from './member-questions.ts';
import { readPublishedTables, readRoleAccess } from './published-tables.ts';
import { readRowImage } from './row-image.ts';
import { imageQuery, sightOf } from './sight.ts';

let database: AppDatabase;
let owner: Pool;
let app: TestApp;
let members: Pool;

const ids = ['00000000-0000-4000-8000-00000000ada0', '00000000-0000-4000-8000-00000000b0b0'];

/** Conditions of policies. The flag is true for those that are evaluated without PostgreSQL. */
const atoms: readonly (readonly [string, boolean])[] = [
  ['owner = auth.uid()', true],
  ['owner = (select auth.uid())', true],
  ['(select auth.uid()) <> owner', true],
  ['owner_text = auth.uid()::text', true],
  ['owner_text::uuid = auth.uid()', false],
  [`owner_text = (auth.jwt() ->> 'sub')`, true],
  ['is_public', true],
  ['not is_public', true],
  ['is_public = true', true],
  [`status = 'open'`, true],
  [`status <> 'open'`, true],
  [`status in ('open', 'Open', 'closed')`, true],
  [`status like 'o%'`, false],
  ['owner is null', true],
  ['n = 5', true],
  ['n <> -5', true],
  ['n in (1, 5)', true],
  ["n::text = '5'", true],
  ["n::text = '05'", false],
  ['n > 3', false],
  ['big = 9007199254740993', true],
  ["short = 'ab'", true],
  ["short::varchar(1) = 'a'", false],
  ["code = 'a'", false],
  ["is_public::text = 'TRUE'", false],
  [`owner = '${ids[0]}'`, true],
  [`data ->> 'owner' = auth.uid()::text`, false],
  ['(data is null)', false],
  ['exists (select from public.teams t where t.id = n and t.member = auth.uid())', false],
  ['tags[1] = status', false],
  [`auth.jwt() ->> 'team' = status`, false],
  ['made_at < now()', false],
  ['is_public is not true', false],
];

beforeAll(async () => {
  database = await startAppDatabase('conditions');
  owner = database.as('app_owner');
  await owner.script(`
    create table public.teams (id int, member uuid);
    insert into public.teams values (5, '${ids[0]}'), (1, '${ids[1]}');
    grant select on public.teams to authenticated;
    create table public.things (id int primary key, owner uuid, owner_text text, is_public bool, status text, n int, big bigint,
      short varchar(3), code char(3), data jsonb, tags text[], made_at timestamptz, twice int generated always as (n * 2) stored);
    alter table public.things enable row level security;
    create policy p on public.things for select to authenticated using (false);
    grant select on public.things to authenticated;
    alter publication supabase_realtime add table public.things;
    insert into public.things
    select i, o, coalesce(o::text, 'x'), (array[true, false, null])[1 + i % 3], (array['open', 'Open', 'closed', null, 'o''x'])[1 + i % 5],
      (array[5, 1, -5, null])[1 + i % 4], (array[9007199254740993, 9007199254740992])[1 + i % 2], (array['ab', 'a', null])[1 + i % 3],
      (array['a', 'b'])[1 + i % 2], (array['{"owner": "${ids[0]}"}', '{}', null])[1 + i % 3]::jsonb, array['open', 'x'],
      now() + (i - 30) * interval '1 hour'
    from generate_series(1, 60) i, lateral (select (array['${ids[0]}', '${ids[1]}', null])[1 + i % 3 * (i % 2)]::uuid as o) x
    where coalesce(o::text, 'x') <> 'x' or i > 30`);
  // A text that is no id would make the cast of a policy fail.
  await owner.script(`update public.things set owner_text = '${ids[1]}' where owner_text = 'x'`);
  app = changesApp(database);
  members = app.dedicatedPool();
}, 60_000);

afterAll(async () => {
  await members?.close();
  await app?.serverDatabase.close();
  await database?.stop();
});

/** Returns pseudo-random numbers below a bound, the same in every run. */
function randomNumbers(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

async function compare(policies: readonly string[], wasCompiled: boolean | null): Promise<void> {
  await scriptIn(
    owner,
    `drop policy if exists p on public.things; drop policy if exists q on public.things; drop policy if exists r on public.things;
    ${policies.join(';')}`,
  );
  const tables = await readPublishedTables(app);
  const table = tables.find(({ name }) => name === 'things');
  const access = await readRoleAccess(app, 'authenticated');
  if (!table || !access) throw new Error('no table');
  const sight = sightOf(table, access);
  if (typeof sight === 'string') throw new Error(sight);
  if (wasCompiled !== null) expect(sight.test !== null, policies.join()).toBe(wasCompiled);
  const [result] = await owner.run([
    { text: 'select id, row_to_json(t) as image from public.things t order by id', params: [] },
  ]);
  const rows = result ? rowsAsText(result) : [];
  for (const id of ids) {
    const as = member(id, { team: 'open' });
    const [asked, selected] = await askMembers(members, [
      {
        as,
        text: imageQuery(table, sight.condition),
        params: [`[${rows.map(({ image }) => image).join(',')}]`],
        searchPath: '',
      },
      {
        as,
        text: 'select exists (select from public.things t where t.id = i::int) from unnest($1::text[]) i',
        params: [`{${rows.map(({ id: key }) => key).join(',')}}`],
        searchPath: '',
      },
    ]);
    expect(asked, policies.join()).toEqual(selected);
    if (sight.test === null) continue;
    const tested = rows.map(({ image }) => sight.test?.(readRowImage(image ?? '{}'), as) === true);
    expect(tested, policies.join()).toEqual(selected);
  }
}

it('every condition on images, compiled or asked, is true for the rows that a SELECT of the member returns', async () => {
  for (const [condition, isCompiled] of atoms) {
    await compare([`create policy p on public.things for select to authenticated using (${condition})`], isCompiled);
  }
});

it('combined policies are true for the rows that a SELECT of the member returns', async () => {
  const below = randomNumbers();
  const pick = () => atoms[below(atoms.length)]?.[0] ?? 'true';
  const combined = () =>
    `(${pick()}) ${below(2) === 0 ? 'and' : 'or'} not (${pick()}) ${below(2) === 0 ? 'and' : 'or'} (${pick()})`;
  for (let round = 0; round < 60; round++) {
    await compare(
      [
        `create policy p on public.things for all to authenticated using (${combined()})`,
        `create policy q on public.things as ${below(2) === 0 ? 'permissive' : 'restrictive'} for select to public using (${combined()})`,
        'create policy r on public.things for select to anon using (true)',
      ],
      null,
    );
  }
});
