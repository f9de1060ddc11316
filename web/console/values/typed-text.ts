/** Reads numbers and arrays as a person writes them. Dates and times: web/fields/read-time.ts. */

export type DecimalSign = ',' | '.';

/** A comma that may be a decimal sign or a separator of thousands. */
const unclearComma = /^-?[1-9]\d{0,2},\d{3}$/;
const unclearPoint = /^-?[1-9]\d{0,2}\.\d{3}$/;
const commaDecimal = /^-?(\d+|\d{1,3}(\.\d{3})+),\d+$/;
const pointDecimal = /^-?(\d+|\d{1,3}(,\d{3})+)\.\d+$/;
/** Numbers as PostgreSQL reads them. */
const plain = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^[+-]?(nan|inf(inity)?)$/i;

const withoutUnit = (text: string): string => text.replaceAll(/[\s'’]|^[€$£]|[€$£]$/g, '');

/** Returns the decimal sign of numbers that are written alike; null if none of them shows the sign. Pure. */
export function decimalSign(texts: readonly string[]): DecimalSign | null {
  const given = texts.map(withoutUnit);
  const hasComma = given.some((text) => commaDecimal.test(text) && !unclearComma.test(text));
  const hasPoint = given.some((text) => pointDecimal.test(text) && !unclearPoint.test(text));
  return hasComma === hasPoint ? null : hasComma ? ',' : '.';
}

/**
 * Converts a number as a person writes it to a number that PostgreSQL reads: "1.234,50" and "1,234.50" to "1234.50",
 * "12,5 €" to "12.5". Returns null for a text that is no number, and for one that may mean two, such as "1,234" without
 * a known decimal sign. Pure.
 */
export function readNumber(typed: string, decimal: DecimalSign | null): string | null {
  const text = withoutUnit(typed);
  const withComma = () => text.replaceAll('.', '').replace(',', '.');
  if (unclearComma.test(text)) return decimal === ',' ? withComma() : decimal === '.' ? text.replace(',', '') : null;
  if (unclearPoint.test(text)) return decimal === ',' ? withComma() : text;
  if (commaDecimal.test(text)) return withComma();
  if (pointDecimal.test(text) || /^-?\d{1,3}(,\d{3}){2,}$/.test(text)) return text.replaceAll(',', '');
  if (/^-?\d{1,3}(\.\d{3}){2,}$/.test(text)) return text.replaceAll('.', '');
  return plain.test(text) ? text : null;
}

/** Converts "red, blue" and ["red", "blue"] to an array as PostgreSQL reads it; null for any other text. Pure. */
export function readArray(typed: string): string | null {
  const text = typed.trim();
  if (text === '') return '{}';
  if (text.startsWith('{')) return null;
  const parts: unknown = text.startsWith('[') ? jsonOf(text) : text.split(',').map((part) => part.trim());
  if (!Array.isArray(parts) || parts.some((part) => typeof part === 'object')) return null;
  return `{${parts.map((part) => `"${String(part).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
