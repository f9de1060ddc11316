import { limits } from '../../../contract/limits.ts';

/** Maximum number of names among which a name is searched one by one. For more names, a map is built. */
const FEW_NAMES = 16;

/**
 * Reads the keys of JSON rows (RFC 8259) from the bytes without building values. A body of megabytes therefore needs no
 * further memory, and the time per byte does not depend on the content. Accepts and rejects the same bytes as
 * `JSON.parse`, except deep nesting.
 */

/**
 * The keys of the object, or the keys that every object of the array has. `isRows` is false for a number, a string,
 * true, false, null and an empty array.
 */
export interface JsonRows {
  readonly keys: readonly string[];
  readonly isObject: boolean;
  readonly isRows: boolean;
}

/** Error of an array with an element that is no object or has other keys than the first one. */
export class KeysDiffer extends Error {
  override readonly name = 'KeysDiffer';
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const ZERO = 0x30;

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= 0x39;
const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const hexDigits = /^[0-9A-Fa-f]{4}$/;
/** The characters `"`, `\`, `/`, `b`, `f`, `n`, `r`, `t`. */
const simpleEscapes = new Set([QUOTE, BACKSLASH, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]);
const words = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/**
 * Reads the keys of JSON rows.
 * @throws SyntaxError for bytes that are no JSON or nest too deep.
 * @throws KeysDiffer for an array whose elements are not rows with the same keys.
 */
export function readJsonRows(bytes: Uint8Array): JsonRows {
  return new RowScanner(
    Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
  ).read();
}

class RowScanner {
  readonly #bytes: Buffer;
  #pos = 0;
  /** The kind of each open bracket. */
  readonly #open: number[] = [];
  #depth = 0;
  /** Number of open brackets inside a row: 1 for an object, 2 for an array of objects. */
  #rowDepth = 1;
  readonly #keys: KeysOfRows;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#keys = new KeysOfRows(bytes);
  }

