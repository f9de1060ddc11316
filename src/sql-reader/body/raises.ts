import { sqlstatesByName } from '../../../contract/errors/conditions.ts';
import { type Token, tokens } from './tokens.ts';

/** A place where a PL/pgSQL function raises an error. Parts that the function computes at run time are null. */
export interface Raise {
  /** The SQLSTATE; null if it is computed. */
  readonly sqlstate: string | null;
  /** The message, with % for each inserted value; null if it is computed. */
  readonly message: string | null;
  readonly detail: string | null;
  readonly hint: string | null;
  /** True if the statement is in a block with an exception handler. The error may then not reach the caller. */
  readonly mayBeCaught: boolean;
  /** True for `RAISE;`, which raises the caught error again. */
  readonly isAgain: boolean;
  /** The source of the statement. */
  readonly sql: string;
}

const levels = new Set(['debug', 'log', 'info', 'notice', 'warning', 'exception']);

/**
 * Returns the errors that a PL/pgSQL function raises with RAISE and ASSERT (PostgreSQL manual, "Errors and Messages"),
 * in the order of its source. Does not analyse statements that the function builds and runs with EXECUTE.
 */
export function raisesOf(source: string): Raise[] {
  const all = tokens(source);
  const caught = handledSpans(all);
  const found: Raise[] = [];
  all.forEach((token, i) => {
    if (token.kind !== 'word' || !beginsStatement(all[i - 1])) return;
    if (token.text !== 'raise' && token.text !== 'assert') return;
    const end = endOfStatement(all, i);
    const statement = all.slice(i + 1, end);
    const sql = source.slice(token.at, all[end]?.at ?? source.length).trim();
    const mayBeCaught = caught.some(([from, until]) => i > from && i < until);
    const raise = token.text === 'raise' ? readRaise(statement) : readAssert(statement);
    if (raise) found.push({ ...raise, mayBeCaught, sql });
  });
  return found;
}

const openers = new Set(['begin', 'then', 'else', 'loop']);

/** Returns true if a statement starts after this token: at the end of another statement or at the start of a block. */
export const beginsStatement = (before: Token | undefined): boolean =>
  before === undefined ||
  (before.kind === 'symbol' && (before.text === ';' || before.text === '>')) ||
  (before.kind === 'word' && openers.has(before.text));

/** Returns the index of the semicolon that ends the statement, or the number of tokens. */
export function endOfStatement(all: readonly Token[], from: number): number {
  let i = from;
  while (i < all.length && !(all[i]?.kind === 'symbol' && all[i]?.text === ';')) i++;
  return i;
}

/** Returns the range from BEGIN to EXCEPTION of each block with handlers, as indexes of tokens. */
export function handledSpans(all: readonly Token[]): [number, number][] {
  const spans: [number, number][] = [];
  const open: { kind: string; at: number }[] = [];
  all.forEach(({ kind, text }, i) => {
    if (kind !== 'word') return;
    const before = all[i - 1];
    const afterEnd = before?.kind === 'word' && before.text === 'end';
    if (text === 'begin' || ((text === 'if' || text === 'case' || text === 'loop') && !afterEnd))
      open.push({ kind: text, at: i });
    else if (text === 'end') open.pop();
    else if (text === 'exception' && before?.text === ';' && all[i + 1]?.text === 'when') {
      const block = open.findLast((one) => one.kind === 'begin');
      if (block) spans.push([block.at, i]);
    }
  });
  return spans;
}

type Read = Omit<Raise, 'mayBeCaught' | 'sql'>;

function readRaise(statement: readonly Token[]): Read | null {
  let rest = statement;
  const level = rest[0]?.kind === 'word' && levels.has(rest[0].text) ? rest[0].text : null;
  if (level !== null) {
    if (level !== 'exception') return null;
    rest = rest.slice(1);
  }
  if (rest.length === 0) return { ...nothing, isAgain: true };
  const using = rest.findIndex(({ kind, text }) => kind === 'word' && text === 'using');
  const head = using < 0 ? rest : rest.slice(0, using);
  const options = using < 0 ? new Map<string, readonly Token[]>() : readOptions(rest.slice(using + 1));
  const [first, second] = head;
  let sqlstate: string | null = 'P0001';
  let message: string | null = null;
  if (first?.kind === 'string') message = first.text.replaceAll('%%', '\0').replaceAll('\0', '%');
  else if (first?.kind === 'word' && first.text === 'sqlstate' && second?.kind === 'string') sqlstate = second.text;
  else if (first !== undefined) sqlstate = sqlstatesByName.get(first.text) ?? null;
  const errcode = options.get('errcode');
  if (errcode) sqlstate = sqlstateOf(literal(errcode));
  const said = options.get('message');
  if (said) message = literal(said);
  const text = (name: string): string | null => {
    const value = options.get(name);
    return value ? literal(value) : null;
  };
  return {
    sqlstate,
    message: message ?? messageOf(first, sqlstate),
    detail: text('detail'),
    hint: text('hint'),
    isAgain: false,
  };
}

const nothing: Read = { sqlstate: null, message: null, detail: null, hint: null, isAgain: false };

/** Returns the message of a RAISE without a message: PostgreSQL then uses the name or the code of the condition. */
const messageOf = (first: Token | undefined, sqlstate: string | null): string | null =>
  first?.kind === 'word' ? (first.text === 'sqlstate' ? sqlstate : first.text) : null;

/** Reads `ASSERT condition, message`. The message is the part after the first comma outside parentheses. */
function readAssert(statement: readonly Token[]): Read {
  const [, said] = splitAtCommas(statement);
  return { ...nothing, sqlstate: 'P0004', message: said ? literal(said) : 'assertion failed' };
}

/** Reads options such as `option = expression, …` into a map of the expressions by option. */
function readOptions(list: readonly Token[]): Map<string, readonly Token[]> {
  const found = new Map<string, readonly Token[]>();
  for (const [name, ...rest] of splitAtCommas(list)) {
    if (name === undefined) continue;
    const value = rest[0]?.text === ':' ? rest.slice(2) : rest.slice(1);
    found.set(name.text, value);
  }
  return found;
}

function splitAtCommas(list: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of list) {
    if (token.kind === 'symbol' && '(['.includes(token.text)) depth++;
    if (token.kind === 'symbol' && ')]'.includes(token.text)) depth--;
    if (token.kind === 'symbol' && token.text === ',' && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/**
 * Returns the text of a string literal. Returns the format of `format('…', …)` with % for each value, and null for
 * other expressions.
 */
function literal(expression: readonly Token[]): string | null {
  const [first, second, third] = expression;
  if (expression.length === 1 && first?.kind === 'string') return first.text;
  const isFormat = first?.text === 'format' && second?.text === '(' && third?.kind === 'string';
  return isFormat ? third.text.replace(/%(?:\d+\$)?-?\d*[sIL]/g, '%') : null;
}

/** Returns the SQLSTATE for an ERRCODE, which is an SQLSTATE or the name of a condition. */
const sqlstateOf = (code: string | null): string | null =>
  code === null ? null : /^[0-9A-Z]{5}$/.test(code) ? code : (sqlstatesByName.get(code) ?? null);
