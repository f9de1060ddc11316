import { expect, it } from 'vitest';
import { csvOf } from './csv.ts';

it('quotes separators, quotes and line breaks, and lets a spreadsheet run no formula', () => {
  expect(
    csvOf([
      ['Name', 'Total'],
      ['a "b", c\nd', '-12.5'],
      ['=HYPERLINK("http://evil.example")', '+1'],
      ['@SUM(A1)', '-2+3'],
    ]),
  ).toBe('Name,Total\r\n"a ""b"", c\nd",-12.5\r\n"\'=HYPERLINK(""http://evil.example"")",+1\r\n\'@SUM(A1),\'-2+3');
});
