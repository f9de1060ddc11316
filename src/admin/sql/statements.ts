/** A token of SQL text (PostgreSQL manual, "Lexical Structure"). White space and comments produce no tokens. */
export interface Token {
  kind: 'word' | 'quoted' | 'string' | 'dollar' | 'number' | 'symbol' | 'psql' | 'data';
  /** The text of the token, unchanged. */
  text: string;
  /** Offset in the text, in UTF-16 units. */
  at: number;
}

/** One statement of a script, without the semicolon that ends it. */
export interface ScriptStatement {
  text: string;
  /** Its first word in upper case: CREATE, COMMIT; `\` for a psql command; empty if it does not begin with a word. */
  command: string;
  /** Offset of the text in the script, in UTF-16 units. */
  at: number;
  /** The data of COPY … FROM STDIN that follows in the script; absent for all other statements. */
  data?: CopyData;
}

/** The data lines that follow COPY … FROM STDIN in a script. */
export interface CopyData {
  /** The text of the data lines, without the line `\.` that ends them. */
  text: string;
  /**
   * Offsets in the script, in UTF-16 units: of the first line, and of the end of the last line, which includes `\.`.
   */
  at: number;
  end: number;
}

/**
 * Yields the tokens of a script as psql reads it (PostgreSQL's psqlscan.l). A line that begins with a backslash, where
 * a statement may begin, is one token of kind `psql`. The lines after COPY … FROM STDIN, including the line `\.`, are
 * one token of kind `data`. An unterminated quote or comment extends to the end of the text.
 */
export function* tokensOf(script: string): Generator<Token> {
  const token =
    /--[^\n]*|\/\*|'|"|\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d[\w.]*|[();]|\s+|[\s\S]/gu;
  let isBetween = true;
  let copy = NO_COPY;
  for (let match = token.exec(script); match; match = token.exec(script)) {
    const [found] = match;
    const at = match.index;
    if (found.startsWith('--') || /^\s/.test(found)) continue;
    if (found === '/*') {
      token.lastIndex = endOfComment(script, at);
      continue;
    }
    let kind: Token['kind'] = 'symbol';
    if (found === "'" || found === '"') {
      kind = found === "'" ? 'string' : 'quoted';
      token.lastIndex = endOfQuoted(script, at, found, isEscapeString(script, at));
    } else if (/^\$.*\$$/s.test(found)) {
      kind = 'dollar';
      const close = script.indexOf(found, at + found.length);
      token.lastIndex = close < 0 ? script.length : close + found.length;
    } else if (found === '\\' && isBetween) {
      kind = 'psql';
      const end = script.indexOf('\n', at);
      token.lastIndex = end < 0 ? script.length : end;
    } else if (/^[A-Za-z_\u0080-\uffff]/.test(found)) kind = 'word';
    else if (/^\d/.test(found)) kind = 'number';
    yield { kind, text: script.slice(at, token.lastIndex), at };
    const isCopy = found === ';' && copy === 'stdin';
    copy = nextCopyState(copy, isBetween, kind, found);
    isBetween = kind === 'psql' || found === ';';
    if (!isCopy) continue;
    const data = copyDataAfter(script, token.lastIndex);
    if (data === null) continue;
    token.lastIndex = data.end;
    yield { kind: 'data', text: script.slice(data.at, data.end), at: data.at };
  }
}

/** The progress of recognising COPY … FROM STDIN in a statement. */
type CopyState = 'none' | 'begun' | 'copy' | 'from' | 'stdin';
const NO_COPY = 'none' as CopyState;

function nextCopyState(state: CopyState, isFirst: boolean, kind: Token['kind'], text: string): CopyState {
  if (text === ';') return 'none';
  const word = kind === 'word' ? text.toUpperCase() : '';
  if (isFirst) return word === 'COPY' ? 'begun' : 'none';
  // COPY (query) TO has no data lines. A table in its query may be named stdin, so the search for STDIN ends at the
  // bracket.
  if (state === 'begun') return text === '(' ? 'none' : 'copy';
  if (state === 'copy') return word === 'FROM' ? 'from' : 'copy';
  if (state === 'from') return word === 'STDIN' ? 'stdin' : 'copy';
  return state;
}

