import { expect, it } from 'vitest';
import { readToml } from './read-toml.ts';

it('readToml reads tables, keys, strings, numbers, booleans and lists, and ignores other values', () => {
  const text = `a = 1_000 # one thousand
"quoted key" = 'c:\\path'
[one . two] # a table
text = "say \\"hi\\" # not a comment"
list = [
  "x", # first
  'y',
  [1, 2],
]
on = true
date = 2026-01-01
inline = { a = 1 }
long = """
two
lines"""
[[many]]
name = "left out or not, never a fault"
[last]
broken =
off = false`;
  expect(Object.fromEntries(readToml(text))).toMatchObject({
    a: 1000,
    'quoted key': 'c:\\path',
    'one.two.text': 'say "hi" # not a comment',
    'one.two.list': ['x', 'y', [1, 2]],
    'one.two.on': true,
    'one.two.long': 'two\nlines',
    'last.off': false,
  });
  expect(readToml(text).has('one.two.inline')).toBe(false);
});

it('readToml ends for any text', () => {
  for (const text of ['a = [', 'a = ["x"', '[', '= 1', 'a = [{x=1}, 2]', 'a = """', '\0'])
    expect(readToml(text)).toBeInstanceOf(Map);
});
