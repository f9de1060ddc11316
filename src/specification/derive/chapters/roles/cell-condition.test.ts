import { expect, it } from 'vitest';
import { cellCondition } from '../../../../../contract/cell-condition.ts';

it.each([
  ['own row (by owner)', 'when own row (by owner)'],
  ['own row (by owner), 3 of 4 fields', 'when own row (by owner), 3 of 4 fields'],
  ['3 of 4 fields', 'for 3 of 4 fields'],
  ['as far as rows of tickets can be seen', 'as far as rows of tickets can be seen'],
  ['filters on id', 'with filters on id'],
  ['only one at a time', 'only one at a time'],
  ['', 'not always'],
])('cellCondition turns the words %s of a cell into the condition %s', (words, condition) =>
  expect(cellCondition(words)).toBe(condition),
);
