import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { MigrationFailure, SqlResponse } from '../../../contract/admin.ts';
import { CliError, connect } from '../client.ts';
import { printJson, printTable, printWarnings } from '../print.ts';

/** Maximum number of lines of PostgreSQL's context. Deep recursion produces thousands of lines. */
const CONTEXT_LINES = 5;

/** Adds the command `ninefold sql`. */
export function addSqlCommand(program: Command): void {
  program
    .command('sql')
    .description('run SQL in an app as its owner')
    .argument('<ref>')
    .argument('[file]', 'a file, or - for standard input', '-')
    .option('-c, --command <sql>', 'the SQL itself')
    .option('--json', 'print JSON')
    .action(async (ref: string, file: string, options: { command?: string; json?: boolean }) => {
      const sql = options.command ?? readFileSync(file === '-' ? 0 : file, 'utf8');
      const response = await connect()
        .post<SqlResponse>(`/apps/${encodeURIComponent(ref)}/sql`, { sql })
        .catch((error: unknown) => {
          throw withPlace(error);
        });
      if (options.json) return printJson(response);
      for (const result of response.results) {
        if (result.columns.length > 0) {
          printTable(
            result.columns.map((column) => column.name),
            result.rows.map((row) => row.map((value) => value ?? 'null')),
          );
        }
        const cut = result.truncated ? `, the first ${result.rows.length} shown` : '';
        process.stdout.write(`${result.command}${cut}\n`);
      }
      printWarnings(response.warnings);
      process.stdout.write(`(${response.duration_ms.toFixed(1)} ms)\n`);
    });
}

/** Adds the position in the SQL and all messages of PostgreSQL to an error of a script. */
export function withPlace(error: unknown): unknown {
  if (!(error instanceof CliError) || typeof error.details !== 'object' || error.details === null) return error;
  const { file, line, column, sqlstate, message, excerpt, detail, hint, where } =
    error.details as Partial<MigrationFailure>;
  if (sqlstate === undefined) return error;
  const place = [file, line == null ? null : `line ${line}, column ${column}`].filter(Boolean).join(', ');
  const parts = [`${place}${place ? ': ' : ''}${message} (SQLSTATE ${sqlstate})`];
  if (excerpt) parts.push(excerpt);
  if (detail) parts.push(`Detail: ${detail}`);
  if (hint) parts.push(`Hint: ${hint}`);
  if (where) parts.push(`In: ${where.split('\n').slice(0, CONTEXT_LINES).join('\n    ')}`);
  return new CliError(parts.join('\n'), error.code, error.details);
}
