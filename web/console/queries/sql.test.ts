import { expect, it } from 'vitest';
import { arrayLiteral, callSql, literal } from './sql.ts';

it.each([
  ["it's", "'it''s'"],
  ['', "''"],
  ["a\\'b", "E'a\\\\''b'"],
  ["'); drop table a; --", "'''); drop table a; --'"],
])('literal writes the string %s as an SQL literal with the same value', (text, sql) =>
  expect(literal(text)).toBe(sql),
);

it('callSql writes a function call that contains only the given arguments', () => {
  expect(callSql('f.g', { a: literal('1'), b: null, c: arrayLiteral(['x', "y'"]) })).toBe(
    "select f.g(\n  a => '1',\n  c => array['x', 'y''']::text[]);",
  );
  expect(callSql('f.g', { a: null })).toBe('select f.g();');
});
