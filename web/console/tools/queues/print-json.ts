/** Matches a number whose digits JavaScript cannot represent. */
const LONG_NUMBER = /[0-9.]{16,}/;

/** Returns the JSON of a message with indentation; unchanged if a number would lose digits. Pure. */
export function printJson(text: string | null): string {
  if (text === null) return 'null';
  if (LONG_NUMBER.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
