interface Rows {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly (string | null)[])[];
}

const quotedIf = (value: string, pattern: RegExp): string =>
  pattern.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

/** Writes columns separated by tabs, as spreadsheets read them from the clipboard. */
export const toTabs = ({ columns, rows }: Rows): string =>
  [columns.map(({ name }) => name), ...rows.map((row) => row.map((value) => value ?? ''))]
    .map((row) => row.map((value) => quotedIf(value, /["\t\r\n]/)).join('\t'))
    .join('\n');

const numbers: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision']);
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Writes an array of objects. Numbers and JSON are exactly as PostgreSQL prints them. If columns share a name, the
 * later columns get a number.
 */
export function toJson({ columns, rows }: Rows): string {
  const names = columns.map(({ name }, index) => {
    const before = columns.slice(0, index).filter((column) => column.name === name).length;
    return JSON.stringify(before === 0 ? name : `${name}_${before + 1}`);
  });
  const value = (text: string | null, type: string): string => {
    if (text === null) return 'null';
    if (type === 'json' || type === 'jsonb') return text;
    if (type === 'boolean') return text.startsWith('t') ? 'true' : 'false';
    return numbers.has(type.replace(/\(.*\)/, '')) && jsonNumber.test(text) ? text : JSON.stringify(text);
  };
  const objects = rows.map(
    (row) =>
      `  {${row.map((text, index) => `${names[index]}: ${value(text, columns[index]?.type ?? 'text')}`).join(', ')}}`,
  );
  return objects.length === 0 ? '[]\n' : `[\n${objects.join(',\n')}\n]\n`;
}
