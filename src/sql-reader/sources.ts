import { operand, type Reading } from './operand.ts';
import { isKeyword, isOperator, isQuery, split, type Token } from './tokens.ts';
import type { Expression, Source } from './tree.ts';

interface Sources {
  sources: Source[];
  /** The conditions of the joins. */
  on: Expression[];
}

/** Reads the items of FROM. Returns null if an item is not understood or is part of an outer join. */
export function sourcesOf(read: Reading, tokens: readonly Token[]): Sources | null {
  return together(split(tokens, (token) => isOperator(token, ',')).map((item) => joinOf(read, item)));
}

/** Reads a join. PostgreSQL prints each join in its own brackets: `((a JOIN b ON (…)) JOIN c ON (…))`. */
function joinOf(read: Reading, tokens: readonly Token[]): Sources | null {
  const [only] = tokens;
  if (tokens.length === 1 && only?.kind === 'group' && only.bracket === '(' && !isQuery(only.items))
    return joinOf(read, only.items);
  if (tokens.some((token) => isKeyword(token, 'LEFT', 'RIGHT', 'FULL', 'NATURAL', 'USING'))) return null;
  const at = tokens.findLastIndex((token) => isKeyword(token, 'JOIN'));
  if (at < 0) return single(read, tokens);
  const isCross = isKeyword(tokens[at - 1], 'CROSS');
  const on = tokens.findIndex((token, i) => i > at && isKeyword(token, 'ON'));
  if (isCross ? on >= 0 : on < 0) return null;
  const sides = together([
    joinOf(read, tokens.slice(0, isCross ? at - 1 : at)),
    joinOf(read, tokens.slice(at + 1, isCross ? undefined : on)),
  ]);
  return sides && { ...sides, on: isCross ? sides.on : [...sides.on, read.condition(tokens.slice(on + 1))] };
}

function together(parts: readonly (Sources | null)[]): Sources | null {
  const known = parts.filter((part) => part !== null);
  if (known.length < parts.length) return null;
  return { sources: known.flatMap(({ sources }) => sources), on: known.flatMap(({ on }) => on) };
}

/** Reads `public.members m` and `public.f(a) f(id)`. */
function single(read: Reading, tokens: readonly Token[]): Sources | null {
  const [schema, point, name, ...more] = isKeyword(tokens[0], 'ONLY', 'LATERAL') ? tokens.slice(1) : tokens;
  if (schema?.kind !== 'word' || point === undefined || !isOperator(point, '.') || name?.kind !== 'word') return null;
  const [group] = more;
  if (group?.kind !== 'group') {
    const alias = aliasOf(more, name.value);
    return alias === null || more.length > 1
      ? null
      : { sources: [{ kind: 'relation', schema: schema.value, name: name.value, alias }], on: [] };
  }
  const call = operand(read, [schema, point, name, group]);
  const [first, columns, ...rest] = more.slice(1);
  const alias = aliasOf(first ? [first] : [], name.value);
  const isKnown = rest.length === 0 && (columns === undefined || columns.kind === 'group');
  return call.kind === 'call' && alias !== null && isKnown
    ? { sources: [{ kind: 'function', call, alias }], on: [] }
    : null;
}

function aliasOf([token]: readonly Token[], name: string): string | null {
  if (token === undefined) return name;
  return token.kind === 'word' ? token.value : null;
}
