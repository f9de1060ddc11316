import { describe, expect, it } from 'vitest';
import { runsDynamicSql, sqlstateOfStable, writesInStatements, writesOf } from './writes.ts';

describe('writesOf', () => {
  it.each([
    ['always', 'begin insert into log values (1); end'],
    ['always', 'declare n int; begin n := 1; update log set n = 2; return; end'],
    ['always', 'begin delete from log where old; end'],
    ['always', 'begin with w as (insert into log values (1) returning n) select n into m from w; end'],
    ['always', 'begin with w as (select 1) update log set n = 1; end'],
    ['always', 'begin perform 1 from log for update; end'],
    ['always', `begin perform nextval('numbers'); end`],
    ['always', 'begin truncate log; end'],
    ['always', 'begin refresh materialized view totals; end'],
    ['always', `begin comment on table log is 'old'; end`],
    ['always', 'begin perform lo_unlink(1); end'],
    ['never', 'begin comment := 1; end'],
    ['always', 'begin merge into log l using new_rows n on l.id = n.id when matched then delete; end'],
    ['always', 'begin for r in insert into log values (1) returning * loop null; end loop; end'],
    ['always', 'begin for r in update log set n = 1 returning * loop null; end loop; end'],
    ['always', 'begin return query insert into log values (1) returning *; end'],
    ['always', 'begin return query delete from log returning *; end'],
    ['always', 'begin return query with w as (update log set n = 1 returning *) select * from w; end'],
    ['always', `begin execute 'insert into log values ($1)' using 1; end`],
    ['always', `begin execute 'explain analyze insert into log values (1)'; end`],
    ['always', `begin for r in execute 'delete from log returning *' loop null; end loop; end`],
    ['always', `begin execute format('update %I set n = 1', name); end`],
    ['always', `begin execute 'insert into ' || quote_ident(name) || ' values (1)'; end`],
    ['always', `begin execute 'create table t (id int)'; end`],
    ['always', 'begin for r in explain analyze delete from log loop null; end loop; end'],
    ['always', 'begin for r in explain (analyze, costs off) insert into log values (1) loop null; end loop; end'],
    ['never', 'begin for r in explain insert into log values (1) loop null; end loop; end'],
    ['never', 'begin for r in explain (costs off) delete from log loop null; end loop; end'],
    ['never', 'begin for r in explain (analyze false) update log set n = 1 loop null; end loop; end'],
    ['always', `begin copy log from '/tmp/rows'; end`],
    ['never', `begin copy log to '/tmp/rows'; end`],
    ['always', 'begin lock table log; end'],
    ['always', 'begin <<here>> insert into log values (1); end'],
    ['always', `begin perform lo_import('/tmp/x'); end`],
    ['at times', 'begin case a when 1 then insert into log values (1); else null; end case; end'],
    ['at times', 'begin begin insert into log values (1); exception when others then null; end; end'],
    ['never', `begin execute 'select 1'; end`],
    ['never', 'begin select n into m from log; end'],
    ['at times', 'begin if a then insert into log values (1); end if; end'],
    ['at times', 'begin if a then return; end if; insert into log values (1); end'],
    ['at times', 'begin insert into log values (1); exception when others then null; end'],
    ['at times', 'begin for r in select 1 loop delete from log; end loop; end'],
    ['never', `begin perform set_config('a.update', 'insert into log', true); end`],
    ['never', 'begin select updated, inserted into a, b from log; end'],
    ['never', 'begin -- insert into log\n perform 1; end'],
  ])('classifies the writes of a PL/pgSQL body as %s: %s', (writes, body) => {
    expect(writesOf('plpgsql', body)).toBe(writes);
  });

  it.each([
    ['always', 'select 1; insert into log values (1)'],
    ['always', 'begin atomic delete from log; end'],
    ['never', 'select 1'],
    ['always', 'merge into log l using b on l.id = b.id when not matched then insert values (1)'],
    ['always', 'with w as (select 1) merge into log l using w on true when matched then do nothing'],
    ['always', 'select 1 as n into log'],
    ['always', 'do $$ begin delete from log; end $$'],
    ['always', 'explain analyze verbose insert into log values (1)'],
    ['never', 'explain verbose insert into log values (1)'],
    ['never', `select 'insert into log'`],
  ])('classifies the writes of an SQL body as %s: %s', (writes, body) => {
    expect(writesOf('sql', body)).toBe(writes);
  });
});

describe('writesInStatements', () => {
  it.each([
    ['always', 'begin truncate log; end'],
    ['at times', 'begin if a then insert into log values (1); end if; end'],
    ['never', `begin perform nextval('numbers'); end`],
  ])('does not count calls of functions that write, and returns %s for the body: %s', (writes, body) => {
    expect(writesInStatements('plpgsql', body)).toBe(writes);
  });
});

describe('sqlstateOfStable', () => {
  it.each([
    ['0A000', 'plpgsql', 'begin insert into log values (1); end', false],
    ['0A000', 'plpgsql', 'begin perform 1 from log for update; end', false],
    ['0A000', 'sql', 'select 1 from log for update', false],
    ['25006', 'sql', 'select * from log for update', true],
    ['25006', 'sql', `select nextval('numbers')`, false],
  ])('returns %s for the %s body: %s', (sqlstate, language, body, isInlined) => {
    expect(sqlstateOfStable(language, body, isInlined)).toBe(sqlstate);
  });
});

describe('runsDynamicSql', () => {
  it.each([
    [true, 'begin execute command; end'],
    [true, `begin execute 'select ' || x; end`],
    [true, `begin execute format('select %s', x); end`],
    [false, `begin execute 'select 1' into x using y; end`],
    [false, 'begin grant execute on function f() to a; end'],
    [false, 'begin null; end'],
  ])('returns %s for the body: %s', (isDynamic, body) => {
    expect(runsDynamicSql(body)).toBe(isDynamic);
  });
});
