import { isKeyword, isOperator, isQuery, joined, oneLine, sourceOf, type Token, tokenise } from './tokens.ts';

/** Splits the expression of a policy without building a tree. Pure. Parts that are not recognised stay unchanged. */

/** The outermost conditions of an expression, as SQL. */
export interface Parts {
  readonly joinedBy: 'and' | 'or' | null;
  readonly texts: readonly string[];
}

/** Splits an expression in the format of pg_get_expr. */
export function partsOf(expression: string): Parts {
  const tokens = tokenise(expression);
  const found = tokens && joined(tokens);
  if (!found) return { joinedBy: null, texts: [oneLine(expression)] };
  return { joinedBy: found.kind, texts: found.parts.map((part) => sourceOf(expression, part)) };
}

/** A part of an expression whose value depends only on the row or only on the caller. */
export interface Place {
  readonly start: number;
  readonly end: number;
  /** Name of a column; null for SQL that can be evaluated separately. */
  readonly column: string | null;
  /** Source text. */
  readonly text: string;
}

/**
 * The relation to which the columns of an expression belong. PostgreSQL prints its columns by name alone, and inside
 * subqueries with the relation's name.
 */
export interface PlacesOf {
  readonly relation: string;
  readonly columns: ReadonlySet<string>;
}

/**
 * Returns the places in an expression, from left to right. Function calls are included if no argument depends on the
 * row.
 */
export function placesOf(expression: string, of: PlacesOf): Place[] {
  const tokens = tokenise(expression);
  return tokens ? walk(expression, tokens, of, false) : [];
}

function walk(text: string, tokens: readonly Token[], of: PlacesOf, inQuery: boolean): Place[] {
  const found: Place[] = [];
  let i = 0;
  while (i < tokens.length) {
    const token = tokens[i] as Token;
    const closed = closedEnd(tokens, i);
    if (isOperator(token, '::')) {
      i = typeEnd(tokens, i + 1);
    } else if (closed !== null) {
      found.push(place(text, tokens.slice(i, closed), null));
      i = closed;
    } else if (token.kind === 'group') {
      found.push(...walk(text, token.items, of, inQuery || isQuery(token.items)));
      i += 1;
    } else if (token.kind === 'word') {
      const end = nameEnd(tokens, i);
      const column = columnOf(tokens.slice(i, end), of, inQuery);
      const isCall = tokens[end]?.kind === 'group';
      if (column !== null && !isCall) found.push(place(text, tokens.slice(i, end), column));
      i = end;
    } else {
      i += 1;
    }
  }
  return found;
}

const place = (text: string, tokens: readonly Token[], column: string | null): Place => ({
  start: tokens[0]?.start ?? 0,
  end: tokens[tokens.length - 1]?.end ?? 0,
  column,
  text: sourceOf(text, tokens),
});

function columnOf(name: readonly Token[], of: PlacesOf, inQuery: boolean): string | null {
  const words = name.filter((token) => token.kind === 'word');
  const last = words[words.length - 1];
  // Excludes keywords: PostgreSQL prints them in upper case, and quotes names that could be keywords.
  if (!last || (!last.quoted && last.value !== last.value.toLowerCase()) || !of.columns.has(last.value)) return null;
  if (words.length === 1) return inQuery ? null : last.value;
  return words.length === 2 && words[0]?.value === of.relation ? last.value : null;
}

/** Returns the index after the dotted name that starts at `start`. */
function nameEnd(tokens: readonly Token[], start: number): number {
  let end = start + 1;
  while (isOperator(tokens[end], '.') && tokens[end + 1]?.kind === 'word') end += 2;
  return end;
}

/** Words that can be the second or a later word of a type name. */
const typeWords = ['VARYING', 'PRECISION', 'WITH', 'WITHOUT', 'TIME', 'ZONE'];

/** Returns the index after a type name with its modifiers and `[]`. */
function typeEnd(tokens: readonly Token[], start: number): number {
  let end = nameEnd(tokens, start);
  while (isKeyword(tokens[end], ...typeWords) || tokens[end]?.kind === 'group') end += 1;
  return end;
}

const callerWords = ['CURRENT_USER', 'CURRENT_ROLE', 'SESSION_USER', 'USER'];

/**
 * Returns the index after a value that does not depend on any row: `auth.uid()`, `( SELECT auth.uid() AS uid)`,
 * `(auth.jwt() -> 'app_metadata'::text) ->> 'role'::text`. Returns null if no such value starts at `start`.
 */
function closedEnd(tokens: readonly Token[], start: number): number | null {
  const token = tokens[start];
  let end: number | null = null;
  if (token?.kind === 'group' && token.bracket === '(') {
    end = isClosedGroup(token.items) ? start + 1 : null;
  } else if (isKeyword(token, ...callerWords)) {
    end = start + 1;
  } else if (token?.kind === 'word') {
    const after = nameEnd(tokens, start);
    const group = tokens[after];
    const isCall = group?.kind === 'group' && group.bracket === '(' && !isKeyword(token, ...notCalls);
    end = isCall && takesNoColumn(group.items) ? after + 1 : null;
  }
  if (end === null) return null;
  while (isOperator(tokens[end], '->', '->>') && ['string', 'number'].includes(tokens[end + 1]?.kind ?? '')) {
    end += 2;
    if (isOperator(tokens[end], '::')) end = typeEnd(tokens, end + 1);
  }
  return end;
}

const notCalls = ['ANY', 'ALL', 'SOME', 'IN', 'EXISTS', 'NOT', 'AND', 'OR', 'ROW', 'ARRAY', 'CASE', 'WHEN', 'THEN'];

/** Returns true if the tokens are one value that does not depend on any row, with or without a subquery. */
function isClosedGroup(items: readonly Token[]): boolean {
  if (!isQuery(items)) return closedEnd(items, 0) === items.length;
  const end = isKeyword(items[0], 'SELECT') ? closedEnd(items, 1) : null;
  return end !== null && (end === items.length || (isKeyword(items[end], 'AS') && end + 2 === items.length));
}

function takesNoColumn(items: readonly Token[]): boolean {
  let i = 0;
  while (i < items.length) {
    const token = items[i] as Token;
    const closed = closedEnd(items, i);
    if (isOperator(token, '::')) i = typeEnd(items, i + 1);
    else if (closed !== null) i = closed;
    else if (token.kind === 'word' && !isKeyword(token, 'TRUE', 'FALSE', 'NULL', 'ARRAY')) return false;
    else if (token.kind === 'group' && (isQuery(token.items) || !takesNoColumn(token.items))) return false;
    else i += 1;
  }
  return true;
}

/** A value from the database: its type, and its text or null for NULL. */
export interface Value {
  readonly type: string;
  readonly text: string | null;
}

const bareTypes = ['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision', 'boolean'];

/** Returns a value as SQL text for display. */
function shownValue({ type, text }: Value): string {
  if (text === null) return 'NULL';
  return bareTypes.includes(type) ? text : `'${text.replaceAll("'", "''")}'`;
}

/** Returns the expression with values inserted at its places. A place without a value stays unchanged. */
export function filled(expression: string, places: readonly Place[], valueFor: (place: Place) => Value | null): string {
  let text = '';
  let from = 0;
  for (const each of places) {
    const value = valueFor(each);
    if (!value) continue;
    text += expression.slice(from, each.start) + shownValue(value);
    from = each.end;
  }
  return oneLine(text + expression.slice(from));
}
