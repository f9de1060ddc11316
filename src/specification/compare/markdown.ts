import type { Change } from '../../../contract/changes.ts';
import { type ChapterKey, chapters } from '../../../contract/chapters.ts';
import { groupBy } from '../../catalog/group.ts';
import { cut, fromTo, quoted, thing } from '../derive/words/sentence-parts.ts';
import { placesOf, withoutNumbers } from '../render/markdown/conditions.ts';
import { type Block, parseMarkdown, plainText } from '../render/markdown/parse.ts';
import { diffChapters } from './diff.ts';

/**
 * Returns the changes between two Markdown exports in words. The exports contain less than the JSON value, but such
 * files can be compared even if they come from an old commit or another node. Returns an empty list if the chapters are
 * equal.
 */
export function diffMarkdown(before: string, after: string): Change[] {
  const [old, fresh] = [readOutline(withoutNumbers(before)), readOutline(withoutNumbers(after))];
  return chapters.flatMap(({ key }) => diffOutline(key, old.get(key) ?? [], fresh.get(key) ?? []));
}

/** Returns true if two exports have equal chapters. Ignores the name of the app and the kind of line breaks. */
export const sameMarkdown = (a: string, b: string): boolean => chaptersText(a) === chaptersText(b);

const chaptersText = (markdown: string): string => {
  const text = markdown.replace(/\r\n?/g, '\n');
  const start = text.indexOf('\n## ');
  return (start < 0 ? text : text.slice(start)).trim();
};

/** A statement of a chapter with its heading, its subject and its text. */
interface Line {
  heading: string;
  /** The identity of the line under its heading: the row and column of a table cell; otherwise the text. */
  name: string;
  text: string;
  /** True for a sentence before the first heading, which summarises the chapter. */
  isSummary?: boolean;
}

type Outline = Map<ChapterKey, Line[]>;

function readOutline(markdown: string): Outline {
  const outline: Outline = new Map();
  let lines: Line[] | null = null;
  let heading = '';
  for (const block of parseMarkdown(markdown)) {
    if (block.kind === 'heading' && block.level <= 2) {
      const chapter = chapters.find(({ number, name }) => plainText(block.text) === `${number} ${name}`);
      lines = chapter ? [] : null;
      heading = '';
      if (chapter && lines) outline.set(chapter.key, lines);
    } else if (block.kind === 'heading') {
      heading = plainText(block.text);
    } else {
      lines?.push(...linesOf(block, heading));
    }
  }
  return outline;
}

function linesOf(block: Block, heading: string): Line[] {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
    case 'code':
      return [
        block.kind === 'code'
          ? said(heading, block.text)
          : { ...said(heading, plainText(block.text)), isSummary: heading === '' },
      ];
    case 'list':
      return block.items.map((item) => said(heading, plainText(item)));
    case 'details':
      return block.blocks.flatMap((inner) => linesOf(inner, heading));
    case 'table':
      return block.rows.flatMap((row) =>
        row.slice(1).map((cell, i) => ({
          heading,
          name: `${plainText(row[0] ?? '')}\0${plainText(block.head[i + 1] ?? '')}`,
          text: plainText(cell),
        })),
      );
  }
}

const said = (heading: string, text: string): Line => ({ heading, name: text, text });

function diffOutline(chapter: ChapterKey, before: readonly Line[], after: readonly Line[]): Change[] {
  const cells = chapter === 'roles' ? diffChapters(rolesOf(before), rolesOf(after)) : [];
  const rest = (lines: readonly Line[]) => (chapter === 'roles' ? lines.filter((line) => !isCell(line)) : lines);
  const [old, fresh] = [byKey(wholeRows(rest(before), after)), byKey(wholeRows(rest(after), before))];
  const summaries = new Set<Change>();
  const partners = lookingAlike(old, fresh);
  const found = new Set(partners.values());
  const changes = [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key): Change[] => {
    const was = old.get(key);
    const is = fresh.get(key) ?? fresh.get(partners.get(key) ?? '');
    if (was?.text === is?.text || found.has(key)) return [];
    const line = is ?? was;
    const paths = line
      ? [
          [line.heading, ...line.name.split('\0')]
            .filter((part) => part !== '')
            .map(cut)
            .join(' / '),
        ]
      : [];
    const kind = was ? (is ? 'changed' : 'removed') : 'added';
    const change: Change = { chapter, kind, words: lineWords(was, is), paths };
    if (line?.isSummary) summaries.add(change);
    return [change];
  });
  const details = changes.filter((change) => !summaries.has(change));
  return cells.length + details.length > 0 ? [...cells, ...details] : changes;
}

