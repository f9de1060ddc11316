import type { ScriptWarning } from '../../../contract/admin.ts';
import type { Executor } from '../../database/database.ts';
import { plain, type Result, rowsAsText } from '../../database/statement.ts';
import { asBlockStatement, type BlockStatement, replacementsWithin } from './do-block.ts';
import { providedExtensions } from './hosted-extensions.ts';
import { mayNeedReplacement, platformSchemas, replacementOf } from './platform-statements.ts';
import type { DatabaseFacts, Replacement } from './replacement.ts';
import { isDatabaseRoleName, rolesCreatedBy } from './shared-objects.ts';
import { type ScriptStatement, splitStatements } from './statements.ts';

/** A statement of a script with its replacement; null if it runs unchanged. */
export interface PreparedStatement {
  source: ScriptStatement;
  replacement: Replacement | null;
  /** The replaced statements in the body of a DO statement. */
  within: readonly BlockStatement[];
}

/**
 * A script in the form in which it is sent to PostgreSQL, with the data to map positions back to the original script.
 */
export interface PreparedScript {
  original: string;
  text: string;
  /** The statements of the script; null if none of them is replaced. */
  statements: readonly PreparedStatement[] | null;
  /** For each result, in order, the index of its statement in `statements`. */
  sources: readonly number[];
  /**
   * The pieces of `text` in order. `at` is the offset of a piece in `text`, `from` its offset in `original`. `isCopied`
   * is true if the piece is the same in both.
   */
  pieces: readonly { at: number; from: number; isCopied: boolean }[];
  /** The data of each COPY … FROM STDIN of the text, in order. */
  copies: readonly string[];
}

/** Returns a script that is sent to PostgreSQL unchanged. */
export const unchangedScript = (original: string): PreparedScript => ({
  original,
  text: original,
  statements: null,
  sources: [],
  pieces: [],
  copies: [],
});

/**
 * Reads the facts on which decisions about statements depend.
 * @param scripts All scripts of the request. A statement may name a role that another script creates.
 */
export async function readFacts(executor: Executor, scripts: readonly string[]): Promise<DatabaseFacts> {
  const [result] = await executor.run([
    {
      text: `select pg_catalog.current_database() as database,
        (select pg_catalog.json_agg(a.name) from pg_catalog.pg_available_extensions a
          where a.name <> all ($2::text[]) or a.default_version = 'ninefold') as available,
        (select pg_catalog.json_agg(n.nspname || '.' || c.relname) from pg_catalog.pg_class c
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
          where n.nspname = any ($1::text[]) and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')) as relations,
        coalesce(pg_catalog.has_table_privilege(pg_catalog.to_regclass('ninefold.skipped_roles'), 'select'), false) as roles,
        (select pg_catalog.to_regprocedure('ninefold.create_database_role(text)') is not null) as database_roles,
        pg_catalog.to_regprocedure('ninefold.create_extension(text,text,boolean)') is not null as helpers`,
      params: [[...platformSchemas], [...providedExtensions]].map((names) => `{${names.join(',')}}`),
    },
  ]);
  const [row] = result ? rowsAsText(result) : [];
  // An outdated app does not have the table of skipped roles. The owner of an app on an existing database may not be
  // allowed to read it. Both count as no skipped roles.
  const skipped = row?.roles === 't' ? await readSkippedRoles(executor) : [];
  const hasRoles = row?.database_roles === 't';
  const present = hasRoles ? await readDatabaseRoles(executor) : [];
  const created = [...rolesCreatedBy(scripts)];
  const canCreate = (name: string) => hasRoles && isDatabaseRoleName(name);
  return {
    database: row?.database ?? '',
    available: new Set(JSON.parse(row?.available ?? '[]') as string[]),
    platformRelations: new Set(JSON.parse(row?.relations ?? '[]') as string[]),
    skippedRoles: new Set([...skipped, ...created.filter((name) => !canCreate(name))]),
    hasDatabaseRoles: hasRoles,
    databaseRoles: new Set([...present, ...created.filter(canCreate)]),
    hasHelpers: row?.helpers === 't',
  };
}

