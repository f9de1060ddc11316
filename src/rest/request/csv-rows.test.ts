import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { csvToRows } from './csv-rows.ts';

const rowsOf = (text: string): unknown => JSON.parse(Buffer.from(csvToRows(text).body).toString());

const cell = fc.oneof(
  fc.constantFrom('', 'NULL', '"', ',', '\r\n', 'ä', '__proto__', '1'),
  fc.string({ unit: 'grapheme' }),
);
const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;

describe('csvToRows', () => {
  it('reads written CSV, quoted or not, with any line end', () => {
    const table = fc
      .nat(4)
      .chain((more) =>
        fc.array(fc.array(cell, { minLength: more + 2, maxLength: more + 2 }), { minLength: 1, maxLength: 6 }),
      );
    fc.assert(
      fc.property(
        table,
        fc.boolean(),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.boolean(),
        (lines, quoteAll, lineEnd, ends) => {
          const written = (value: string) => (quoteAll || /[",\r\n]/.test(value) ? quoted(value) : value);
          const text = lines.map((cells) => cells.map(written).join(',')).join(lineEnd) + (ends ? lineEnd : '');
          const [header = [], ...rest] = lines;
          const expected = rest.map((cells) =>
            Object.fromEntries(header.map((name, i) => [name, cells[i] === 'NULL' ? null : cells[i]])),
          );
          expect(rowsOf(text)).toEqual(expected);
          expect(csvToRows(text)).toMatchObject({ header, rows: rest.length });
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['', 'Empty or invalid csv'],
    ['\n\r\n', 'Empty or invalid csv'],
    ['a\n"b', 'a quoted CSV value does not end'],
    ['a\n"b"c', 'a quoted CSV value goes on after its closing quote'],
    ['a,b\n1', 'All lines must have same number of fields'],
    ['a,b\n1\n"', 'a quoted CSV value does not end'],
    [',,'.repeat(limits.bodyColumns.default), `A line has more than ${limits.bodyColumns.default} fields`],
  ])('rejects %j', (text, message) => {
    expect(() => csvToRows(text)).toThrow(message);
  });

  it('rejects a CSV if its long column names, repeated in each row, make the JSON larger than the limit', () => {
    const names = Array.from({ length: 1600 }, (_, i) => `${'n'.repeat(60)}${i}`).join(',');
    expect(() => csvToRows(`${names}\n${`${','.repeat(1599)}\n`.repeat(1000)}`)).toThrow('too large as JSON');
  });
});
