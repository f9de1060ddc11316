import type { AppConnection } from '../../contract/admin.ts';
import { environment, supabaseJs } from '../../contract/connect-snippets.ts';

/** Maximum number of printed warnings; --json prints all. */
const SHOWN_WARNINGS = 30;

/** Prints a value as JSON. */
export const printJson = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
};

/** Prints rows as aligned columns below their headings. Columns of numbers are right-aligned. */
export function printTable(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const isNumber = heads.map((_, i) => rows.length > 0 && rows.every((row) => /^[\d.,]+( \w+)?$/.test(row[i] ?? '')));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (isNumber[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  process.stdout.write(`${[heads, ...rows].map(line).join('\n')}\n`);
}

/** Prints names and values, one pair per line. */
export function printPairs(pairs: readonly (readonly [string, string])[]): void {
  const width = Math.max(...pairs.map(([name]) => name.length));
  process.stdout.write(`${pairs.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')}\n`);
}

/** Prints the URL and keys of an app. */
export function printConnection(connection: AppConnection, json: boolean): void {
  if (json) {
    printJson(connection);
    return;
  }
  // `reveals` is left out. It names the keys that the console hides at first, but here all keys are printed.
  const { reveals: _, ...pairs } = connection;
  printPairs(Object.entries(pairs).map(([name, value]) => [name.replaceAll('_', ' '), String(value ?? '–')]));
}

/** Prints texts to paste that connect to an app: the variables of `.env`, and a program. */
export function printSnippets(connection: AppConnection): void {
  process.stdout.write(`\n# .env\n${environment(connection)}\n\n// JavaScript\n${supabaseJs(connection, null)}\n`);
}

/** Formats a size: 58 MB, 940 kB. */
export function bytesInWords(bytes: number): string {
  if (bytes < 1e6) return `${Math.round(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Prints warnings about statements that were changed or skipped, to standard error. */
export function printWarnings(
  warnings: readonly { file?: string; line: number; column: number; message: string }[],
): void {
  for (const { file, line, message } of warnings.slice(0, SHOWN_WARNINGS)) {
    process.stderr.write(`warning  ${file === undefined ? 'line ' : `${file}:`}${line}: ${message}\n`);
  }
  const more = warnings.length - SHOWN_WARNINGS;
  if (more > 0) process.stderr.write(`warning  … and ${more} more: --json lists all.\n`);
}
