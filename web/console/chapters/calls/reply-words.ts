/** Maximum number of characters of a body that the page shows. */
const max = 20_000;

/** Formats a response body for reading: JSON with one value per line, and only the beginning of a long body. Pure. */
export function shownText(body: string): { text: string; cut: boolean } {
  const value = read(body);
  const whole = value === undefined ? body : JSON.stringify(value, null, 2);
  return { text: whole.slice(0, max), cut: whole.length > max };
}

/** Counts the rows of a response body; null if the body is not a list. Pure. */
export function rowsIn(body: string): number | null {
  const value = read(body);
  return Array.isArray(value) ? value.length : null;
}

/** Returns the error code of a response body of PostgREST or GoTrue; null if the body contains no code. Pure. */
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
