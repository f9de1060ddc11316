import { type Branch, beginsStatement, branchesAt, endOfStatement } from './statements.ts';
import { isSymbol, isWord, splitAt, type Token, tokens } from './tokens.ts';

/**
 * Returns the source of a trigger function in PL/pgSQL as it runs for one operation: without the branches that TG_OP
 * excludes, and without the IF around a branch that TG_OP selects. Blanks take their place, so that offsets stay valid.
 */
export function forOperation(source: string, operation: 'insert' | 'update' | 'delete'): string {
  if (!/\btg_op\b/i.test(source)) return source;
  let text = source;
  let all = tokens(text);
  for (let i = 0; i < all.length; i++) {
    if (!isWord(all[i], 'if') || !beginsStatement(all[i - 1])) continue;
    const reduced = withPossibleBranches(text, all, branchesAt(all, i), operation.toUpperCase());
    if (reduced === text) continue;
    const at = all[i]?.at ?? 0;
    text = reduced;
    all = tokens(text);
    // Continues with the first token of what remains of the statement, which may be another IF.
    i = all.findIndex((token) => token.at >= at) - 1;
    if (i < -1) return text;
  }
  return text;
}

/** Returns the text with only those branches of an IF statement that can run. */
function withPossibleBranches(
  text: string,
  all: readonly Token[],
  branches: readonly Branch[],
  operation: string,
): string {
  const results = branches.map((branch) => resultOf(all, branch, operation));
  if (branches.every(({ start }, i) => results[i] === null || isWord(all[start], 'else'))) return text;
  const last = results.indexOf(true);
  const possible = branches.filter((_, i) => results[i] !== false && (last < 0 || i <= last));
  const [first] = possible;
  const isPlain = first !== undefined && possible.length === 1 && results[branches.indexOf(first)] === true;
  const offset = (i: number): number => all[i]?.at ?? text.length;
  const end = branches.at(-1)?.to ?? 0;
  const until = offset(endOfStatement(all, end) + 1);
  let at = offset(branches[0]?.start ?? 0);
  let result = text.slice(0, at);
  const keep = (from: number, to: number, kept = text.slice(from, to)): void => {
    result += blank(text.slice(at, from)) + kept;
    at = to;
  };
  for (const branch of isPlain ? [] : possible) {
    const [start, from] = [offset(branch.start), offset(branch.from)];
    const isAlways = results[branches.indexOf(branch)] === true;
    const word = branch === first ? 'if' : isAlways ? 'else' : 'elsif';
    const condition = isAlways ? '' : text.slice(offset(branch.start + 1), from);
    keep(start, from, `${word}${condition.padStart(from - start - word.length)}`);
    keep(from, offset(branch.to));
  }
  if (isPlain) keep(offset(first.from), offset(first.to));
  if (possible.length > 0 && !isPlain) keep(offset(end), until);
  keep(until, text.length);
  return result;
}

const blank = (text: string): string => text.replaceAll(/\S/g, ' ');

/** Returns the result of the condition of a branch; null if TG_OP does not decide it. */
function resultOf(all: readonly Token[], { start, from }: Branch, operation: string): boolean | null {
  return isWord(all[start], 'else') ? true : decided(all.slice(start + 1, from - 1), operation);
}

function decided(condition: readonly Token[], operation: string): boolean | null {
  const [first] = condition;
  if (condition.some((token) => isWord(token, 'case', 'between'))) return null;
  for (const [word, decisive] of [
    ['or', true],
    ['and', false],
  ] as const) {
    const parts = splitAt(condition, (token) => isWord(token, word));
    if (parts.length === 1) continue;
    const results = parts.map((part) => decided(part, operation));
    if (results.includes(decisive)) return decisive;
    return results.includes(null) ? null : !decisive;
  }
  if (isWord(first, 'not')) {
    const result = decided(condition.slice(1), operation);
    return result === null ? null : !result;
  }
  return isEnclosed(condition) ? decided(condition.slice(1, -1), operation) : compared(condition, operation);
}

/** Returns true if the first token is a bracket that the last one closes. */
function isEnclosed(list: readonly Token[]): boolean {
  let depth = 0;
  return list.every((token, i) => {
    if (isSymbol(token, '(')) depth++;
    if (isSymbol(token, ')')) depth--;
    return depth > 0 || (i > 0 && i === list.length - 1);
  });
}

/** Returns the result of a comparison of TG_OP with string literals. */
function compared(condition: readonly Token[], operation: string): boolean | null {
  const shape = condition.map(({ kind, text }) => (kind === 'string' ? '?' : text)).join('');
  const isNamed = condition.some(({ kind, text }) => kind === 'string' && text === operation);
  switch (shape.replace(/\?(?:,\?)+/, '?')) {
    case 'tg_op=?':
    case '?=tg_op':
    case 'tg_opin(?)':
      return isNamed;
    case 'tg_op<>?':
    case '?<>tg_op':
    case 'tg_op!=?':
    case 'tg_opnotin(?)':
      return !isNamed;
    default:
      return null;
  }
}
