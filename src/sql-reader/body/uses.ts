import { certainTokens } from './certain.ts';
import { type DefinitionKind, definitionsAt, temporaryTables } from './definitions.ts';
import {
  beginsQuery,
  beginsStatement,
  blocksAround,
  endOfStatement,
  executedTokens,
  type HandledBlock,
  handledBlocks,
} from './statements.ts';
import { isSymbol, isWord, type Token, tokens } from './tokens.ts';

/** A relation, a sequence or a function that the code of a function names. */
export interface Use {
  /**
   * How the code uses the name. `sequence`: takes a number from a sequence, with nextval. The other words are explained
   * at `DefinitionKind`.
   */
  kind: 'select' | 'insert' | 'update' | 'delete' | 'sequence' | 'call' | DefinitionKind;
  /** The schema; null if the code does not name it. */
  schema: string | null;
  name: string;
  /** True if every call of the function runs a statement that contains the name. */
  isCertain: boolean;
  /** For a `call`: true if the statement evaluates the call once, whatever rows and values it finds. */
  isAlone: boolean;
  /** For a `call`: the blocks whose handlers may catch its errors, the innermost first. */
  handlers: readonly HandledBlock[];
}

/**
 * Returns the relations and functions that the code of a function in SQL or PL/pgSQL names, in the order of the code.
 * Does not contain names in SQL that the code builds at run time. Every word before a bracket counts as a call, even a
 * keyword of SQL.
 */
export function usesOf(language: string, source: string): Use[] {
  const all = executedTokens(source);
  const isCertain = certainTokens(language, all);
  const blocks = language === 'plpgsql' ? handledBlocks(all) : [];
  const defined = new Set([...commonTables(all), ...temporaryTables(all)]);
  const readers: Reader[] = [{ hasQuery: false, isInFrom: false, isItem: false }];
  const found: Use[] = [];
  const defines = new Set<number>();
  const add = (kind: Use['kind'], at: number, isAlone = false): void => {
    const named = nameAt(all, at);
    if (!named || (named.schema === null && kind !== 'call' && kind !== 'temporary' && defined.has(named.name))) return;
    if (readsRows(kind) && isSymbol(all[named.end], '(')) return;
    found.push({
      kind,
      schema: named.schema,
      name: named.name,
      isCertain: isCertain(at),
      isAlone,
      handlers: kind === 'call' ? blocksAround(blocks, at) : [],
    });
  };
  all.forEach((token, i) => {
    const reader = readers.at(-1) ?? { hasQuery: false, isInFrom: false, isItem: false };
    if (isSymbol(token, '(')) {
      const isRow = reader.isItem && !isWord(all[i + 1], 'select', 'with', 'values');
      readers.push({ hasQuery: isRow, isInFrom: isRow, isItem: isRow });
      reader.isItem = false;
    } else if (isSymbol(token, ')') && readers.length > 1) readers.pop();
    else if (isSymbol(token, ';')) Object.assign(reader, { hasQuery: false, isInFrom: false, isItem: false });
    else if (isSymbol(token, ',')) reader.isItem = reader.isInFrom;
    else if (token.kind === 'word' || token.kind === 'quoted') {
      const writes = writesAt(all, i);
      for (const { kind, at } of writes) add(kind, at);
      for (const { kind, at } of definitionsAt(all, i)) {
        add(kind, at);
        defines.add(at);
      }
      if (reader.isItem && !isWord(token, 'only', 'lateral') && !isSymbol(all[i - 1], '.')) {
        add('select', i);
        reader.isItem = false;
      }
      const isName = !isSymbol(all[i - 1], '.') && isSymbol(all[nameAt(all, i)?.end ?? -1], '(');
      if (isName && writes.length === 0 && !defines.has(i) && !isWord(all[i - 1], 'into', 'copy'))
        add('call', i, isAlone(all, i));
      const sequence = sequenceAt(all, i);
      if (sequence)
        found.push({ kind: 'sequence', ...sequence, isCertain: isCertain(i), isAlone: isAlone(all, i), handlers: [] });
      read(reader, all, i);
    }
  });
  return found;
}

const readsRows = (kind: Use['kind']): boolean => kind === 'select' || kind === 'update' || kind === 'delete';

/** The state of reading the clauses of a query. */
interface Reader {
  hasQuery: boolean;
  isInFrom: boolean;
  /** True if the next token may begin an item of FROM, such as a relation. */
  isItem: boolean;
}

const endsFrom = ['where', 'group', 'order', 'having', 'limit', 'offset', 'window', 'union', 'intersect', 'except'];
const otherClauses = ['returning', 'set', 'for', 'fetch', 'loop', 'then', 'into'];

