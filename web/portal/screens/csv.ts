/**
 * Returns rows as CSV (RFC 4180). A text that a spreadsheet would read as a formula gets an apostrophe before it (OWASP,
 * "CSV Injection"); numbers stay as they are. Pure.
 */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => cells.map(cell).join(',')).join('\r\n');

function cell(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
