import type { Line } from './read-lines.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
const END_OF_LINE = 0x0a;

/** Matches the start of JSON, also after a byte order mark. */
const BEGINS_JSON = /^(?:\xef\xbb\xbf)?\s*[[{]/;
const PROBED_BYTES = 64;

/**
 * Returns the objects of the first list of a JSON text. Each is returned as its bytes with the number of the line on
 * which it begins. Holds at most one object of up to `maxBytes` in memory; for a longer object, the bytes are null.
 */
export async function* readObjects(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let lineNumber = 1;
  let isBegun = false;
  let isInText = false;
  let isEscaped = false;
  /** The number of open brackets within the list; null before the list begins. */
  let depth: number | null = null;
  let begins = 0;
  let parts: Buffer[] | null = null;
  let length = 0;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= maxBytes) parts?.push(part);
    else parts = [];
  };
  for await (const chunk of chunks) {
    let start = 0;
    if (!isBegun) {
      if (!BEGINS_JSON.test(chunk.toString('latin1', 0, PROBED_BYTES))) throw new SyntaxError('The file is not JSON.');
      isBegun = true;
    }
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (byte === END_OF_LINE) lineNumber++;
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInText = false;
      } else if (byte === QUOTE) {
        isInText = true;
      } else if (depth === null) {
        if (byte === OPEN_LIST) depth = 0;
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        if (depth === 0) {
          [begins, start, parts, length] = [lineNumber, i, [], 0];
        }
        depth++;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (depth === 0) return;
        depth--;
        if (depth === 0) {
          add(chunk.subarray(start, i + 1));
          yield { number: begins, bytes: length > maxBytes ? null : Buffer.concat(parts ?? []) };
          parts = null;
        }
      }
    }
    if (parts !== null) add(chunk.subarray(start));
  }
  if (depth === null) throw new SyntaxError('The file holds no list of accounts.');
  throw new SyntaxError('The file ends before its list of accounts does.');
}
