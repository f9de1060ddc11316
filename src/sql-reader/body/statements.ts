import { isSymbol, isWord, type Token } from './tokens.ts';

/** Returns true if a statement starts after this token: at the end of another statement or at the start of a block. */
export const beginsStatement = (before: Token | undefined): boolean =>
  before === undefined ||
  isSymbol(before, ';') ||
  isSymbol(before, '>') ||
  isWord(before, 'begin', 'then', 'else', 'loop');

/** Returns the index of the semicolon that ends the statement, or the number of tokens. */
export function endOfStatement(all: readonly Token[], from: number): number {
  let i = from;
  while (i < all.length && !isSymbol(all[i], ';')) i++;
  return i;
}

/** Returns the range from BEGIN to EXCEPTION of each block with handlers, as indexes of tokens. */
export function handledSpans(all: readonly Token[]): [number, number][] {
  const spans: [number, number][] = [];
  const open: { isBlock: boolean; at: number }[] = [];
  all.forEach((token, i) => {
    if (opensBlock(all, i)) open.push({ isBlock: isWord(token, 'begin'), at: i });
    else if (isWord(token, 'end')) open.pop();
    else if (isWord(token, 'exception') && isSymbol(all[i - 1], ';') && isWord(all[i + 1], 'when')) {
      const block = open.findLast(({ isBlock }) => isBlock);
      if (block) spans.push([block.at, i]);
    }
  });
  return spans;
}

/** Returns true at a word that an END closes. */
function opensBlock(all: readonly Token[], i: number): boolean {
  if (isWord(all[i], 'if')) return beginsStatement(all[i - 1]);
  return isWord(all[i], 'begin') || (isWord(all[i], 'case', 'loop') && !isWord(all[i - 1], 'end'));
}

/** A branch of an IF statement, as indexes of tokens. */
export interface Branch {
  /** IF, ELSIF or ELSE. */
  start: number;
  /** The first statement. */
  from: number;
  /** The word after the last statement: ELSIF, ELSE or END. */
  to: number;
}

/** Returns the branches of the IF statement that begins at an index; an empty list if it has no end. */
export function branchesAt(all: readonly Token[], at: number): Branch[] {
  const branches: Branch[] = [];
  for (let start = at; !isWord(all[start], 'end'); ) {
    const from = (isWord(all[start], 'else') ? start : indexAtDepth(all, start + 1, ['then'])) + 1;
    const to = from === 0 ? -1 : indexAtDepth(all, from, ['elsif', 'elseif', 'else', 'end']);
    if (to < 0) return [];
    branches.push({ start, from, to });
    start = to;
  }
  return branches;
}

/** Returns the indexes of the words IF that begin a statement. */
export const ifStatements = (all: readonly Token[]): number[] =>
  all.flatMap((token, i) => (isWord(token, 'if') && beginsStatement(all[i - 1]) ? [i] : []));

/** Returns the index of the first of the words outside of nested blocks and CASE expressions; -1 if there is none. */
function indexAtDepth(all: readonly Token[], from: number, words: readonly string[]): number {
  let depth = 0;
  for (let i = from; i < all.length; i++) {
    if (depth === 0 && isWord(all[i], ...words)) return i;
    if (opensBlock(all, i)) depth++;
    else if (isWord(all[i], 'end')) depth--;
  }
  return -1;
}
