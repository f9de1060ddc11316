/**
 * Escapes text of users for Markdown (CommonMark 0.31, GFM tables), so that it appears unchanged on one line. Control
 * and direction marks, which could disguise a line, become the replacement character.
 */
export const inline = (text: string): string =>
  visible(text)
    .replace(/[\\`*[\]<>|~$]/g, '\\$&')
    .replace(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\_')
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/^([#+-]|\d+[.)])/, (mark) => `${mark.slice(0, -1)}\\${mark.slice(-1)}`)
    // Prevents automatic links.
    .replace(/(https?|ftp):\/\//g, '$1:\\/\\/')
    .replace(/\bwww\./g, 'www\\.');

/** Returns a name or SQL as inline code on one line, also valid in a table. */
export function code(text: string): string {
  const shown = visible(text).replaceAll('|', '\\|');
  const fence = '`'.repeat(longestRun(shown) + 1);
  const pad = /^[` ]|[` ]$|^$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** Returns a table. The cells must be Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Matches control and format characters and line separators, except those that join letters and emoji. */
const hidden = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const visible = (text: string): string => text.replace(/\s+/g, ' ').trim().replace(hidden, '\ufffd');

const longestRun = (text: string): number => Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));

/** Returns a number with its noun: "1 table", "3 tables". */
export const count = (number: number, singular: string, plural = `${singular}s`): string =>
  `${number} ${number === 1 ? singular : plural}`;
