import { describe, expect, it } from 'vitest';
import { splitStatements } from './statements.ts';

const texts = (script: string) => splitStatements(script).map(({ text }) => text);

describe('splitStatements', () => {
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
  ])('splits a script where PostgreSQL ends a statement: %s', (script, expected) => {
    expect(texts(script)).toEqual(expected);
  });

  it.each<[string, [text: string, data: string | undefined][]]>([
    [
      "copy a (b) from stdin;\n1\t';\n\\.\nselect 2",
      [
        ['copy a (b) from stdin', "1\t';\n"],
        ['select 2', undefined],
      ],
    ],
    ['COPY a FROM STDIN WITH (FORMAT csv); \r\n\\.\r\n', [['COPY a FROM STDIN WITH (FORMAT csv)', '']]],
    ['copy a from stdin;\n1\n2', [['copy a from stdin', '1\n2']]],
    [
      "copy a from '/x'; select 1",
      [
        ["copy a from '/x'", undefined],
        ['select 1', undefined],
      ],
    ],
    [
      'copy (select * from stdin) to stdout; select 1',
      [
        ['copy (select * from stdin) to stdout', undefined],
        ['select 1', undefined],
      ],
    ],
    [
      'copy a from stdin; select 1',
      [
        ['copy a from stdin', undefined],
        ['select 1', undefined],
      ],
    ],
  ])('reads the data of COPY in %j', (script, expected) => {
    expect(splitStatements(script).map(({ text, data }) => [text, data?.text])).toEqual(expected);
  });

  it('returns the first word and the offset of each statement, with or without comments before it', () => {
    const script = '/* a */ -- b\n CoMMit ; (select 1)';
    expect(splitStatements(script)).toEqual([
      { text: 'CoMMit', command: 'COMMIT', at: 14 },
      { text: '(select 1)', command: 'SELECT', at: 23 },
    ]);
  });
});
