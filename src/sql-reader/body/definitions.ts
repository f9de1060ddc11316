import { beginsStatement, endOfStatement } from './statements.ts';
import { isWord, type Token } from './tokens.ts';

/**
 * The privilege that a statement other than a query needs on the relation that it names:
 * - `truncate` and `maintain`: the privilege of this name
 * - `own`: the relation must belong to the role
 * - `create`: CREATE on the schema of the relation, which does not exist yet
 * - `temporary`: TEMPORARY on the database
 */
export type DefinitionKind = 'truncate' | 'maintain' | 'own' | 'create' | 'temporary';

const relations = ['table', 'view', 'sequence'];
const beforeRelation = ['or', 'replace', 'unlogged', 'materialized', 'recursive', 'foreign'];
const beforeName = ['if', 'not', 'exists', 'only', 'concurrently'];

/**
 * Reads the statement that begins at an index. If it defines, empties or refreshes relations, returns for each of them
 * the needed privilege and the index of its name. Returns an empty list for other statements.
 */
export function definitionsAt(all: readonly Token[], i: number): { kind: DefinitionKind; at: number }[] {
  const [token, after] = [all[i], all[i + 1]];
  if (token?.kind !== 'word' || !beginsStatement(all[i - 1])) return [];
  const named = (kind: DefinitionKind, from: number) => ({ kind, at: past(all, from, beforeName) });
  switch (token.text) {
    case 'truncate':
      return listed(all, isWord(after, 'table') ? i + 2 : i + 1).map((at) => named('truncate', at));
    case 'refresh':
      return isWord(after, 'materialized') ? [named('maintain', i + 3)] : [];
    case 'create': {
      const at = past(all, i + 1, ['or', 'replace', 'local', 'global']);
      if (isWord(all[at], 'temp', 'temporary')) return [named('temporary', past(all, at + 1, beforeRelation) + 1)];
      if (isWord(all[past(all, at, ['unique'])], 'index')) return indexed(all, i).map((on) => named('own', on));
      const relation = past(all, at, beforeRelation);
      return isWord(all[relation], ...relations) ? [named('create', relation + 1)] : [];
    }
    case 'alter':
    case 'drop': {
      const relation = past(all, i + 1, beforeRelation);
      if (!isWord(all[relation], ...relations)) return [];
      return token.text === 'alter'
        ? [named('own', relation + 1)]
        : listed(all, relation + 1).map((at) => named('own', at));
    }
    default:
      return [];
  }
}

/** Returns the names of the temporary tables that code creates. */
export const temporaryTables = (all: readonly Token[]): string[] =>
  all.flatMap((_, i) =>
    definitionsAt(all, i).flatMap(({ kind, at }) => (kind === 'temporary' ? (all[at]?.text ?? []) : [])),
  );

/** Returns the index of the table of CREATE INDEX. */
function indexed(all: readonly Token[], from: number): number[] {
  const on = all.findIndex((token, i) => i > from && isWord(token, 'on'));
  return on < 0 || on > endOfStatement(all, from) ? [] : [on + 1];
}

/** Returns the index of each name in a comma-separated list that ends with the statement. */
function listed(all: readonly Token[], from: number): number[] {
  const end = endOfStatement(all, from);
  const commas = all.flatMap((token, i) => (i > from && i < end && token.text === ',' ? [i + 1] : []));
  return [from, ...commas];
}

/** Skips optional words from an index on, and returns the index after them. */
function past(all: readonly Token[], from: number, words: readonly string[]): number {
  let at = from;
  while (isWord(all[at], ...words)) at++;
  return at;
}
