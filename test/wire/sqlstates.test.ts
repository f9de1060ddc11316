import { describe, expect, inject, it } from 'vitest';
import { allErrors } from '../../contract/errors.ts';
import { createApp, createTemplate, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';

const node = inject('node');

/** Statements that a function of an app may run, by the SQLSTATE of their error in PostgreSQL. */
const statements: Readonly<Record<string, string>> = {
  '20000': 'case 1 when 2 then null; end case',
  '21000': 'perform (select n from generate_series(1, 2) n)',
  '22000': "perform '[2,1]'::int4range",
  '22001': "perform 1; insert into public.things (code) values ('too long')",
  '22003': 'perform 40000::smallint',
  '22004': 'execute null::text',
  '22007': "perform 'yesterday at noon'::date",
  '22008': "perform '2026-02-30'::date",
  '22009': "perform '2026-01-01 00:00:00+99'::timestamptz",
  '22011': "perform substring('abc' from 1 for -1)",
  '22012': 'perform 1/0',
  '22015': "perform '2147483648 months'::interval",
  '22021': "perform convert_from('\\xff'::bytea, 'UTF8')",
  '22023': "perform set_config('work_mem', 'much', true)",
  '22025': "perform 'ba' like 'b\\'",
  '22030': "perform json_object('a': 1, 'a': 2 with unique keys)",
  '22P02': "perform 'x'::int",
  '2200H': "perform nextval('public.short') from generate_series(1, 3)",
  '2200N': "perform '<a>'::xml",
  '2201B': "perform 'a' ~ '('",
  '2201E': 'perform ln(0)',
  '2201F': 'perform power(0, -1)',
  '2201G': 'perform width_bucket(1, 1, 1, 5)',
  '2203A': "perform jsonb_path_query('[1]', 'strict $.a')",
  '23502': 'insert into public.things (id) values (null)',
  '2D000': 'commit',
  '42702': 'perform id from public.things a, public.things b',
  '42703': 'perform nowhere from public.things',
  '42804': 'perform case when 1 then 2 end',
  '42809': 'perform ntile(1)',
  '42846': "perform '1'::json::date",
  '42883': 'perform nowhere()',
  '42P01': 'perform 1 from public.nowhere',
  '42P10': 'insert into public.things (id) values (1) on conflict (code) do nothing',
  '42P16': 'create table public.twice (a int primary key, b int primary key)',
  '54011': "execute 'select ' || array_to_string(array(select n from generate_series(1, 1665) n), ',')",
  '10608': "perform xpath('///', '<a/>')",
  '22014': 'perform ntile(0) over ()',
  '22016': 'perform nth_value(1, 0) over ()',
  '2201W': 'perform 1 limit -1',
  '2201X': 'perform 1 offset -1',
  '22026': "perform b'1' & b'11'",
  '2202E': "perform get_byte('a'::bytea, 9)",
  '2202G': 'perform 1 from public.things tablesample bernoulli (50) repeatable (null)',
  '2202H': 'perform 1 from public.things tablesample system (-1)',
  '22031': "perform jsonb_path_query('\"x\"', '$.datetime()')",
  '22033': "perform jsonb_path_query('[1]', 'strict $[5]')",
  '22034': "perform json_value('[1, 2]', '$[*]' error on error)",
  '22035': "perform json_value('{}', '$.a' error on empty error on error)",
  '22036': "perform jsonb_path_query('\"a\"', '$.double()')",
  '22038': "perform jsonb_path_query('[1, 2]', '$ + 1')",
  '2203C': "perform jsonb_path_query('1', 'strict $.keyvalue()')",
  '2200M': "perform xmlparse(document 'x')",
  '2200S': "perform xmlcomment('--')",
  '2200T': "perform xmlpi(name xml, 'x')",
  '25001': 'vacuum',
  '26000': "execute 'deallocate nowhere'",
  '27000': "insert into public.things (id) values (1); update public.things set code = 'a'",
  '2BP01': 'drop function public.used()',
  '34000': "execute 'fetch nowhere'",
  '39000': "perform extensions.pgp_sym_decrypt('\\x00', 'a')",
  '42701': 'alter table public.things add id int',
  '42710': 'create type public.twice as (a int); create type public.twice as (a int)',
  '42712': 'perform 1 from public.things, public.things',
  '42723':
    "create function public.same() returns int language sql as 'select 1'; create function public.same() returns int language sql as 'select 1'",
  '42725': "perform '1' + '2'",
  '42803': 'perform id from public.things group by code',
  '42830': 'create table public.points (code varchar(3) references public.things (code))',
  '42P02': "execute 'select $1'",
  '42P03': 'declare c cursor for select 1; begin open c; open c; end',
  '42P06': 'create schema public',
  '42P07': 'create table public.things (id int)',
  '42P13': "create function public.wrong() returns int language sql as 'select true'",
  '42P19': 'perform (with recursive r as (select 1 union select r.n from r, r s) select 1)',
  '42P22': 'perform a < b from (select \'a\' collate "C", \'b\' collate "POSIX") v (a, b)',
  '44000': 'insert into public.few (id) values (9)',
  '54023': "execute 'select concat(' || array_to_string(array(select 1 from generate_series(1, 101)), ',') || ')'",
  '55P02': "perform set_config('server_version', '1', true)",
  XX000: "perform setweight('a'::tsvector, 'Z')",
};

const app = createTemplate(
  node,
  `create table public.things (id int primary key, code varchar(3)); create sequence public.short maxvalue 2;
   create function public.used() returns int language sql as 'select 1'; create view public.uses as select public.used();
   create view public.few as select * from public.things where id < 5 with check option;
   create function public.moved() returns trigger language plpgsql as $$ begin update public.things set code = 'b' where id = new.id; return new; end $$;
   create trigger moves before update on public.things for each row when (pg_trigger_depth() = 0) execute function public.moved();`,
);

describe('an error of PostgreSQL in a function', () => {
  it('has its SQLSTATE as the code, and the HTTP status that the error catalog lists for this code', async () => {
    const { ref } = await app;
    const sql = Object.entries(statements).map(
      ([code, statement]) =>
        `create function public.fails_${code}() returns void security definer language plpgsql as $f$ ${statement.startsWith('declare') ? statement : `begin ${statement}; end`} $f$;`,
    );
    const clone = await createApp(node, { from: ref });
    await runSql(node, clone.ref, sql.join('\n'));
    const client = clientOf(clone, clone.secret_key);
    const answers = await Promise.all(
      Object.keys(statements).map(async (code) => {
        const { error, status } = await client.rpc(`fails_${code}`.toLowerCase());
        return { name: code, code: error?.code, status, message: error?.message };
      }),
    );
    expect(answers.filter(({ name, code, status }) => code !== name || status !== allErrors[name]?.status)).toEqual([]);
  });

  it('is 0A000 if a function declared STABLE writes, by GET and by POST', async () => {
    const { ref } = await app;
    const clone = await createApp(node, { from: ref });
    await runSql(
      node,
      clone.ref,
      'create function public.writes() returns void stable language plpgsql as $f$ begin insert into public.things (id) values (1); end $f$',
    );
    const client = clientOf(clone, clone.secret_key);
    for (const get of [true, false]) {
      const { error, status } = await client.rpc('writes', {}, { get });
      expect({ code: error?.code, status }).toEqual({ code: '0A000', status: 400 });
    }
  });
});
