import type { ScriptWarning } from '../../contract/admin.ts';
import type { Executor } from '../database/database.ts';
import { plain, type Result, rowsAsText } from '../database/statement.ts';
import { type DatabaseFacts, mayNeedReplacement, type Replacement, replacementOf } from './platform-statements.ts';
import { type ScriptStatement, splitStatements } from './statements.ts';

/** A statement of a script with what runs in its place; null if it runs as it is. */
export interface PreparedStatement {
  source: ScriptStatement;
  replacement: Replacement | null;
}

/** A script as PostgreSQL gets it, and the way back to the script as it was sent. */
export interface PreparedScript {
  original: string;
  text: string;
  /** Null where no statement is replaced. */
  statements: readonly PreparedStatement[] | null;
  /** For each result of the text, in order, the place of its statement in `statements`. */
  sources: readonly number[];
  /** The pieces of `text` in order: where each begins there and in `original`, and whether it is copied. */
  pieces: readonly { at: number; from: number; isCopied: boolean }[];
}

/** Reads what decisions on statements depend on. */
export async function readFacts(executor: Executor): Promise<DatabaseFacts> {
  const [result] = await executor.run([
    plain(`select pg_catalog.current_database() as database,
      (select pg_catalog.json_agg(a.name) from pg_catalog.pg_available_extensions a) as available,
      pg_catalog.to_regprocedure('ninefold.create_extension(text,text,boolean)') is not null as helpers`),
  ]);
  const [row] = result ? rowsAsText(result) : [];
  return {
    database: row?.database ?? '',
    available: new Set(JSON.parse(row?.available ?? '[]') as string[]),
    hasHelpers: row?.helpers === 't',
  };
}

/** Replaces the statements of a script that a hosted project takes and the app's owner cannot run. */
export function prepareScript(original: string, facts: DatabaseFacts): PreparedScript {
  const unchanged: PreparedScript = { original, text: original, statements: null, sources: [], pieces: [] };
  if (!mayNeedReplacement(original)) return unchanged;
  const statements = splitStatements(original).map((source) => ({ source, replacement: replacementOf(source, facts) }));
  if (statements.every(({ replacement }) => replacement === null)) return unchanged;
  const pieces: { at: number; from: number; isCopied: boolean }[] = [];
  const sources: number[] = [];
  let text = '';
  let copied = 0;
  statements.forEach(({ source, replacement }, i) => {
    const count = replacement === null ? 1 : splitStatements(replacement.run ?? '').length;
    for (let n = 0; n < count; n++) sources.push(i);
    if (replacement === null) return;
    pieces.push({ at: text.length, from: copied, isCopied: true });
    text += original.slice(copied, source.at);
    pieces.push({ at: text.length, from: source.at, isCopied: false });
    text += replacement.run ?? '';
    copied = source.at + source.text.length;
  });
  pieces.push({ at: text.length, from: copied, isCopied: true });
  return { original, text: text + original.slice(copied), statements, sources, pieces };
}

/** Returns the warnings of a script that has run. */
export function warningsOf(script: PreparedScript, results: readonly (Result | undefined)[]): ScriptWarning[] {
  return (script.statements ?? []).flatMap(({ source, replacement }, i) => {
    if (replacement?.warning == null) return [];
    const reason = replacement.isAttempt ? skippedBecause(results[script.sources.indexOf(i)]) : '';
    if (reason === null) return [];
    const message = `Skipped: ${reason}. ${replacement.warning}`;
    return [{ ...placeOf(script.original, source.at), message: replacement.isAttempt ? message : replacement.warning }];
  });
}

/** Returns why `ninefold.attempt` skipped its statement; null if the statement ran. */
const skippedBecause = (result: Result | undefined): string | null => result?.rows[0]?.[0]?.toString('utf8') ?? null;

/** Returns the offset in the original script of an offset in the prepared text. */
export function originalOffset(script: PreparedScript, offset: number): number {
  const piece = script.pieces.findLast(({ at }) => at <= offset);
  if (!piece) return offset;
  return piece.isCopied ? piece.from + offset - piece.at : piece.from;
}

/** Line and column of an offset, 1-based; a column counts characters. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: [...before.slice(lineStart)].length + 1 };
}
