import { expect, it } from 'vitest';
import { createApp } from '../../test/support/apps.ts';
import { superuserUrl, withClient } from '../../test/support/database.ts';
import { ownNode } from '../../test/support/own-node.ts';
import { parseConnectionUrl } from '../database/connection-config.ts';
import { RawSession } from '../database/raw-session.ts';
import { countRows } from './row-counts.ts';

const node = ownNode('row-counts');

it('counts rows and keys without evaluating an expression of the owner as the superuser', async () => {
  const app = await createApp(node);
  await withClient(app.database_url ?? '', (owner) =>
    owner.query(`
      create function public.code(n int) returns int language plpgsql immutable as $$ begin
        if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
          raise exception 'the owner’s code runs as %', current_user;
        end if;
        return n; end $$;
      create table public.by_index (id int primary key, value text);
      create index on public.by_index ((public.code(1)), id);
      create table public.by_statistics (id int primary key, value text);
      create statistics public.expressions on (public.code(2)), value from public.by_statistics;
      create table public."odd ""name'" ("a "",b" text, "c
" int generated always as (1) stored, primary key ("a "",b", "c
"));
      create table public.keyless (value text);
      create table public.columnless ();
      insert into public.by_index select n, 'x' from generate_series(1, 5000) n;
      insert into public.by_statistics values (1, 'x');
      insert into public."odd ""name'" values (E'line\\nbreak'), (''), ('\\N');
      insert into public.keyless values (null), (E'\\n\\n'), (repeat('x', 100000));
      insert into public.columnless default values`),
  );
  const session = await RawSession.open({
    ...parseConnectionUrl(await superuserUrl(node, `app_${app.ref}`), 'test'),
    searchPath: '',
  });
  const count = async (names: readonly string[] | null) => {
    await session.query('begin isolation level repeatable read, read only');
    return countRows(session, names).finally(() => session.query('rollback'));
  };
  try {
    // The planner of a query evaluates the expressions.
    for (const table of ['by_index', 'by_statistics']) {
      await expect(session.query(`select count(*) from only public.${table}`)).rejects.toThrow('code runs as');
    }
    const first = await count(null);
    expect(first).toMatchObject({
      'public.by_index': expect.stringMatching(/^5000 rows, keys [1-9]\d+$/),
      'public.by_statistics': expect.stringMatching(/^1 rows/),
      'public."odd ""name\'"': expect.stringMatching(/^3 rows, keys [1-9]/),
      'public.keyless': '3 rows, keys 0',
      'public.columnless': '1 rows, keys 0',
    });
    await withClient(app.database_url ?? '', (owner) => owner.query('update public.by_index set id = 0 where id = 7'));
    const changed = await count(['public.by_index']);
    expect(Object.keys(changed)).toEqual(['public.by_index']);
    expect(changed['public.by_index']).toMatch(/^5000 rows/);
    expect(changed['public.by_index']).not.toBe(first['public.by_index']);
  } finally {
    await session.close();
  }
});
