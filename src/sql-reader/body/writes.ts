import { memoize } from '../../catalog/memoize.ts';
import { certainTokens } from './certain.ts';
import { beginsQuery, beginsStatement, executedTokens, isComputed } from './statements.ts';
import { isSymbol, isWord, type Token, tokens } from './tokens.ts';

/** The longest body of a function whose analysis is cached. */
const REMEMBERED_CHARACTERS = 10_000;

/**
 * What the code of a function shows about its result in a read-only transaction. PostgreSQL refuses it in every call
 * (`always`), or in some calls (`at times`), or the code shows no refusal (`never`).
 */
export type Writes = 'always' | 'at times' | 'never';

/**
 * Returns whether a function in SQL or PL/pgSQL writes, according to its code (PostgreSQL manual, "SET TRANSACTION",
 * READ ONLY). Does not analyse the functions that it calls, nor statements that it builds and runs with EXECUTE.
 */
export const writesOf = (language: string, source: string): Writes => summaryOf(`${language}\n${source}`).writes;

/** Returns true if a PL/pgSQL function runs SQL that it builds at run time. */
export const runsDynamicSql = (source: string): boolean => summaryOf(`plpgsql\n${source}`).isDynamic;

/**
 * Caches the result by language and body. The bodies of all functions of an app are read at each derivation of its
 * specification, but few of them change in between.
 */
const summaryOf = memoize(
  (text) => {
    const end = text.indexOf('\n');
    const language = text.slice(0, end);
    const source = text.slice(end + 1);
    const { writes, all } = read(language, source);
    const isDynamic =
      all.some((token) => isWord(token, 'execute')) &&
      tokens(source).some((token, i, own) => isWord(token, 'execute') && isComputed(own, i));
    return { writes, isDynamic, inStatements: statementWrites(language, all) };
  },
  { maxText: REMEMBERED_CHARACTERS },
);

/**
 * Returns the SQLSTATE with which PostgreSQL refuses a function that writes in every call and is declared STABLE or
 * IMMUTABLE. PostgreSQL refuses its statements before they run, except a row lock in code that it inlines as a table
 * (clauses.c, inline_set_returning_function). PostgreSQL refuses calls of functions such as nextval only when they run.
 */
export function sqlstateOfStable(language: string, source: string, isInlined: boolean): '0A000' | '25006' {
  const { all, first } = read(language, source);
  const token = all[first ?? -1];
  const isLock = isInlined && language === 'sql' && isWord(token, 'update', 'share');
  return isLock || isWord(token, ...writingFunctions) ? '25006' : '0A000';
}

/**
 * Returns whether PostgreSQL refuses statements of a function that is not declared VOLATILE, wherever it is called
 * (0A000). Calls of functions that write, such as nextval, do not count, because PostgreSQL does not refuse them for
 * this reason.
 */
export const writesInStatements = (language: string, source: string): Writes =>
  summaryOf(`${language}\n${source}`).inStatements;

function statementWrites(language: string, all: readonly Token[]): Writes {
  const written = all.flatMap((token, i) =>
    isWrite(language, all, i) && !isWord(token, ...writingFunctions) ? [i] : [],
  );
  if (written.some(certainTokens(language, all))) return 'always';
  return written.length > 0 ? 'at times' : 'never';
}

/** Returns whether a function writes, its tokens, and the index of the first write that every call reaches. */
function read(language: string, source: string): { writes: Writes; all: readonly Token[]; first: number | undefined } {
  const all = executedTokens(source);
  const written = all.flatMap((_, i) => (isWrite(language, all, i) ? [i] : []));
  const first = written.find(certainTokens(language, all));
  return { writes: first !== undefined ? 'always' : written.length > 0 ? 'at times' : 'never', all, first };
}

/** Functions of PostgreSQL that write. */
const writingFunctions = [
  'nextval',
  'setval',
  'lo_import',
  'lo_create',
  'lo_creat',
  'lo_from_bytea',
  'lo_put',
  'lo_truncate',
  'lo_truncate64',
  'lo_unlink',
  'lowrite',
];

/**
 * The first words of statements that PostgreSQL refuses in a read-only transaction, other than writes of rows
 * (utility.c, ClassifyUtilityCommandAsReadOnly).
 */
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
  'lock',
  'security',
];

/**
 * Returns true if a write begins at this token: a statement that writes, also within WITH, EXPLAIN ANALYZE or a statement of
 * PL/pgSQL, a row lock, or a call that takes a number from a sequence.
 */
function isWrite(language: string, all: readonly Token[], at: number): boolean {
  const [before, token, after] = [all[at - 1], all[at], all[at + 1]];
  if (isWord(token, ...writingFunctions)) return isSymbol(after, '(');
  if (isWord(token, 'update', 'share') && isWord(before, 'for', 'key')) return true;
  if (isWord(token, 'insert', 'merge')) return isWord(after, 'into') && beginsQuery(all, at);
  if (isWord(token, 'delete')) return isWord(after, 'from') && beginsQuery(all, at);
  if (isWord(token, 'update')) return beginsQuery(all, at);
  // SELECT INTO creates a table in SQL, and sets variables in PL/pgSQL.
  if (isWord(token, 'into')) return language === 'sql' && !isWord(before, 'insert', 'merge');
  if (!beginsStatement(before) && !isWord(before, 'atomic', 'execute', 'analyze')) return false;
  if (isWord(token, 'copy')) return copiesInto(all, at);
  // A variable may be named like a statement, such as comment. An assignment to it is not a write.
  const isAssigned = [':', ':=', '=', '.', '['].some((text) => isSymbol(after, text));
  return isWord(token, ...definitions) && !isAssigned;
}

/** Returns true for COPY with FROM after the name of the table and its columns. */
function copiesInto(all: readonly Token[], at: number): boolean {
  const direction = all.findIndex((token, i) => i > at && isWord(token, 'from', 'to'));
  return isWord(all[direction], 'from') && !isSymbol(all[at + 1], '(');
}
