/** Figures as docs/performance.md shows them. */

export const WORKERS = 2;
export const CONNECTIONS = 32;
export const ROUNDS = 3;
export const MILLISECONDS = 5000;

export const number = (value: number): string => Math.round(value).toLocaleString('en-US');

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Prints a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const rule = head.map((_, i) => (i === 0 ? '---' : '---:'));
  process.stdout.write(`${line(head)}${line(rule)}${rows.map(line).join('')}\n`);
}
