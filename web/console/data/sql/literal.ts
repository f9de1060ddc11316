/**
 * A text as an SQL literal, whatever the server takes a backslash for (PostgreSQL, "String Constants with C-Style Escapes").
 * Pure.
 */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}

/** Texts as an SQL array. Pure. */
export const arrayLiteral = (texts: readonly string[]): string => `array[${texts.map(literal).join(', ')}]::text[]`;

/** The call of a function with named arguments, a line each; those that are null are left out. Pure. */
export function callSql(name: string, given: Readonly<Record<string, string | null>>): string {
  const lines = Object.entries(given).flatMap(([argument, sql]) => (sql === null ? [] : [`  ${argument} => ${sql}`]));
  return lines.length === 0 ? `select ${name}();` : `select ${name}(\n${lines.join(',\n')});`;
}
