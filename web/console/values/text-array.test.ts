import { expect, it } from 'vitest';
import { textArray, textElements } from './text-array.ts';

it.each([
  ['{}', []],
  ['{a,b}', ['a', 'b']],
  ['{"a, b",NULL,"NULL","say \\"x\\" \\\\",{}', ['a, b', 'NULL', 'say "x" \\']],
  ['{Ü/1.png,"{x}"}', ['Ü/1.png', '{x}']],
])('textElements reads %s', (array, elements) => {
  expect(textElements(array)).toEqual(elements);
});

it('textElements reads what textArray writes', () => {
  const elements = ['', 'a', 'a,b', '"', '\\', '{}', 'null', 'x\ny'];
  expect(textElements(textArray(elements))).toEqual(elements);
});
