import { sqlstatesByName } from '../../../contract/errors/conditions.ts';
import { isSymbol, isWord, splitAt, type Token, tokens } from './tokens.ts';

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

/**
 * Returns true if a query, or another statement of SQL, may begin at an index: as a statement, in brackets, after WITH, after
 * EXPLAIN ANALYZE, and where PL/pgSQL runs a query (RETURN QUERY, FOR … IN, EXECUTE).
 */
export function beginsQuery(all: readonly Token[], i: number): boolean {
  const before = all[i - 1];
  if (isSymbol(before, ')')) return !isExplained(all, i - 1);
  if (isWord(before, 'verbose')) return isWord(all[i - 2], 'analyze', 'analyse');
  return (
    beginsStatement(before) ||
    isSymbol(before, '(') ||
    isWord(before, 'atomic', 'query', 'in', 'analyze', 'analyse', 'execute')
  );
}

/** Returns true if a bracket closes the options of an EXPLAIN that does not run its statement. */
function isExplained(all: readonly Token[], close: number): boolean {
  let depth = 0;
  let open = close;
  for (; open >= 0; open--) {
    if (isSymbol(all[open], ')')) depth++;
    if (isSymbol(all[open], '(') && --depth === 0) break;
  }
  if (!isWord(all[open - 1], 'explain')) return false;
  const at = all.findIndex((token, i) => i > open && i < close && isWord(token, 'analyze', 'analyse'));
  return at < 0 || isWord(all[at + 1], 'false', 'off', '0');
}

/**
 * Returns the tokens of code with the SQL of literals that EXECUTE or DO runs in place of the literals. If the code computes the
 * SQL and it begins with a literal, this literal is in its place.
 */
export function executedTokens(source: string): Token[] {
  const all = tokens(source);
  return all.flatMap((token, i) => {
    if (token.kind !== 'string' || !isExecuted(all, i)) return [token];
    // What follows, such as USING, does not belong to the SQL.
    return [...executedTokens(token.text), { kind: 'symbol' as const, text: ';', at: token.at }];
  });
}

/** Returns the constant SQL that PL/pgSQL code runs with EXECUTE or DO. */
export function constantSql(source: string): string[] {
  if (!/\b(?:execute|do)\b/i.test(source)) return [];
  const all = tokens(source);
  return all.flatMap((token, i) => (token.kind === 'string' && isExecuted(all, i) ? [token.text] : []));
}

/** Returns true if the code runs the text at an index as SQL, or SQL that begins with this text. */
function isExecuted(all: readonly Token[], i: number): boolean {
  const isFormat = isSymbol(all[i - 1], '(') && isWord(all[i - 2], 'format', 'concat');
  let before = i - (isFormat ? 3 : 1);
  while (isSymbol(all[before], '(')) before--;
  if (isWord(all[before], 'execute')) return true;
  if (isWord(all[before - 1], 'language')) before -= 2;
  return isWord(all[before], 'do') && beginsStatement(all[before - 1]);
}

/** Returns true if the statement at EXECUTE runs SQL that is only known when it runs. */
export function isComputed(all: readonly Token[], execute: number): boolean {
  const [text, after] = [all[execute + 1], all[execute + 2]];
  if (isWord(text, 'function', 'procedure', 'on')) return false;
  const ends = after === undefined || isSymbol(after, ';') || isWord(after, 'into', 'using', 'loop');
  return text?.kind !== 'string' || !ends;
}

/** A handler of errors: WHEN … THEN … in the EXCEPTION clause of a block. */
interface Handler {
  /** SQLSTATEs of the conditions; `others` for OTHERS. */
  readonly conditions: readonly string[];
  /** True if the handler raises the caught error again. */
  readonly isRaisedAgain: boolean;
}

/** A block with an EXCEPTION clause: its statements from BEGIN to EXCEPTION, as indexes of tokens, and its handlers. */
export interface HandledBlock {
  readonly from: number;
  readonly until: number;
  readonly handlers: readonly Handler[];
}

/** Returns the blocks with an EXCEPTION clause. An inner block comes before the blocks around it. */
export function handledBlocks(all: readonly Token[]): HandledBlock[] {
  const found: { from: number; until: number; handlers: ReadHandler[] }[] = [];
  const open: { isBlock: boolean; at: number }[] = [];
  all.forEach((token, i) => {
    if (opensBlock(all, i)) open.push({ isBlock: isWord(token, 'begin'), at: i });
    else if (isWord(token, 'end')) open.pop();
    else if (isWord(token, 'exception') && beginsStatement(all[i - 1]) && isWord(all[i + 1], 'when')) {
      const block = open.findLast(({ isBlock }) => isBlock);
      if (block) found.push({ from: block.at, until: i, handlers: readHandlers(all, i + 1) });
    }
  });
  const handlers = found.flatMap((block) => block.handlers);
  for (const [i, token] of all.entries()) {
    if (!isWord(token, 'raise') || !isSymbol(all[i + 1], ';') || !beginsStatement(all[i - 1])) continue;
    const around = handlers.filter(({ start, end }) => i > start && i < end).sort((a, b) => b.start - a.start);
    if (around[0]) around[0].isRaisedAgain = true;
  }
  return found.sort((a, b) => b.from - a.from);
}

interface ReadHandler {
  conditions: string[];
  isRaisedAgain: boolean;
  /** Indexes of WHEN and of the word after the last statement. */
  start: number;
  end: number;
}

function readHandlers(all: readonly Token[], at: number): ReadHandler[] {
  const handlers: ReadHandler[] = [];
  for (let start = at; isWord(all[start], 'when'); ) {
    const then = indexAtDepth(all, start + 1, ['then']);
    const end = then < 0 ? -1 : indexAtDepth(all, then + 1, ['when', 'end']);
    const conditions = splitAt(all.slice(start + 1, then), (token) => isWord(token, 'or')).flatMap(conditionOf);
    handlers.push({ conditions, isRaisedAgain: false, start, end: end < 0 ? all.length : end });
    start = end;
  }
  return handlers;
}

const sqlstatesNamed = (name: Token | undefined): string[] => {
  const sqlstate = sqlstatesByName.get(name?.text ?? '');
  return sqlstate === undefined ? [] : [sqlstate];
};

function conditionOf([first, second]: readonly Token[]): string[] {
  if (isWord(first, 'sqlstate') && second?.kind === 'string') return [second.text];
  if (isWord(first, 'others')) return ['others'];
  return sqlstatesNamed(first);
}

/** SQLSTATEs that OTHERS does not catch: query_canceled and assert_failure. */
const uncaught = ['57014', 'P0004'];

/**
 * Returns true if a handler catches an error and does not raise it again.
 * @param blocks The blocks around the statement that raises the error, the innermost first.
 * @param sqlstate Null if it is not known. Then only OTHERS certainly catches the error.
 */
export function isCaught(blocks: readonly HandledBlock[], sqlstate: string | null): boolean {
  const catches = (condition: string): boolean => {
    if (condition === 'others') return sqlstate === null || !uncaught.includes(sqlstate);
    // A condition whose SQLSTATE ends with 000 stands for its whole class.
    const isClass = condition.endsWith('000') && condition.slice(0, 2) === sqlstate?.slice(0, 2);
    return condition === sqlstate || isClass;
  };
  return blocks.some(
    ({ handlers }) => handlers.find(({ conditions }) => conditions.some(catches))?.isRaisedAgain === false,
  );
}

/** Returns the blocks with handlers around an index, the innermost first. */
export const blocksAround = (blocks: readonly HandledBlock[], i: number): HandledBlock[] =>
  blocks.filter(({ from, until }) => i > from && i < until);

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
