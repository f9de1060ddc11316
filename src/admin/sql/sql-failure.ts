import type { SqlFailure } from '../../../contract/admin.ts';
import type { DatabaseError, DatabaseErrorFields } from '../../database/database-error.ts';
import { adviceOnLibrary } from '../../errors/missing-library.ts';
import { adviceOnExtension } from './hosted-extensions.ts';
import type { DatabaseFacts } from './replacement.ts';
import { originalOffset, type PreparedScript, placeOf } from './script.ts';
import { adviceOnRoles } from './shared-objects.ts';
import { type ScriptStatement, splitStatements, tokensOf } from './statements.ts';

/** Number of characters of a long line that an excerpt shows before the position of the error. */
const SHOWN_BEFORE = 60;
const SHOWN_AFTER = 60;

/** Returns PostgreSQL's error about a script, with the place in the original script. */
export function failureOf(error: DatabaseError, script: PreparedScript, facts: DatabaseFacts): SqlFailure {
  const { sqlstate, message, detail, hint, where } = error.fields;
  const statements = script.statements?.map(({ source }) => source) ?? splitStatements(script.original);
  const index = script.sources[error.statement] ?? error.statement;
  const offset = offsetOf(error.fields, script, statements[index]);
  return {
    sqlstate,
    message,
    detail: detail ?? null,
    hint: adviceOn(error.fields, script.original, facts) ?? hint ?? null,
    position: offset === null ? null : [...script.original.slice(0, offset)].length + 1,
    ...(offset === null ? { line: null, column: null } : placeOf(script.original, offset)),
    excerpt: offset === null ? null : excerptAt(script.original, offset),
    where: where ?? null,
    statement: index,
  };
}

/**
 * Returns the offset of the error: the one that PostgreSQL reports; else that of the failed line in COPY data or in a
 * DO block; else that of the statement.
 */
function offsetOf(fields: DatabaseErrorFields, script: PreparedScript, statement?: ScriptStatement): number | null {
  if (fields.position !== undefined) {
    const offset = [...script.text].slice(0, fields.position - 1).join('').length;
    return originalOffset(script, offset);
  }
  if (!statement) return null;
  const [, row] = /^COPY .*, line (\d+)/m.exec(fields.where ?? '') ?? [];
  if (row !== undefined && statement.data) return lineWithin(script.original, statement.data.at, Number(row));
  const [, line] = /^PL\/pgSQL function inline_code_block line (\d+)/m.exec(fields.where ?? '') ?? [];
  const body = line === undefined ? undefined : bodyOf(statement);
  return body === undefined ? statement.at : lineWithin(script.original, body, Number(line));
}

/** Returns the offset of the body of a DO statement. PL/pgSQL counts its lines from the opening quote. */
function bodyOf({ text, command, at }: ScriptStatement): number | undefined {
  if (command !== 'DO') return undefined;
  for (const token of tokensOf(text)) if (token.kind === 'dollar' || token.kind === 'string') return at + token.at;
  return undefined;
}

/** Returns the offset of the first non-blank character in the nth line after an offset. */
function lineWithin(text: string, from: number, line: number): number {
  let at = from;
  for (let n = 1; n < line; n++) {
    const end = text.indexOf('\n', at);
    if (end < 0) break;
    at = end + 1;
  }
  return at + (/^[ \t]*/.exec(text.slice(at, at + 1000))?.[0].length ?? 0);
}

/** Returns the line of the place, with a caret below it. */
function excerptAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const line = text.slice(start, end < 0 ? undefined : end).replace(/\r$/, '');
  const before = [...line.slice(0, offset - start)];
  const cutBefore = before.length > SHOWN_BEFORE ? ['…', ...before.slice(-SHOWN_BEFORE)] : before;
  const after = [...line.slice(offset - start)];
  const cutAfter = after.length > SHOWN_AFTER ? [...after.slice(0, SHOWN_AFTER), '…'] : after;
  const number = String(placeOf(text, offset).line);
  const shown = [...cutBefore, ...cutAfter].join('').replaceAll('\t', ' ');
  return `${number} | ${shown}\n${' '.repeat(number.length)} | ${' '.repeat(cutBefore.length)}^`;
}

/** SQLSTATE floating_point_exception, which PostgreSQL raises when the watchdog interrupts a loop by SIGFPE. */
const INTERRUPTED_LOOP = '22P01';

/**
 * Returns advice on errors that follow from differences between Ninefold and a hosted project; null for other errors.
 */
function adviceOn({ sqlstate, message }: DatabaseErrorFields, script: string, facts: DatabaseFacts): string | null {
  const extension = adviceOnExtension(message, facts.available);
  if (extension !== null) return extension;
  const library = adviceOnLibrary(sqlstate, message);
  if (library !== null) return library;
  if (sqlstate === INTERRUPTED_LOOP) {
    return 'Ninefold ended the statement, because PostgreSQL could not interrupt it. Shorten the SQL text that the statement executes.';
  }
  if (sqlstate === '42704' && /^role ".*" does not exist$/.test(message)) return adviceOnRoles;
  if (sqlstate === '42501') return adviceByMessage.find(([pattern]) => pattern.test(message))?.[1] ?? null;
  if (sqlstate === '42601' && /^\s*\\copy\b/im.test(script)) {
    return '\\copy reads a file of your machine. Write COPY … FROM STDIN, its lines after it, and a line \\. at the end.';
  }
  return null;
}

const adviceByMessage: readonly (readonly [RegExp, string])[] = [
  [/permission denied to (create|drop) role/, adviceOnRoles],
  [
    /permission denied to create extension/,
    'PostgreSQL trusts only superusers with this extension. Ask the operator of the node to create it in the app’s database.',
  ],
  [
    /permission denied to create event trigger/,
    'It would run in the name of the server’s superuser, too. Do in each migration what it would do, for example ENABLE ROW LEVEL SECURITY.',
  ],
  [
    /permission denied to alter role/,
    'Roles belong to all apps of the server. Settings of calls are settings of the app: “ninefold settings”.',
  ],
  [
    /permission denied to set parameter "app\./,
    'Keep secrets outside the database. Values that functions read may be the app’s setting app_settings.',
  ],
  [
    /permission denied to create extension/,
    'An app’s owner may create trusted extensions and those that docs/compatibility.md lists; that one is not among them.',
  ],
  [
    /must be superuser to create (a foreign-data wrapper|FOR ALL TABLES publication)/,
    'Only the operator’s superuser may create it.',
  ],
];
