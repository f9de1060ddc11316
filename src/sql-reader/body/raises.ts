import { sqlstatesByName } from '../../../contract/errors/conditions.ts';
import { oneLine } from '../tokens.ts';
import {
  beginsStatement,
  blocksAround,
  branchesAt,
  endOfStatement,
  handledBlocks,
  ifStatements,
  isCaught,
} from './statements.ts';
import { isSymbol, isWord, splitAt, type Token, tokens } from './tokens.ts';

/** A place where a PL/pgSQL function raises an error. Parts that the function computes at run time are null. */
export interface Raise {
  /** The SQLSTATE; null if it is computed. */
  readonly sqlstate: string | null;
  /** The message, with % for each inserted value; null if it is computed. */
  readonly message: string | null;
  readonly detail: string | null;
  readonly hint: string | null;
  /** True if a handler of a block around the statement catches the error, so that it does not reach the caller. */
  readonly isCaught: boolean;
  /** True for `RAISE;`, which raises the caught error again. */
  readonly isAgain: boolean;
  /** The condition of the innermost IF or ELSIF around the statement, as SQL; null if another branch is around it, or none. */
  readonly condition: string | null;
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
  const places = all.flatMap((token, i) =>
    isWord(token, 'raise', 'assert') && beginsStatement(all[i - 1]) ? [{ token, i }] : [],
  );
  if (places.length === 0) return [];
  const blocks = handledBlocks(all);
  const branches = ifStatements(all).flatMap((at) => branchesAt(all, at));
  return places.flatMap(({ token, i }) => {
    const end = endOfStatement(all, i);
    const statement = all.slice(i + 1, end);
    const raise = isWord(token, 'raise') ? readRaise(statement) : readAssert(statement);
    if (!raise) return [];
    const sql = source.slice(token.at, all[end]?.at ?? source.length).trim();
    const branch = branches.findLast(({ from, to }) => i >= from && i < to);
    const [first, then] = branch ? [all[branch.start + 1], all[branch.from - 1]] : [];
    const condition = first && then && first.at < then.at ? oneLine(source.slice(first.at, then.at)) : null;
    return [{ ...raise, isCaught: isCaught(blocksAround(blocks, i), raise.sqlstate), condition, sql }];
  });
}

type Read = Omit<Raise, 'isCaught' | 'condition' | 'sql'>;

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
  const [, said] = splitAt(statement, (token) => isSymbol(token, ','));
  return { ...nothing, sqlstate: 'P0004', message: said ? literal(said) : 'assertion failed' };
}

/** Reads options such as `option = expression, …` into a map of the expressions by option. */
function readOptions(list: readonly Token[]): Map<string, readonly Token[]> {
  const found = new Map<string, readonly Token[]>();
  for (const [name, ...rest] of splitAt(list, (token) => isSymbol(token, ','))) {
    if (name === undefined) continue;
    const value = rest[0]?.text === ':' ? rest.slice(2) : rest.slice(1);
    found.set(name.text, value);
  }
  return found;
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
