import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';

/** Converts CSV (RFC 4180, with either kind of line end) to JSON rows. */

/**
 * Result of the conversion. `body` is a JSON array with an object for each line except the first, which contains the
 * keys.
 */
export interface CsvRows {
  readonly header: readonly string[];
  readonly rows: number;
  readonly body: Uint8Array;
}

/** Number of characters that are collected before they are converted to bytes together. */
const PIECE_CHARACTERS = 64 * 1024;

/**
 * Converts the lines to JSON objects one by one, so that memory holds only the text and the result. The word NULL,
 * quoted or not, is null.
 * @throws SyntaxError if the text is not CSV or its lines have different numbers of cells.
 * @throws NinefoldError body_too_large
 */
export function csvToRows(text: string): CsvRows {
  let header: string[] | null = null;
  let columns: (readonly [key: string, place: number])[] = [];
  let differ = false;
  let rows = 0;
  const out = new JsonBytes();
  out.add('[');
  eachLine(text, (cells) => {
    if (header === null) {
      header = cells;
      // If a column name occurs twice, the values of the last such column are used.
      columns = [...new Map(cells.map((name, place) => [name, place]))].map(([name, place]) => [
        `${JSON.stringify(name)}:`,
        place,
      ]);
      return;
    }
    if (cells.length !== header.length) differ = true;
    if (differ) return;
    let row = rows === 0 ? '{' : ',{';
    columns.forEach(([key, place], i) => {
      const cell = cells[place] as string;
      row += `${i === 0 ? '' : ','}${key}${cell === 'NULL' ? 'null' : JSON.stringify(cell)}`;
    });
    out.add(`${row}}`);
    rows++;
  });
  if (header === null) throw new SyntaxError('Empty or invalid csv');
  if (differ) throw new SyntaxError('All lines must have same number of fields');
  out.add(']');
  return { header, rows, body: out.bytes() };
}

class JsonBytes {
  readonly #pieces: Buffer[] = [];
  #text = '';
  #bytes = 0;

  add(text: string): void {
    this.#text += text;
    if (this.#text.length > PIECE_CHARACTERS) this.#flush();
  }

  bytes(): Uint8Array {
    this.#flush();
    return this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
  }

  #flush(): void {
    const piece = Buffer.from(this.#text);
    this.#text = '';
    this.#bytes += piece.length;
    if (this.#bytes > limits.csvRowsBytes.default) {
      throw new NinefoldError('body_too_large', {
        message: 'The rows of the CSV body are too large as JSON.',
        limit: 'csvRowsBytes',
      });
    }
    this.#pieces.push(piece);
  }
}

/** Calls `take` with the cells of each line. Skips empty lines, such as the one at the end of most files. */
function eachLine(text: string, take: (cells: string[]) => void): void {
  let cells: string[] = [];
  let pos = 0;
  while (pos <= text.length) {
    const isQuoted = text.charCodeAt(pos) === QUOTE;
    const end = isQuoted ? endOfQuoted(text, pos) : endOfPlain(text, pos);
    const cell = isQuoted ? text.slice(pos + 1, end - 1).replaceAll('""', '"') : text.slice(pos, end);
    cells.push(cell);
    pos = end;
    if (cells.length > limits.bodyColumns.default) {
      throw new SyntaxError(`A line has more than ${limits.bodyColumns.default} fields`);
    }
    if (text.charCodeAt(pos) === COMMA) {
      pos += 1;
      continue;
    }
    if (cells.length > 1 || cell !== '') take(cells);
    cells = [];
    pos += text.charCodeAt(pos) === RETURN && text.charCodeAt(pos + 1) === LINE_FEED ? 2 : 1;
    if (pos >= text.length) break;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/**
 * Returns true for a character that ends a cell. `charCodeAt` returns NaN after the end of the text, which also ends a
 * cell.
 */
const endsCell = (code: number): boolean =>
  code === COMMA || code === LINE_FEED || code === RETURN || Number.isNaN(code);

function endOfPlain(text: string, from: number): number {
  let pos = from;
  while (!endsCell(text.charCodeAt(pos))) pos += 1;
  return pos;
}

/** Returns the offset after the closing quote. */
function endOfQuoted(text: string, from: number): number {
  let pos = from + 1;
  for (;;) {
    pos = text.indexOf('"', pos) + 1;
    if (pos === 0) throw new SyntaxError('a quoted CSV value does not end');
    if (text.charCodeAt(pos) !== QUOTE) break;
    pos += 1;
  }
  if (!endsCell(text.charCodeAt(pos))) throw new SyntaxError('a quoted CSV value goes on after its closing quote');
  return pos;
}