async function readSkippedRoles(executor: Executor): Promise<string[]> {
  const [result] = await executor.run([plain('select name from ninefold.skipped_roles')]);
  return result ? rowsAsText(result).map(({ name }) => name ?? '') : [];
}

async function readDatabaseRoles(executor: Executor): Promise<string[]> {
  const [result] = await executor.run([plain('select ninefold.database_roles() as name')]);
  return result ? rowsAsText(result).map(({ name }) => name ?? '') : [];
}

/**
 * Replaces the statements that a hosted project accepts and the app's owner cannot run, and removes the data of COPY …
 * FROM STDIN from the text.
 */
export function prepareScript(original: string, facts: DatabaseFacts): PreparedScript {
  if (!mayNeedReplacement(original)) return unchangedScript(original);
  const statements = splitStatements(original).map((source) => ({
    source,
    replacement: replacementOf(source, facts),
    within: replacementsWithin(source, facts, replacementOf),
  }));
  if (statements.every(({ source, replacement, within }) => !replacement && !source.data && within.length === 0)) {
    return unchangedScript(original);
  }
  const pieces: { at: number; from: number; isCopied: boolean }[] = [];
  const sources: number[] = [];
  const copies: string[] = [];
  let text = '';
  let copied = 0;
  const replace = (from: number, end: number, by: string) => {
    pieces.push({ at: text.length, from: copied, isCopied: true });
    text += original.slice(copied, from);
    pieces.push({ at: text.length, from, isCopied: false });
    text += by;
    copied = end;
  };
  statements.forEach(({ source, replacement, within }, i) => {
    const count = replacement === null ? 1 : splitStatements(replacement.run ?? '').length;
    for (let n = 0; n < count; n++) sources.push(i);
    if (replacement !== null) replace(source.at, source.at + source.text.length, replacement.run ?? '');
    for (const each of within) {
      replace(each.source.at, each.source.at + each.source.text.length, asBlockStatement(each));
    }
    if (!source.data) return;
    if (replacement === null) copies.push(source.data.text);
    replace(source.data.at, source.data.end, '');
  });
  pieces.push({ at: text.length, from: copied, isCopied: true });
  return { original, text: text + original.slice(copied), statements, sources, pieces, copies };
}

/** Returns the warnings of a script that has run. */
export function warningsOf(script: PreparedScript, results: readonly (Result | undefined)[]): ScriptWarning[] {
  return (script.statements ?? []).flatMap(({ source, replacement, within }, i) => {
    const inside = within.flatMap(({ source: { at }, replacement: { warning } }) =>
      warning === null ? [] : [{ ...placeOf(script.original, at), message: warning }],
    );
    if (replacement?.warning == null) return inside;
    const reason = replacement.isAttempt ? skippedBecause(results[script.sources.indexOf(i)]) : '';
    if (reason === null) return [];
    const message = `Skipped: ${reason}. ${replacement.warning}`;
    return [{ ...placeOf(script.original, source.at), message: replacement.isAttempt ? message : replacement.warning }];
  });
}

/** Returns why `ninefold.attempt` skipped its statement; null if the statement ran. */
const skippedBecause = (result: Result | undefined): string | null => result?.rows[0]?.[0]?.toString('utf8') ?? null;

/** Returns the offset in the original script that belongs to an offset in the prepared text. */
export function originalOffset(script: PreparedScript, offset: number): number {
  const piece = script.pieces.findLast(({ at }) => at <= offset);
  if (!piece) return offset;
  return piece.isCopied ? piece.from + offset - piece.at : piece.from;
}

/** Returns line and column of an offset, 1-based. A column counts characters. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: [...before.slice(lineStart)].length + 1 };
}
