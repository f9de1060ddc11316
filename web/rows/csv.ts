/** Rows and the names of their columns. A value is a string or null. */
export interface CsvRows {
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly (readonly (string | null)[])[];
}

const quotedIf = (value: string, pattern: RegExp): string =>
  pattern.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

/**
 * Writes comma-separated values (RFC 4180) with a header. Null becomes an empty field, and an empty string becomes "".
 */
export const toCsv = ({ columns, rows }: CsvRows): string =>
  [
    columns.map(({ name }) => quotedIf(name, /[",\r\n]/)).join(','),
    ...rows.map((row) =>
      row.map((value) => (value === null ? '' : value === '' ? '""' : quotedIf(value, /[",\r\n]/))).join(','),
    ),
  ]
    .map((line) => `${line}\r\n`)
    .join('');

/**
 * Writes rows as CSV for a spreadsheet. A text that a spreadsheet would run as a formula gets an apostrophe before it
 * (OWASP, "CSV Injection"). Numbers are unchanged.
 */
export const toSpreadsheetCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => cells.map((text) => quotedIf(unlessFormula(text), /[",\r\n]/)).join(',')).join('\r\n');

/** Also matches signs of full width, and signs after spaces and line breaks, which some spreadsheets ignore. */
const FORMULA = /^(?:[\t\r]|\s*[=+\-@＝＋－＠])/;

function unlessFormula(text: string): string {
  const isFormula = FORMULA.test(text) && !/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text);
  return isFormula ? `'${text}` : text;
}

/** One record of a CSV file: a line, or several lines if a quoted value contains line breaks. */
export interface CsvRecord {
  /** Number of the line at which the record begins, counted from 1. */
  readonly line: number;
  /** The values of the record. A value that is empty and not in quotes is null. */
  readonly values: readonly (string | null)[];
}

export interface CsvFile {
  readonly separator: Separator;
  readonly header: readonly string[];
  readonly records: readonly CsvRecord[];
}

export type Separator = ',' | ';' | '\t';

/** Encodings of CSV files, as the Encoding Standard names them. Spreadsheets on Windows write windows-1252. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/**
 * Decodes a CSV file. A byte order mark decides; without a byte order mark, bytes that are not UTF-8 are windows-1252,
 * in which every byte is a character.
 */
export function decodeCsv(bytes: Uint8Array): { readonly text: string; readonly encoding: Encoding } {
  const decode = (encoding: Encoding, options?: TextDecoderOptions) => ({
    text: new TextDecoder(encoding, options).decode(bytes),
    encoding,
  });
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decode('utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decode('utf-16be');
  try {
    return decode('utf-8', { fatal: true });
  } catch {
    return decode('windows-1252');
  }
}

/**
 * Reads and parses a file that the reader chose.
 * @throws Error as parseCsv does
 */
export async function readCsvFile(file: Blob): Promise<CsvFile & { readonly encoding: Encoding }> {
  const { text, encoding } = decodeCsv(new Uint8Array(await file.arrayBuffer()));
  return { ...parseCsv(text), encoding };
}

/** Returns the separator that occurs most often in the first line. */
function separatorOf(text: string): Separator {
  const [line = ''] = text.split(/\r?\n/, 1);
  const counts = ([',', ';', '\t'] as const).map((one) => [one, line.split(one).length] as const);
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

/**
 * Parses a CSV file (RFC 4180) whose first line names the columns, separated by commas, semicolons or tabs. Empty lines
 * are left out. Pure.
 * @throws Error that names the line, for a quote that is not closed and for text after a closing quote
 */
export function parseCsv(file: string): CsvFile {
  const text = file.replace(/^\ufeff/, '');
  const separator = separatorOf(text);
  const records: CsvRecord[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const begun = line;
    const values: (string | null)[] = [];
    for (;;) {
      const value = text[at] === '"' ? readQuoted(text, at, line) : readPlain(text, at, separator);
      values.push(value.text);
      line += value.lines;
      at = value.end;
      if (text[at] !== separator) break;
      at += 1;
    }
    if (at < text.length && text[at] !== '\r' && text[at] !== '\n') {
      throw new Error(`Line ${line} has text after a closing quote. Double each quote within a value.`);
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    line += 1;
    if (values.length > 1 || values[0] !== null) records.push({ line: begun, values });
  }
  const [header, ...rest] = records;
  return { separator, header: header?.values.map((value) => (value ?? '').trim()) ?? [], records: rest };
}

interface Value {
  text: string | null;
  /** Position in the file after the value. */
  end: number;
  /** Number of line breaks in the value. */
  lines: number;
}

function readPlain(text: string, start: number, separator: Separator): Value {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return { text: end === start ? null : text.slice(start, end), end, lines: 0 };
}

function readQuoted(text: string, start: number, line: number): Value {
  let value = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw new Error(`The quote that begins in line ${line} is not closed.`);
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { text: value, end: quote + 1, lines: value.split('\n').length - 1 };
    value += '"';
    at = quote + 2;
  }
}
