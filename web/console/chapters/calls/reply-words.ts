/** How much of a body is shown, in characters. */
const max = 20_000;

/** A body to read: JSON in lines, and of a long one the beginning. Pure. */
export function shownText(body: string): { text: string; cut: boolean } {
  const value = read(body);
  const whole = value === undefined ? body : JSON.stringify(value, null, 2);
  return { text: whole.slice(0, max), cut: whole.length > max };
}

/** How many rows a body holds; null where it is no list. Pure. */
export function rowsIn(body: string): number | null {
  const value = read(body);
  return Array.isArray(value) ? value.length : null;
}

/** The code of an error, in the words of PostgREST or GoTrue; null where the body has none. Pure. */
export function codeOf(body: string): string | null {
  const value = read(body);
  if (typeof value !== 'object' || value === null) return null;
  const said = 'error_code' in value ? value.error_code : 'code' in value ? value.code : null;
  return typeof said === 'string' ? said : null;
}

function read(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
