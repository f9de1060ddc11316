/**
 * Text that others chose, as Markdown (CommonMark 0.31, GFM tables) that shows it as it is, on one line. Control and
 * direction marks, which could make a line read as another, are shown as the replacement character.
 */
export const inline = (text: string): string =>
  visible(text)
    .replace(/[\\`*[\]<>|~$]/g, '\\$&')
    .replace(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\_')
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/^([#+-]|\d+[.)])/, (mark) => `${mark.slice(0, -1)}\\${mark.slice(-1)}`)
    // Addresses would become links.
    .replace(/(https?|ftp):\/\//g, '$1:\\/\\/')
    .replace(/\bwww\./g, 'www\\.');

/** A name or a piece of SQL as code, on one line; safe within a table too. */
export function code(text: string): string {
  const shown = visible(text).replaceAll('|', '\\|');
  const fence = '`'.repeat(longestRun(shown) + 1);
  const pad = /^[` ]|[` ]$|^$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** SQL of several lines as a fenced block. */
export function block(sql: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(sql) + 1));
  return `${fence}sql\n${sql.replace(/\r\n?/g, '\n').replace(hidden, '\ufffd')}\n${fence}`;
}

/** A table; cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Control and format characters, but those that join letters and emoji, and the ends of lines. */
const hidden = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const visible = (text: string): string => text.replace(/\s+/g, ' ').trim().replace(hidden, '\ufffd');

const longestRun = (text: string): number => Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));

/** "1 table", "3 tables". */
export const count = (number: number, singular: string, plural = `${singular}s`): string =>
  `${number} ${number === 1 ? singular : plural}`;
