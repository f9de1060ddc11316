/**
 * Writes a string as an SQL literal that is correct for both values of standard_conforming_strings (PostgreSQL, "String
 * Constants with C-Style Escapes"). Pure.
 */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}

/** Writes strings as an SQL array. Pure. */
export const arrayLiteral = (texts: readonly string[]): string => `array[${texts.map(literal).join(', ')}]::text[]`;

/** Writes the call of a function with named arguments, one on each line. Omits arguments that are null. Pure. */
export function callSql(name: string, given: Readonly<Record<string, string | null>>): string {
  const lines = Object.entries(given).flatMap(([argument, sql]) => (sql === null ? [] : [`  ${argument} => ${sql}`]));
  return lines.length === 0 ? `select ${name}();` : `select ${name}(\n${lines.join(',\n')});`;
}