  read(): JsonRows {
    const bytes = this.#bytes;
    // Skips a byte order mark, as TextDecoder does.
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#pos = 3;
    this.#skipSpace();
    const first = bytes[this.#pos];
    if (first === OPEN_ARRAY) this.#rowDepth = 2;
    do this.#value();
    while (this.#continues());
    this.#skipSpace();
    if (this.#pos < bytes.length) throw this.#malformed();
    const isObject = first === OPEN_OBJECT;
    if (!isObject && first !== OPEN_ARRAY) return { keys: [], isObject: false, isRows: false };
    if (this.#keys.differ) throw new KeysDiffer();
    return { keys: this.#keys.names, isObject, isRows: this.#keys.rows > 0 };
  }

  /**
   * Reads the next value up to its first scalar or empty container: all opening brackets before it, and for each object
   * its first key. `#continues` reads the text that follows.
   */
  #value(): void {
    for (;;) {
      this.#skipSpace();
      const byte = this.#bytes[this.#pos];
      const isRow = this.#depth === this.#rowDepth - 1;
      if (isRow && byte !== OPEN_OBJECT && this.#rowDepth === 2)
        this.#keys.differ = this.#keys.differ || this.#depth === 1;
      if (byte === OPEN_OBJECT) {
        this.#push(OPEN_OBJECT);
        if (isRow) this.#keys.beginRow();
        this.#skipSpace();
        if (this.#bytes[this.#pos] === CLOSE_OBJECT) return;
        this.#key();
      } else if (byte === OPEN_ARRAY) {
        this.#push(OPEN_ARRAY);
        this.#skipSpace();
        if (this.#bytes[this.#pos] === CLOSE_ARRAY) return;
      } else {
        this.#scalar(byte);
        return;
      }
    }
  }

  /**
   * Reads the characters after a value: closing brackets, then a comma and, in an object, a key. Returns false at the
   * end of the outermost value.
   */
  #continues(): boolean {
    while (this.#depth > 0) {
      this.#skipSpace();
      const byte = this.#bytes[this.#pos++];
      const isObject = this.#open[this.#depth - 1] === OPEN_OBJECT;
      if (byte === COMMA) {
        if (isObject) this.#key();
        return true;
      }
      if (byte !== (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) throw this.#malformed();
      if (isObject && this.#depth === this.#rowDepth) this.#keys.endRow();
      this.#depth--;
    }
    return false;
  }

  #push(bracket: number): void {
    this.#pos++;
    if (this.#depth === limits.bodyDepth.default) throw this.#malformed();
    this.#open[this.#depth++] = bracket;
  }

  #key(): void {
    this.#skipSpace();
    if (this.#bytes[this.#pos] !== QUOTE) throw this.#malformed();
    const start = this.#pos;
    this.#string();
    if (this.#depth === this.#rowDepth) this.#keys.add(start, this.#pos);
    this.#skipSpace();
    if (this.#bytes[this.#pos++] !== COLON) throw this.#malformed();
  }

  #scalar(byte: number | undefined): void {
    if (byte === QUOTE) this.#string();
    else if (byte === MINUS || isDigit(byte)) this.#number();
    else this.#word();
  }

  #string(): void {
    const bytes = this.#bytes;
    let pos = this.#pos + 1;
    for (;;) {
      const byte = bytes[pos++];
      if (byte === QUOTE) break;
      if (byte === undefined || byte < 0x20) throw this.#malformed();
      if (byte !== BACKSLASH) continue;
      const escaped = bytes[pos++] ?? 0;
      if (escaped === 0x75) {
        if (!hexDigits.test(bytes.toString('latin1', pos, pos + 4))) throw this.#malformed();
        pos += 4;
      } else if (!simpleEscapes.has(escaped)) throw this.#malformed();
    }
    this.#pos = pos;
  }

  #number(): void {
    const bytes = this.#bytes;
    if (bytes[this.#pos] === MINUS) this.#pos++;
    if (bytes[this.#pos] === ZERO) this.#pos++;
    else this.#digits();
    if (bytes[this.#pos] === 0x2e) {
      this.#pos++;
      this.#digits();
    }
    const exponent = bytes[this.#pos];
    if (exponent !== 0x65 && exponent !== 0x45) return;
    this.#pos++;
    const sign = bytes[this.#pos];
    if (sign === MINUS || sign === 0x2b) this.#pos++;
    this.#digits();
  }

  /** Reads one or more digits. */
  #digits(): void {
    const start = this.#pos;
    while (isDigit(this.#bytes[this.#pos])) this.#pos++;
    if (this.#pos === start) throw this.#malformed();
  }

  #word(): void {
    for (const word of words) {
      if (word.compare(this.#bytes, this.#pos, Math.min(this.#pos + word.length, this.#bytes.length)) !== 0) continue;
      this.#pos += word.length;
      return;
    }
    throw this.#malformed();
  }

  #skipSpace(): void {
    while (isSpace(this.#bytes[this.#pos])) this.#pos++;
  }

  #malformed(): SyntaxError {
    return new SyntaxError(`no JSON at byte ${this.#pos}`);
  }
}

/**
 * Collects the keys of the first row and compares those of the others. Rows that programs write usually have the same
 * keys in the same order. In that case only the bytes of each key are compared and nothing is decoded.
 */
class KeysOfRows {
  readonly #bytes: Buffer;
  rows = 0;
  differ = false;
  /** The distinct keys in the order of the first row, at most one more than a table can have columns. */
  readonly names: string[] = [];
  #places: Map<string, number> | null = null;
  /** Start and end of each key of the first row. */
  readonly #first: number[] = [];
  /**
   * The number of keys of the current row that equal the first row's keys at the same positions. Counts only while
   * `#inOrder` is true.
   */
  #met = 0;
  #inOrder = true;
  /** For each name, the number of the last row that contained it. */
  #seenIn: Uint32Array | null = null;
  #distinct = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  beginRow(): void {
    this.rows++;
    this.#met = 0;
    this.#inOrder = true;
    this.#distinct = 0;
  }

  /**
   * Adds a key of the current row.
   * @param start Offset of the opening quote.
   * @param end Offset after the closing quote.
   */
  add(start: number, end: number): void {
    if (this.differ || this.#hasTooMany()) return;
    if (this.rows === 1) {
      const name = this.#decode(start, end);
      this.#first.push(start, end);
      if (this.#placeOf(name) === undefined) {
        this.names.push(name);
        this.#places?.set(name, this.names.length - 1);
      }
      return;
    }
    if (this.#inOrder && this.#isSameAsFirst(start, end)) {
      this.#met++;
      return;
    }
    if (this.#inOrder) this.#leaveOrder();
    this.#mark(this.#decode(start, end));
  }

  endRow(): void {
    if (this.rows === 1 || this.differ || this.#hasTooMany()) return;
    this.differ = this.#inOrder
      ? 2 * this.#met !== this.#first.length && this.#lacksKeys()
      : this.#distinct !== this.names.length;
  }

  /**
   * Returns true if there are more keys than a relation can have columns. The request then fails anyway, so further
   * rows are not compared.
   */
  #hasTooMany(): boolean {
    return this.names.length > limits.bodyColumns.default;
  }

  #isSameAsFirst(start: number, end: number): boolean {
    const at = 2 * this.#met;
    const from = this.#first[at];
    const to = this.#first[at + 1];
    return (
      from !== undefined &&
      to !== undefined &&
      to - from === end - start &&
      this.#bytes.compare(this.#bytes, start, end, from, to) === 0
    );
  }

  /**
   * Returns true if a row that has fewer keys than the first row lacks one of its names. The first row may contain a
   * name more than once, so fewer keys are not always a difference.
   */
  #lacksKeys(): boolean {
    this.#leaveOrder();
    return this.#distinct !== this.names.length;
  }

  #leaveOrder(): void {
    this.#inOrder = false;
    for (let i = 0; i < this.#met; i++) {
      this.#mark(this.#decode(this.#first[2 * i] as number, this.#first[2 * i + 1] as number));
    }
  }

  /**
   * Returns the index of a name. Builds a map only for many names, because searching a few names one by one is faster.
   */
  #placeOf(name: string): number | undefined {
    if (this.names.length < FEW_NAMES) {
      const place = this.names.indexOf(name);
      return place === -1 ? undefined : place;
    }
    this.#places ??= new Map(this.names.map((one, place) => [one, place]));
    return this.#places.get(name);
  }

  #mark(name: string): void {
    const place = this.#placeOf(name);
    if (place === undefined) {
      this.differ = true;
      return;
    }
    this.#seenIn ??= new Uint32Array(this.names.length);
    if (this.#seenIn[place] === this.rows) return;
    this.#seenIn[place] = this.rows;
    this.#distinct++;
  }

  #decode(start: number, end: number): string {
    const bytes = this.#bytes;
    let name = '';
    for (let pos = start + 1; pos < end - 1; pos++) {
      const byte = bytes[pos] as number;
      if (byte >= 0x80 || byte === BACKSLASH) {
        return shortName(JSON.parse(lossyText.decode(bytes.subarray(start, end))) as string);
      }
      if (name.length <= limits.bodyNameCharacters.default) name += String.fromCharCode(byte);
    }
    return shortName(name);
  }
}

const lossyText = new TextDecoder('utf-8', { ignoreBOM: true });

/** Shortens a name that is longer than any name in PostgreSQL, so that error messages with it stay short. */
export const shortName = (name: string): string =>
  name.length <= limits.bodyNameCharacters.default ? name : `${name.slice(0, limits.bodyNameCharacters.default)}…`;