/**
 * Returns the offsets of the data after the semicolon of COPY … FROM STDIN, including the line `\.`. Returns null if
 * the rest of the line is not blank. Without a line `\.` the data extends to the end of the script.
 */
function copyDataAfter(script: string, from: number): { at: number; end: number } | null {
  const rest = /[^\S\n]*(?:\n|$)/y;
  rest.lastIndex = from;
  if (!rest.test(script)) return null;
  const last = /^\\\.[^\S\n]*$/gm;
  last.lastIndex = rest.lastIndex;
  return { at: rest.lastIndex, end: last.test(script) ? last.lastIndex : script.length };
}

/**
 * Splits a script at the semicolons between its statements, as psql does: not within brackets or the body of a function
 * in BEGIN ATOMIC … END. Leaves out pieces that contain only comments. The rest of a malformed script is one statement,
 * which PostgreSQL refuses.
 */
export function splitStatements(script: string): ScriptStatement[] {
  const statements: ScriptStatement[] = [];
  let words: string[] = [];
  let start = -1;
  let brackets = 0;
  let bodies = 0;
  const end = (at: number) => {
    if (start >= 0) statements.push({ text: script.slice(start, at).trimEnd(), command: words[0] ?? '', at: start });
    words = [];
    start = -1;
    brackets = 0;
    bodies = 0;
  };
  for (const { kind, text, at } of tokensOf(script)) {
    if (kind === 'data') {
      const copied = statements.at(-1);
      if (copied) copied.data = { text: text.replace(/(^|\n)\\\.[^\S\n]*$/, '$1'), at, end: at + text.length };
      continue;
    }
    if (kind === 'psql') {
      statements.push({ text: text.trimEnd(), command: '\\', at });
      continue;
    }
    if (text === ';' && brackets <= 0 && bodies <= 0) {
      end(at);
      continue;
    }
    if (start < 0) start = at;
    if (text === '(') {
      brackets++;
    } else if (text === ')') {
      brackets--;
    } else if (kind === 'word') {
      words.push(text.toUpperCase());
      bodies += bodyStep(words, bodies);
    } else if (words.length === 0 && kind !== 'string' && kind !== 'quoted' && kind !== 'dollar') {
      words.push('');
    }
  }
  end(script.length);
  return statements;
}

/**
 * Returns +1 where the body of a routine or a CASE within it begins, -1 where one of them ends, else 0. Only CREATE
 * FUNCTION and CREATE PROCEDURE have bodies.
 */
function bodyStep(words: readonly string[], bodies: number): number {
  const isRoutine = words[0] === 'CREATE' && /^(OR REPLACE )?(FUNCTION|PROCEDURE)\b/.test(words.slice(1, 4).join(' '));
  if (!isRoutine) return 0;
  const [before, last] = words.slice(-2);
  if (before === 'BEGIN' && last === 'ATOMIC') return 1;
  if (bodies > 0 && last === 'CASE' && before !== 'END') return 1;
  return bodies > 0 && last === 'END' ? -1 : 0;
}

/** Returns true if the string at `at` is E'…' or e'…', in which a backslash escapes the next character. */
const isEscapeString = (script: string, at: number): boolean =>
  /(?:^|[^\w$])[eE]$/.test(script.slice(Math.max(0, at - 2), at));

function endOfQuoted(script: string, at: number, quote: string, escapes: boolean): number {
  for (let i = at + 1; i < script.length; i++) {
    if (escapes && quote === "'" && script[i] === '\\') i++;
    else if (script[i] === quote) {
      if (script[i + 1] !== quote) return i + 1;
      i++;
    }
  }
  return script.length;
}

/** Returns the end of a comment, which may contain other comments. */
function endOfComment(script: string, at: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = at;
  let depth = 0;
  for (let match = mark.exec(script); match; match = mark.exec(script)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return script.length;
}
