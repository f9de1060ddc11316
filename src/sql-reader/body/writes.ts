import { handledSpans } from './raises.ts';
import { type Token, tokens } from './tokens.ts';

/**
 * The result of a function in a read-only transaction: `always` refused, refused `at times`, or `never` refused as far
 * as its text shows.
 */
export type Writes = 'always' | 'at times' | 'never';

/**
 * Returns whether a function in SQL or PL/pgSQL writes, according to its text (PostgreSQL manual, "SET TRANSACTION",
 * READ ONLY). Does not analyse the functions that it calls, nor statements that it builds and runs with EXECUTE.
 */
export function writesOf(language: string, source: string): Writes {
  const all = tokens(source);
  const written = all.flatMap((_, i) => (isWrite(all, i) ? [i] : []));
  if (written.length === 0) return 'never';
  if (language === 'sql') return 'always';
  const caught = handledSpans(all);
  const sure = certainUntil(all);
  return written.some((i) => i < sure && !caught.some(([from, to]) => i > from && i < to)) ? 'always' : 'at times';
}

/** Returns true if a PL/pgSQL function runs SQL that it builds at run time. */
export function runsDynamicSql(source: string): boolean {
  const all = tokens(source);
  return all.some((token, i) => word(token, 'execute') && !word(all[i + 1], 'function', 'procedure', 'on'));
}

const word = (token: Token | undefined, ...texts: string[]): boolean =>
  token?.kind === 'word' && texts.includes(token.text);

const symbol = (token: Token | undefined, text: string): boolean => token?.kind === 'symbol' && token.text === text;

/** Functions of PostgreSQL that write. */
const writingFunctions = [
  'nextval',
  'setval',
  'lo_create',
  'lo_creat',
  'lo_from_bytea',
  'lo_put',
  'lo_unlink',
  'lowrite',
];

/**
 * The first words of other statements that PostgreSQL refuses in a read-only transaction (utility.c,
 * ClassifyUtilityCommandAsReadOnly).
 */
const definitions = [
  'truncate',
  'create',
  'alter',
  'drop',
  'grant',
  'revoke',
  'refresh',
  'comment',
  'reassign',
  'import',
];

const openers = ['begin', 'then', 'else', 'loop', 'atomic'];

/**
 * Returns true at a statement that writes, also in WITH, at a row lock, and at a call that takes a number from a
 * sequence.
 */
function isWrite(all: readonly Token[], at: number): boolean {
  const [before, token, after] = [all[at - 1], all[at], all[at + 1]];
  if (word(token, ...writingFunctions)) return symbol(after, '(');
  if (word(token, 'update', 'share') && word(before, 'for', 'key')) return true;
  const isFirst = before === undefined || symbol(before, ';') || symbol(before, '(') || word(before, ...openers);
  if (word(token, 'insert', 'merge')) return word(after, 'into') && (isFirst || symbol(before, ')'));
  if (word(token, 'delete')) return word(after, 'from') && (isFirst || symbol(before, ')'));
  if (word(token, 'update')) return isFirst || symbol(before, ')');
  // A variable may be named comment.
  const isAssigned = [':', ':=', '=', '.', '['].some((text) => symbol(after, text));
  return isFirst && word(token, ...definitions) && !symbol(before, '(') && !isAssigned;
}

/** Returns true for the token after FOR in a clause that locks rows. */
const isLock = (token: Token | undefined): boolean => word(token, 'update', 'share', 'no', 'key');

/**
 * Returns the index of the first token that may end or branch the body: a condition, loop, return or error. Every
 * statement before it runs.
 */
function certainUntil(all: readonly Token[]): number {
  const start = all.findIndex((token) => word(token, 'begin'));
  const end = all.findIndex(
    (token, i) =>
      i > start &&
      (word(token, 'if', 'case', 'loop', 'foreach', 'while', 'return', 'raise', 'exit') ||
        (word(token, 'for') && !isLock(all[i + 1]))),
  );
  return end < 0 ? all.length : end;
}
