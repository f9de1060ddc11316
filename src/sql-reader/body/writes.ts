import { handledSpans } from './raises.ts';
import { type Token, tokens } from './tokens.ts';

/** Whether what a function does is refused where nothing may be written: each time it runs, at times, or never as far as its text tells. */
export type Writes = 'always' | 'at times' | 'never';

/**
 * Tells by the text of a function in SQL or PL/pgSQL whether it writes (PostgreSQL docs, "SET TRANSACTION", READ ONLY). What the functions
 * do that it calls is not looked into, nor what it puts together and runs with EXECUTE.
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

/** True where a function in PL/pgSQL runs SQL that it puts together: what that does, its text does not tell. */
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

/** What else is refused where nothing may be written (PostgreSQL, utility.c: ClassifyUtilityCommandAsReadOnly). */
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

/** A statement that writes, in its place or in WITH; a lock of rows; a number that is taken of a sequence. */
function isWrite(all: readonly Token[], at: number): boolean {
  const [before, token, after] = [all[at - 1], all[at], all[at + 1]];
  if (word(token, ...writingFunctions)) return symbol(after, '(');
  if (word(token, 'update', 'share') && word(before, 'for', 'key')) return true;
  const isFirst = before === undefined || symbol(before, ';') || symbol(before, '(') || word(before, ...openers);
  if (word(token, 'insert', 'merge')) return word(after, 'into') && (isFirst || symbol(before, ')'));
  if (word(token, 'delete')) return word(after, 'from') && (isFirst || symbol(before, ')'));
  if (word(token, 'update')) return isFirst || symbol(before, ')');
  // A variable may be called comment.
  const isAssigned = [':', ':=', '=', '.', '['].some((text) => symbol(after, text));
  return isFirst && word(token, ...definitions) && !symbol(before, '(') && !isAssigned;
}

/** What follows FOR where it locks rows. */
const isLock = (token: Token | undefined): boolean => word(token, 'update', 'share', 'no', 'key');

/** The place in the source up to which every statement runs: the first choice, loop, end or error. */
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
