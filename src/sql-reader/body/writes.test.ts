import { describe, expect, it } from 'vitest';
import { sqlstateOfStable, writesInStatements, writesOf } from './writes.ts';

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
