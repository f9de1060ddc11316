import { describe, expect, it } from 'vitest';
import { decodeCsv, parseCsv, toCsv, toSpreadsheetCsv } from './csv.ts';

const values = (text: string) => parseCsv(text).records.map((record) => record.values);

describe('parseCsv', () => {
  it('distinguishes a missing value from an empty text in quotes', () => {
    expect(values('a,b,c\r\n1,,""\r\n')).toEqual([['1', null, '']]);
  });

  it('reads separators, quotes and line breaks within quotes, and counts the lines of the file', () => {
    const { header, records } = parseCsv('name,note\n"a, ""b""","x\ny"\n\nc,d');
    expect(header).toEqual(['name', 'note']);
    expect(records).toEqual([
      { line: 2, values: ['a, "b"', 'x\ny'] },
      { line: 5, values: ['c', 'd'] },
    ]);
  });

  it('detects semicolons and tabs as separators, and ignores a byte order mark', () => {
    expect(parseCsv('\ufeffa;b\n1,5;2')).toMatchObject({ separator: ';', header: ['a', 'b'] });
    expect(values('a\tb\n1\t2')).toEqual([['1', '2']]);
  });

  it('names the line of a quote that is not closed', () => {
    expect(() => parseCsv('a\nb\n"c')).toThrow('line 3');
  });

  it('names the line of a value that goes on after its closing quote', () => {
    expect(() => parseCsv('a,b\n1,"say "hello""')).toThrow('Line 2 has text after a closing quote.');
  });

  it('reads what toCsv has written', () => {
    const rows = [['a "b",\r\nc', null, ''] as const];
    expect(values(toCsv({ columns: [{ name: 'x' }, { name: 'y, z' }, { name: 'w' }], rows }))).toEqual(rows);
  });
});

describe('decodeCsv', () => {
  it('reads UTF-8, UTF-16 with a byte order mark, and windows-1252 if the bytes are not UTF-8', () => {
    const text = 'Café Müller';
    expect(decodeCsv(new TextEncoder().encode(text))).toEqual({ text, encoding: 'utf-8' });
    expect(decodeCsv(Buffer.from(`\ufeff${text}`, 'utf16le'))).toEqual({ text, encoding: 'utf-16le' });
    expect(decodeCsv(Buffer.from(`\ufeff${text}`, 'utf16le').swap16())).toEqual({ text, encoding: 'utf-16be' });
    expect(decodeCsv(Buffer.from(text, 'latin1'))).toEqual({ text, encoding: 'windows-1252' });
  });
});

describe('toSpreadsheetCsv', () => {
  it('quotes separators, quotes and line breaks, and prevents that a spreadsheet runs a text as a formula', () => {
    expect(
      toSpreadsheetCsv([
        ['Name', 'Total'],
        ['a "b", c\nd', '-12.5'],
        ['=HYPERLINK("http://evil.example")', '+1'],
        ['@SUM(A1)', '-2+3'],
        [' =cmd|x', '\n=1', '＝1', 'a=1'],
      ]),
    ).toBe(
      'Name,Total\r\n"a ""b"", c\nd",-12.5\r\n"\'=HYPERLINK(""http://evil.example"")",+1\r\n\'@SUM(A1),\'-2+3\r\n\' =cmd|x,"\'\n=1",\'＝1,a=1',
    );
  });
});