function read(reader: Reader, all: readonly Token[], i: number): void {
  const token = all[i];
  if (isWord(token, 'select', 'perform', 'delete', 'update', 'merge')) reader.hasQuery = true;
  if (isWord(token, 'from')) {
    const opens = reader.hasQuery && !isWord(all[i - 1], 'distinct') && !isWord(all[i - 1], 'delete');
    if (opens) Object.assign(reader, { isInFrom: true, isItem: true });
  } else if (isWord(token, 'using') && reader.hasQuery && !isSymbol(all[i + 1], '(')) {
    Object.assign(reader, { isInFrom: true, isItem: true });
  } else if (isWord(token, ...endsFrom, ...otherClauses)) Object.assign(reader, { isInFrom: false, isItem: false });
  else if (isWord(token, 'join')) reader.isItem = reader.isInFrom;
}

interface RowUse {
  kind: 'select' | 'insert' | 'update' | 'delete';
  /** Index of the name of the relation. */
  at: number;
}

/** Returns what a statement that writes rows does with its relation, at the first word of the statement. */
function writesAt(all: readonly Token[], i: number): RowUse[] {
  const [token, after] = [all[i], all[i + 1]];
  if (!isWord(token, 'insert', 'update', 'delete', 'merge', 'copy') || !beginsQuery(all, i)) return [];
  const past = (at: number): number => (isWord(all[at], 'only') ? at + 1 : at);
  if (isWord(token, 'insert')) return isWord(after, 'into') ? [{ kind: 'insert', at: i + 2 }] : [];
  if (isWord(token, 'delete')) return isWord(after, 'from') ? [{ kind: 'delete', at: past(i + 2) }] : [];
  // In MERGE, UPDATE SET follows THEN.
  if (isWord(token, 'update')) return isWord(after, 'set') ? [] : [{ kind: 'update', at: past(i + 1) }];
  const end = endOfStatement(all, i);
  if (isWord(token, 'copy')) {
    const direction = all.slice(i, end).find((one) => isWord(one, 'from', 'to'));
    return isSymbol(after, '(') ? [] : [{ kind: isWord(direction, 'from') ? 'insert' : 'select', at: i + 1 }];
  }
  if (!isWord(after, 'into')) return [];
  const actions = (['insert', 'update', 'delete'] as const).filter((kind) =>
    all.slice(i, end).some((one, k, merge) => isWord(one, kind) && isWord(merge[k - 1], 'then')),
  );
  return actions.map((kind) => ({ kind, at: past(i + 2) }));
}

/** Returns the sequence of a call of nextval whose argument is a string literal. */
function sequenceAt(all: readonly Token[], i: number): { schema: string | null; name: string } | null {
  const text = all[i + 2];
  if (!isWord(all[i], 'nextval') || !isSymbol(all[i + 1], '(') || text?.kind !== 'string') return null;
  return nameAt(tokens(text.text), 0);
}

/** Keywords after which a call is always evaluated, whatever rows the statement finds. */
const leading = ['return', 'perform', 'select', 'atomic', 'begin', 'query'];

/** Returns true if a statement evaluates the call at an index first, and not once for each row. */
function isAlone(all: readonly Token[], at: number): boolean {
  let start = at;
  // Goes back to the start of the statement. THEN and ELSE are skipped like other words, because they may belong to a
  // CASE expression.
  while (start > 0 && (isWord(all[start - 1], 'then', 'else') || !beginsStatement(all[start - 1]))) start--;
  const before = all.slice(start, at);
  if (!before.every((token) => isWord(token, ...leading) || isSymbol(token, '('))) return false;
  const rest = all.slice(at, endOfStatement(all, at));
  return !rest.some((token) => isWord(token, 'from', 'where'));
}

/** Returns the names of common table expressions. */
function commonTables(all: readonly Token[]): ReadonlySet<string> {
  const names = all.flatMap((token, i) => {
    const as = isSymbol(all[i + 1], '(') ? -1 : i + 1;
    if (token.kind !== 'word' || !isWord(all[as], 'as')) return [];
    const open = all.slice(as + 1, as + 4).find((one) => !isWord(one, 'not', 'materialized'));
    return isSymbol(open, '(') ? [token.text] : [];
  });
  return new Set(names);
}

/** Returns the name that begins at an index, and the index after it. */
function nameAt(all: readonly Token[], at: number): { schema: string | null; name: string; end: number } | null {
  const first = all[at];
  if (first?.kind !== 'word' && first?.kind !== 'quoted') return null;
  const second = isSymbol(all[at + 1], '.') ? all[at + 2] : undefined;
  if (second?.kind === 'word' || second?.kind === 'quoted') {
    return { schema: first.text, name: second.text, end: at + 3 };
  }
  return { schema: null, name: first.text, end: at + 1 };
}
