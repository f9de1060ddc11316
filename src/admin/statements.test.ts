import { describe, expect, it } from 'vitest';
import { splitStatements } from './statements.ts';

const texts = (script: string) => splitStatements(script).map(({ text }) => text);

describe('a script is split where PostgreSQL ends a statement', () => {
  it.each<[string, string[]]>([
    ['select 1; select 2', ['select 1', 'select 2']],
    [';; select 1 ;\n;', ['select 1']],
    [`select ';', "a;b", E'\\';' ; select 2`, [`select ';', "a;b", E'\\';'`, 'select 2']],
    [`select 'it''s;'; select '\\'; select 3`, [`select 'it''s;'`, `select '\\'`, 'select 3']],
    ['do $$ begin; end; $$; select $a$;$b$;$a$', ['do $$ begin; end; $$', 'select $a$;$b$;$a$']],
    ['select 1 -- ; not\n; /* ; /* ; */ ; */ select 2', ['select 1 -- ; not', 'select 2']],
    ['-- only a comment\n/* another */', []],
    [
      'create rule r as on insert to t do (select 1; select 2); select 3',
      ['create rule r as on insert to t do (select 1; select 2)', 'select 3'],
    ],
    [
      'create or replace function f() returns int begin atomic select case when true then 1 end; select 2; end; commit',
      [
        'create or replace function f() returns int begin atomic select case when true then 1 end; select 2; end',
        'commit',
      ],
    ],
    ['begin; create table a (); end; select 1', ['begin', 'create table a ()', 'end', 'select 1']],
    [`select 'never ends; select 2`, [`select 'never ends; select 2`]],
    ['select a$b$c; select 2; select $1', ['select a$b$c', 'select 2', 'select $1']],
    ["select naive; select tee'x;'", ['select naive', "select tee'x;'"]],
    ['\\restrict a;b\r\nselect 1;\n  \\unrestrict a', ['\\restrict a;b', 'select 1', '\\unrestrict a']],
    ["select '\\connect a'; select E'a\\\\'; select 2", ["select '\\connect a'", "select E'a\\\\'", 'select 2']],
  ])('%s', (script, expected) => {
    expect(texts(script)).toEqual(expected);
  });

  it('tells the first word of each, whatever comments stand before it, and where it stands', () => {
    const script = '/* a */ -- b\n CoMMit ; (select 1)';
    expect(splitStatements(script)).toEqual([
      { text: 'CoMMit', command: 'COMMIT', at: 14 },
      { text: '(select 1)', command: 'SELECT', at: 23 },
    ]);
  });
});