/** Returns the rows of tables that exist in these lines but not in the others, each row as one line. */
function wholeRows(lines: readonly Line[], others: readonly Line[]): Line[] {
  const rowOf = (line: Line) => `${line.heading}\0${line.name.split('\0')[0]}`;
  const known = new Set(others.filter(isCell).map(rowOf));
  const alone = lines.filter((line) => isCell(line) && !known.has(rowOf(line)));
  const rows = [...groupBy(alone, rowOf).values()].map((cells): Line => {
    const [name = ''] = cells[0]?.name.split('\0') ?? [];
    const text = cells.map((cell) => cell.text).filter((each) => each !== '');
    return said(cells[0]?.heading ?? '', `${name}: ${text.join('; ')}`);
  });
  return [...lines.filter((line) => !alone.includes(line)), ...rows];
}

/**
 * Finds long lines that a sentence would cut to the same text: a removed line and an added line that differ only after
 * that. Returns the key of the added line by the key of the removed line.
 */
function lookingAlike(old: ReadonlyMap<string, Line>, fresh: ReadonlyMap<string, Line>): Map<string, string> {
  const look = ({ heading, text }: Line) => `${heading}\0${quoted(text)}`;
  const added = new Map(
    [...fresh].flatMap(([key, line]) => (old.has(key) || isCell(line) ? [] : [[look(line), key] as const])),
  );
  const pairs = new Map<string, string>();
  for (const [key, line] of old) {
    const found = fresh.has(key) || isCell(line) ? undefined : added.get(look(line));
    if (found !== undefined) pairs.set(key, found);
    added.delete(look(line));
  }
  return pairs;
}

/** Returns the lines by heading and name. If a line occurs several times, its key gets a number. */
function byKey(lines: readonly Line[]): Map<string, Line> {
  const found = new Map<string, Line>();
  for (const line of lines) {
    const base = `${line.heading}\0${line.name}`;
    let key = base;
    for (let i = 2; found.has(key); i++) key = `${base} #${i}`;
    found.set(key, line);
  }
  return found;
}

function lineWords(was: Line | undefined, is: Line | undefined): string {
  const line = is ?? was;
  const where = line?.heading ? `${thing(line.heading)}: ` : '';
  const [row, column] = (line?.name ?? '').split('\0');
  if (column !== undefined) {
    const name = `${where}${row}, ${column || 'value'},`;
    if (!was) return `${name} is now ${quoted(is?.text ?? '')}.`;
    return is
      ? `${name} was ${quoted(was.text)}, is now ${quoted(is.text)}.`
      : `${name} is gone; it was ${quoted(was.text)}.`;
  }
  if (was && is) return `${where}a line ${fromTo(was.text, is.text)}.`;
  return is ? `${where}it now says ${quoted(is.text)}.` : `${where}it no longer says ${quoted(was?.text ?? '')}.`;
}

const isCell = (line: Line): boolean => line.name.includes('\0');

const operations: Readonly<Record<string, string>> = {
  read: 'select',
  add: 'insert',
  change: 'update',
  delete: 'delete',
};

/**
 * Returns the matrix of chapter 6 from the Markdown, as far as the words of its cells need. Operations or functions with
 * equal cells share a row, and roles with equal cells share a column.
 */
function rolesOf(lines: readonly Line[]): Record<string, unknown> {
  const cells = lines.filter(isCell).flatMap(({ heading, name, text }) => {
    const [row = '', column = ''] = name.split('\0');
    const isFunction = heading === 'Functions';
    const verdict = text.startsWith('–') ? 'never' : text === 'always' ? 'always' : 'when';
    return listOf(row).flatMap((each) =>
      column.split(', ').map((role) => ({
        role,
        entity: isFunction ? each : heading,
        operation: isFunction ? 'execute' : (operations[each] ?? each),
        verdict,
        words: verdict === 'when' ? text.replace(/^(when|if) /, '') : '',
      })),
    );
  });
  return { roles: { roles: [...new Set(cells.map(({ role }) => role))].map((name) => ({ name })), cells } };
}

/** Splits a list at its commas, except those within brackets. */
function listOf(text: string): string[] {
  const places = placesOf(text, ', ');
  return [...places, text.length].map((end, i) => text.slice(i === 0 ? 0 : (places[i - 1] ?? 0) + 2, end));
}
