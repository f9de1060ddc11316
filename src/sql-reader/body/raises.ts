import { sqlstatesByName } from '../../../contract/errors/conditions.ts';
import { type Token, tokens } from './tokens.ts';

/** One place where a PL/pgSQL function raises an error. What is computed while it runs cannot be told, and is null. */
export interface Raise {
  /** The SQLSTATE; null where it is computed. */
  readonly sqlstate: string | null;
  /** The message; each value that is put into it stands as %. */
  readonly message: string | null;
  readonly detail: string | null;
  readonly hint: string | null;
  /** Within a block that handles exceptions, or raised again by such a handler: it may never reach the caller. */
  readonly mayBeCaught: boolean;
  /** `RAISE;` alone raises what was caught. */
  readonly isAgain: boolean;
  /** The statement as it is written. */
  readonly sql: string;
}

const levels = new Set(['debug', 'log', 'info', 'notice', 'warning', 'exception']);

/**
 * The errors that a PL/pgSQL function raises with RAISE and ASSERT (PostgreSQL manual, "Errors and Messages"), in the order of
 * its source. Statements that the function puts together and runs with EXECUTE are not looked into.
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

/** A word is a statement's first where the one before it has ended, or where a block of statements begins. */
const beginsStatement = (before: Token | undefined): boolean =>
  before === undefined ||
  (before.kind === 'symbol' && (before.text === ';' || before.text === '>')) ||
  (before.kind === 'word' && openers.has(before.text));

function endOfStatement(all: readonly Token[], from: number): number {
  let i = from;
  while (i < all.length && !(all[i]?.kind === 'symbol' && all[i]?.text === ';')) i++;
  return i;
}

/** From BEGIN to EXCEPTION of each block that has handlers, as places among the tokens. */
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

/** Without a message PostgreSQL takes the condition's name or its code. */
const messageOf = (first: Token | undefined, sqlstate: string | null): string | null =>
  first?.kind === 'word' ? (first.text === 'sqlstate' ? sqlstate : first.text) : null;

/** ASSERT condition, message: its message is all after the last comma that stands outside of parentheses. */
function readAssert(statement: readonly Token[]): Read {
  const [, said] = splitAtCommas(statement);
  return { ...nothing, sqlstate: 'P0004', message: said ? literal(said) : 'assertion failed' };
}

/** `option = expression, …`, by the option. */
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

/** The text of an expression that is one string; `format('…', …)` gives its format; null for anything computed. */
function literal(expression: readonly Token[]): string | null {
  const [first, second, third] = expression;
  if (expression.length === 1 && first?.kind === 'string') return first.text;
  const isFormat = first?.text === 'format' && second?.text === '(' && third?.kind === 'string';
  return isFormat ? third.text.replace(/%(?:\d+\$)?-?\d*[sIL]/g, '%') : null;
}

/** Of what ERRCODE was given: an SQLSTATE or the name of a condition. */
const sqlstateOf = (code: string | null): string | null =>
  code === null ? null : /^[0-9A-Z]{5}$/.test(code) ? code : (sqlstatesByName.get(code) ?? null);
