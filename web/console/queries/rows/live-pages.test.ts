import { expect, it } from 'vitest';
import { mergeRows } from './live-pages.ts';

const rows = (text: string) => text.split('').map((id) => ({ id }));
const merged = (shown: string, live: string, isComplete = true) =>
  mergeRows(rows(shown), rows(live), ({ id }) => String(id), isComplete)
    .map(({ id }) => id)
    .join('');

it('mergeRows removes deleted rows, adds new rows after their predecessors, and keeps the places of shown rows', () => {
  expect(merged('abc', 'abc')).toBe('abc');
  expect(merged('abc', 'ac')).toBe('ac');
  expect(merged('abc', 'axbcy')).toBe('axbcy');
  expect(merged('zab', 'abz')).toBe('zab');
  expect(merged('', 'ab')).toBe('ab');
});

it('mergeRows keeps and adds no rows if the live rows are only the first of the table', () => {
  expect(merged('abc', 'xb', false)).toBe('abc');
});
