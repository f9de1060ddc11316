/** Error of a JSON text that nests too deeply or has too many values. */
export class JsonTooComplex extends Error {
  override readonly name = 'JsonTooComplex';
}

/** Limits for a JSON text. */
export interface JsonBounds {
  readonly depth: number;
  readonly values: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** The characters [ and {, ] and }. */
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Parses JSON after counting its brackets and values, because brackets and values take far more time and memory than
 * their bytes suggest.
 * @throws JsonTooComplex
 * @throws SyntaxError
 */
export function parseBoundedJson(source: string, bounds: JsonBounds): unknown {
  const excess = excessOf(source, bounds);
  if (excess !== null) throw new JsonTooComplex(excess);
  return JSON.parse(source);
}

/** Returns true if brackets of a JSON text nest deeper than `depth`. Unlike parsing, the check is not recursive. */
export const nestsDeeper = (source: string, depth: number): boolean =>
  excessOf(source, { depth, values: Number.POSITIVE_INFINITY }) !== null;

/** Returns an English description of the limit that a JSON text exceeds; null for none. */
function excessOf(source: string, bounds: JsonBounds): string | null {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < source.length; i++) {
    const unit = source.charCodeAt(i);
    if (unit === QUOTE) i = endOfString(source, i);
    else if (unit === COMMA) values++;
    else if (OPENING.has(unit)) {
      depth++;
      values++;
    } else if (CLOSING.has(unit)) depth--;
    if (depth > bounds.depth) return 'it nests too deeply';
    if (values > bounds.values) return 'it holds too many values';
  }
  return null;
}

/** Returns the offset of the closing quote; the end of the text if there is none. */
function endOfString(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    const unit = source.charCodeAt(i);
    if (unit === BACKSLASH) i++;
    else if (unit === QUOTE) return i;
  }
  return source.length;
}
