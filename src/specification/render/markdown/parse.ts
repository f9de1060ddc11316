/**
 * A block of the Markdown that this folder writes: headings, paragraphs, lists, tables, fenced code and details. The
 * reader does not support other Markdown. It reads an unknown line as a paragraph, so that no line is lost.
 */
export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'details'; summary: string; blocks: Block[] };

/** Parses Markdown into blocks. The texts of blocks are inline Markdown; see `readInline`. */
export function parseMarkdown(markdown: string): Block[] {
  const lines = markdown.replace(/\r\n?/g, '\n').split('\n');
  return readBlocks(lines, 0, false).blocks;
}

function readBlocks(lines: readonly string[], start: number, inDetails: boolean): { blocks: Block[]; next: number } {
  const blocks: Block[] = [];
  let at = start;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (inDetails && line === '</details>') return { blocks, next: at + 1 };
    const details = /^<details><summary>(.*)<\/summary>$/.exec(line);
    const fence = /^(`{3,})([a-z]*)$/.exec(line);
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    if (line.trim() === '') {
      at++;
    } else if (details) {
      const inner = readBlocks(lines, at + 1, true);
      blocks.push({ kind: 'details', summary: details[1] ?? '', blocks: inner.blocks });
      at = inner.next;
    } else if (fence) {
      const end = lines.indexOf(fence[1] ?? '', at + 1);
      const last = end < 0 ? lines.length : end;
      blocks.push({ kind: 'code', language: fence[2] ?? '', text: lines.slice(at + 1, last).join('\n') });
      at = last + 1;
    } else if (heading) {
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' });
      at++;
    } else {
      const isAlike = line.startsWith('- ') ? isItem : line.startsWith('| ') ? isRow : isProse;
      let end = at + 1;
      while (end < lines.length && isAlike(lines[end] ?? '')) end++;
      blocks.push(groupOf(lines.slice(at, end)));
      at = end;
    }
  }
  return { blocks, next: at };
}

const isItem = (line: string): boolean => line.startsWith('- ');
const isRow = (line: string): boolean => line.startsWith('| ');
const isProse = (line: string): boolean => line.trim() !== '' && !/^(- |\| |#{1,6} |`{3,}|<\/?details>)/.test(line);

function groupOf(lines: readonly string[]): Block {
  const [first = '', second = ''] = lines;
  if (isItem(first)) return { kind: 'list', items: lines.map((line) => line.slice(2)) };
  if (isRow(first) && /^\|( --- \|)+$/.test(second)) {
    const [head = [], , ...rows] = lines.map(cellsOf);
    return { kind: 'table', head, rows };
  }
  return { kind: 'paragraph', text: lines.join(' ') };
}

/** Splits `| a | b |` into cells. A bar within a cell is escaped with a backslash. */
const cellsOf = (line: string): string[] => line.slice(2, -2).split(' | ');

/** A part of inline Markdown. A reference is the number of a condition: `[3]`. */
export type Inline =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis' | 'reference'; text: string }
  | { kind: 'link'; text: string; target: string };

/** Parses inline Markdown into parts without escapes. */
export function readInline(markdown: string): Inline[] {
  const pieces: Inline[] = [];
  let rest = markdown;
  let plain = '';
  const flush = () => {
    if (plain !== '') pieces.push({ kind: 'text', text: plain });
    plain = '';
  };
  while (rest !== '') {
    const escaped = /^\\([!-/:-@[-`{-~])/.exec(rest);
    const code = /^(`+)([^`]|[^`].*?[^`])\1(?!`)/s.exec(rest);
    const strong = /^\*\*((?:\\.|[^*\\])+)\*\*/.exec(rest);
    const emphasis = /^\*((?:\\.|[^*\\])+)\*/.exec(rest);
    const link = /^\[([^[\]]+)\]\((\/[\w/-]*)\)/.exec(rest);
    const reference = /^\[(\d+)\]/.exec(rest);
    const found = escaped ?? code ?? strong ?? emphasis ?? link ?? reference;
    if (escaped) {
      plain += escaped[1];
    } else if (code) {
      flush();
      pieces.push({ kind: 'code', text: codeText(code[2] ?? '') });
    } else if (link) {
      flush();
      pieces.push({ kind: 'link', text: link[1] ?? '', target: link[2] ?? '' });
    } else if (reference) {
      flush();
      pieces.push({ kind: 'reference', text: reference[1] ?? '' });
    } else if (strong ?? emphasis) {
      flush();
      pieces.push({ kind: strong ? 'strong' : 'emphasis', text: plainText((strong ?? emphasis)?.[1] ?? '') });
    } else {
      plain += rest[0];
    }
    rest = rest.slice(found ? found[0].length : 1);
  }
  flush();
  return pieces;
}

/** Removes the padding spaces of inline code and the backslashes before bars, which `code` adds. */
function codeText(text: string): string {
  const bare = /^ .*[^ ].* $/s.test(text) ? text.slice(1, -1) : text;
  return bare.replaceAll('\\|', '|');
}

/** Returns the text of inline Markdown without its markup. */
export const plainText = (markdown: string): string =>
  readInline(markdown)
    .map(({ kind, text }) => (kind === 'reference' ? `[${text}]` : text))
    .join('');
