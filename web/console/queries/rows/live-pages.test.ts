import { expect, it } from 'vitest';
import { mergeRows } from './live-pages.ts';
import { withRow } from './write-cache.ts';

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

it('withRow puts an inserted row first and counts it once, also if the live rows already contain it', () => {
  const page = (text: string, total: number) => ({ rows: rows(text), total, exact: true, milliseconds: 1 });
  const after = (...pages: string[]) =>
    withRow(
      pages.map((text) => page(text, 5)),
      { id: 'n' },
      ['id'],
    ).map(({ rows, total }) => [rows.map(({ id }) => id).join(''), total]);
  expect(after('ab', 'c')).toEqual([
    ['nab', 6],
    ['c', 6],
  ]);
  expect(after('ab', 'nc')).toEqual([
    ['nab', 5],
    ['c', 5],
  ]);
});
