import { describe, expect, it } from 'vitest';
import { usesOf } from './uses.ts';

/**
 * Returns each use of a relation, or of a function with a schema, as a short string. `?` marks a use that some calls of
 * the function skip. `!` marks a call that the statement always makes, whatever rows the statement finds.
 */
const reported = (language: string, body: string): string[] =>
  usesOf(language, body)
    .filter(({ kind, schema }) => kind !== 'call' || schema !== null)
    .map(({ kind, schema, name, isCertain, isAlone }) => {
      const full = schema === null ? name : `${schema}.${name}`;
      return `${kind} ${full}${isCertain ? '' : '?'}${isAlone ? '!' : ''}`;
    });

describe('usesOf', () => {
  it.each([
    ['select 1 from a.b, c d join e.f on true', ['select a.b', 'select c', 'select e.f']],
    ['select (select count(*) from a.b) from "C"."D"', ['select a.b', 'select C.D']],
    [
      'with x as (select * from a.b) select * from x, (a.c join a.d using (id))',
      ['select a.b', 'select a.c', 'select a.d'],
    ],
    ['select a is distinct from b.c, extract(year from d.e) from f.g', ['select f.g']],
    ['insert into a.b (c, d) select e.f, 1 from g.h', ['insert a.b', 'select g.h']],
    ['update only a.b set c = d.e from f.g where h.i', ['update a.b', 'select f.g']],
    ['delete from a.b using c.d where true', ['delete a.b', 'select c.d']],
    ['select a.f(1)', ['call a.f!']],
    [`select nextval('a.b')`, ['sequence a.b!']],
    ['select true and a.f(1)', ['call a.f']],
    ['select case when b then a.f(1) end', ['call a.f']],
    ['select a.f(1) from b.c', ['call a.f', 'select b.c']],
    ['select * from a.f(1), b.c', ['call a.f', 'select b.c']],
    ['begin atomic select a.f(); delete from a.b; end', ['call a.f!', 'delete a.b']],
    ['truncate table only a.b, "C".d restart identity', ['truncate a.b', 'truncate C.d']],
    ['create temp table if not exists t (id int); insert into t select 1; drop table t', ['temporary t']],
    ['create or replace view a.b as select * from c.d', ['create a.b', 'select c.d']],
    ['create unique index on a.b (c); alter table if exists a.c add d int', ['own a.b', 'own a.c']],
    ['drop view a.b, a.c cascade', ['own a.b', 'own a.c']],
    ['refresh materialized view concurrently a.b', ['maintain a.b']],
    [
      'merge into only a.b x using c.d y on x.id = y.id when matched then update set n = 1 when not matched then insert values (1)',
      ['insert a.b', 'update a.b', 'select c.d'],
    ],
    ['merge into a.b using (select * from c.d) y on true when matched then delete', ['delete a.b', 'select c.d']],
    [`copy a.b (c) from '/tmp/x'`, ['insert a.b']],
    [`copy a.b to '/tmp/x'`, ['select a.b']],
    ['explain analyze insert into a.b select * from c.d', ['insert a.b', 'select c.d']],
  ])('finds the relations and functions of the SQL %s', (body, uses) => {
    expect(reported('sql', body)).toEqual(uses);
  });

  it.each([
    ['declare n int; begin select count(*) into n from a.b; return n > 0; end', ['select a.b']],
    ['begin if a then return; end if; return exists (select from a.b); end', ['select a.b?']],
    ['begin if exists (select from a.b) then return 1; end if; return 2; end', ['select a.b']],
    ['begin for r in select * from a.b loop perform a.f(r); end loop; end', ['select a.b', 'call a.f?!']],
    ['begin return a.f(); perform a.g(); end', ['call a.f!', 'call a.g?!']],
    [
      'begin insert into a.b values (1); exception when others then delete from a.c; end',
      ['insert a.b?', 'delete a.c?'],
    ],
    [`begin raise notice 'a'; return query select * from a.b; return; end`, ['select a.b']],
    [`begin raise exception 'a'; delete from a.b; end`, ['delete a.b?']],
    ['begin n := a.f(); return n; end', ['call a.f']],
    ['begin perform 1 from a.b; return 1; end', ['select a.b']],
    ['begin if c then truncate a.b; end if; end', ['truncate a.b?']],
    ['begin for r in insert into a.b values (1) returning * loop null; end loop; end', ['insert a.b']],
    ['begin return query update a.b set c = 1 returning *; end', ['update a.b']],
    [`begin execute 'insert into a.b select a.f() from c.d' using x; end`, ['insert a.b', 'call a.f', 'select c.d']],
    ['begin if x then execute $q$ delete from a.b $q$; end if; end', ['delete a.b?']],
  ])('marks the uses that some calls of a PL/pgSQL function do not reach: %s', (body, uses) => {
    expect(reported('plpgsql', body)).toEqual(uses);
  });
});
