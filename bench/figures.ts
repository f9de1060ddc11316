/** Formats figures in the way in which docs/performance.md shows them. */

export const WORKERS = 2;
export const CONNECTIONS = 32;
export const ROUNDS = 3;
export const MILLISECONDS = 5000;

export const number = (value: number): string => Math.round(value).toLocaleString('en-US');

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Returns the three quartiles. A quarter of the values is below the first, half below the second, and a quarter above the third. */
export function quartiles(values: readonly number[]): [number, number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return [at(0.25), at(0.5), at(0.75)];
}

/** Prints a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const rule = head.map((_, i) => (i === 0 ? '---' : '---:'));
  process.stdout.write(`${line(head)}${line(rule)}${rows.map(line).join('')}\n`);
}
