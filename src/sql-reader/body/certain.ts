import { type Raise, raisesOf } from './raises.ts';
import { beginsStatement, endOfStatement, handledBlocks } from './statements.ts';
import { isWord, type Token, tokens } from './tokens.ts';

/** Levels of RAISE that do not end the function. */
const messages = ['notice', 'info', 'debug', 'log', 'warning'];

/**
 * Returns a function that is true for the index of a token that every call of the function reaches. In PL/pgSQL, these
 * are the tokens up to the first branch, loop, return or error, including the condition or value of this statement.
 * Tokens in a block with handlers are not among them. In SQL, these are all tokens.
 */
export function certainTokens(language: string, all: readonly Token[]): (index: number) => boolean {
  if (language === 'sql') return () => true;
  const end = certainUntil(all);
  const blocks = handledBlocks(all);
  return (i) => i < end && !blocks.some(({ from, until }) => i > from && i < until);
}

/** Returns the error that every call of a PL/pgSQL function raises; null if there is none. */
export function certainRaise(source: string): Raise | null {
  const all = tokens(source);
  const isCertain = certainTokens('plpgsql', all);
  const at = all.findIndex(
    (token, i) =>
      isCertain(i) && isWord(token, 'raise') && beginsStatement(all[i - 1]) && !isWord(all[i + 1], ...messages),
  );
  const start = all[at]?.at;
  if (start === undefined) return null;
  return raisesOf(source).find(({ sql }) => source.startsWith(sql, start)) ?? null;
}

/** Returns the index after the last token that every call of a PL/pgSQL function reaches. */
function certainUntil(all: readonly Token[]): number {
  const start = all.findIndex((token) => isWord(token, 'begin'));
  for (let i = start + 1; i < all.length; i++) {
    if (!beginsStatement(all[i - 1])) continue;
    const [token, next] = [all[i], all[i + 1]];
    if (isWord(token, 'if')) return indexOf(all, i, 'then');
    if (isWord(token, 'case')) return indexOf(all, i, 'when');
    if (isWord(token, 'for', 'foreach', 'while')) return indexOf(all, i, 'loop');
    if (isWord(token, 'loop', 'exit', 'continue')) return i;
    if (isWord(token, 'exception') && isWord(next, 'when')) return i;
    if (isWord(token, 'return') && !isWord(next, 'next', 'query')) return endOfStatement(all, i);
    if (isWord(token, 'raise') && !isWord(next, ...messages)) return endOfStatement(all, i);
  }
  return all.length;
}

function indexOf(all: readonly Token[], from: number, text: string): number {
  const found = all.findIndex((token, i) => i > from && isWord(token, text));
  return found < 0 ? all.length : found;
}
