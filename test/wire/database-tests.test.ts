import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { outcomeOf, withClient } from '../support/database.ts';

const node = inject('node');

let app: AppConnection;
beforeAll(async () => {
  app = await createApp(node);
  await runSql(
    node,
    app.ref,
    `create table public.notes (id int primary key, owner uuid default auth.uid(), body text not null default '');
     alter table public.notes enable row level security;
     grant select, insert on public.notes to authenticated;
     create policy own on public.notes to authenticated using (owner = (select auth.uid()));
     create function public.shout(text) returns text language sql as 'select upper($1)';
     create view public.bodies as select body from public.notes;`,
  );
});

/** Runs a test file as `supabase/tests` has it, and returns the lines of its results. */
async function lines(tests: string): Promise<string[]> {
  const { results } = await runSql(
    node,
    app.ref,
    `begin; create extension if not exists pgtap with schema extensions; ${tests} select * from finish(); rollback;`,
  );
  return results.flatMap(({ rows }) => rows.flatMap(([line]) => (line === null || line === undefined ? [] : [line])));
}

describe('create extension pgtap', () => {
  it('reports each test, and finish reports nothing if all tests pass', async () => {
    const passed = await lines(`
      select plan(30);
      select ok(true, 'yes'); select pass(); select is(1, 1::bigint, 'one'); select is(null::text, null); select isnt(1, 2);
      select matches('abc', '^a'); select alike('abc', 'a%'); select cmp_ok(1, '<', 2);
      select has_schema('public'); select has_table('public', 'notes', 'there'); select has_table('notes'::name);
      select hasnt_table('public'::name, 'gone'::name); select has_view('public', 'bodies', 'a view');
      select has_column('notes', 'id'); select has_column('public', 'notes', 'body', 'a body'); select hasnt_column('notes', 'gone');
      select col_not_null('notes', 'body'); select col_type_is('notes', 'id', 'int'); select has_pk('notes');
      select has_function('public', 'shout', 'a function');
      select policies_are('public', 'notes', array['own']); select policy_cmd_is('public', 'notes', 'own', 'all');
      select policy_roles_are('public', 'notes', 'own', array['authenticated']);
      prepare one as select 1;
      select results_eq('one', array[1]); select results_eq('select 1, null::text', $$values (1, null::text)$$);
      select set_eq('values (2), (1), (1)', array[1, 2]); select bag_eq('values (2), (1)', 'values (1), (2)');
      select is_empty('select * from public.notes'); select isnt_empty('select 1'); select lives_ok('select 1', 'lives');`);
    expect(passed[0]).toBe('1..30');
    expect(passed.slice(1).filter((line) => !/^ok \d+/.test(line))).toEqual([]);
    expect(passed).toHaveLength(31);
    expect(passed[1]).toBe('ok 1 - yes');
  });

  it('describes the tests that fail, and finish counts them', async () => {
    const failed = await lines(`
      select plan(7);
      select is(1, 2, 'equal'); select ok(null); select results_eq('values (1), (2)', array[2, 1]);
      select policies_are('public', 'notes', array['own', 'other']); select has_table('gone'::name);
      select lives_ok('select 1 / 0', 'lives');`);
    expect(failed).toEqual([
      '1..7',
      'not ok 1 - equal\n# Failed test 1: "equal"\n#         have: 1\n#         want: 2',
      'not ok 2\n# Failed test 2\n#     (test result was NULL)',
      expect.stringContaining('have: 2 rows: {(1),(2)}'),
      expect.stringContaining('Table public.notes should have the correct policies'),
      expect.stringContaining('Table gone should exist'),
      expect.stringContaining('died: 22012: division by zero'),
      '# Looks like you planned 7 tests but ran 6',
    ]);
    expect((await lines(`select plan(1); select fail('no');`)).at(-1)).toBe('# Looks like you failed 1 test of 1');
    expect((await lines('select * from no_plan(); select pass();')).at(-1)).toBe('1..1');
  });

  it('compares the error of a statement by its code, its message, or both', async () => {
    const refused = '$$insert into public.notes (id, body) values (1, null)$$';
    const message = 'null value in column "body" of relation "notes" violates not-null constraint';
    const all = await lines(`
      select plan(8);
      select throws_ok(${refused}); select throws_ok(${refused}, '23502'); select throws_ok(${refused}, '${message}');
      select throws_ok(${refused}, '23502', '${message}'); select throws_ok(${refused}, '23502', '${message}', 'words');
      select throws_like(${refused}, 'null value%');
      select throws_ok(${refused}, '42501'); select throws_ok('select 1');`);
    expect(all.slice(1).map((line) => line.split(' ')[0])).toEqual([...Array(6).fill('ok'), 'not', 'not', '#']);
  });

  it('tests what members see, on a connection of psql and after the role has changed', async () => {
    const member = '11111111-1111-1111-1111-111111111111';
    const last = await withClient(app.database_url ?? '', (client) =>
      outcomeOf(
        client,
        `begin; create extension pgtap with schema extensions; set local search_path = public, extensions;
         select plan(2);
         insert into public.notes (id, owner) values (1, '${member}'), (2, null);
         set local role authenticated; set local request.jwt.claims = '{"sub": "${member}", "role": "authenticated"}';
         select results_eq('select id from notes', array[1]) as line
         union all select throws_ok('insert into notes (id, owner) values (3, null)', '42501');`,
      ),
    );
    expect(last).toEqual([{ line: 'ok 1' }, { line: expect.stringMatching(/^ok 2 - threw 42501/) }]);
    expect(await withClient(app.database_url ?? '', (client) => outcomeOf(client, 'select plan(1)'))).toBe('42883');
  });

  it('needs a plan, and can be dropped', async () => {
    await expect(lines('select ok(true);')).rejects.toThrow('without a plan');
    await runSql(node, app.ref, 'create extension pgtap with schema extensions; drop extension pgtap;');
    const owner = `select pg_get_userbyid(proowner) as name from pg_proc where proname = 'throws_ok' limit 1`;
    const { results } = await runSql(node, app.ref, `begin; create extension pgtap; ${owner}; rollback`);
    expect(results.find(({ rows }) => rows.length > 0)?.rows).toEqual([[`app_${app.ref}`]]);
  });
});
