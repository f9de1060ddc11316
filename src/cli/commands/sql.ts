import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { SqlFailure, SqlResponse } from '../../../contract/admin.ts';
import { CliError, connect } from '../client.ts';
import { printJson, printTable } from '../print.ts';

/** `ninefold sql`. */
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
          throw withPosition(error, sql);
        });
      if (options.json) return printJson(response);
      for (const result of response.results) {
        if (result.columns.length > 0) {
          printTable(
            result.columns.map((column) => column.name),
            result.rows.map((row) => row.map((value) => value ?? 'null')),
          );
        }
        const cut = result.cut ? `, the first ${result.rows.length} shown` : '';
        process.stdout.write(`${result.command}${cut}\n`);
      }
      process.stdout.write(`(${response.duration_ms.toFixed(1)} ms)\n`);
    });
}

/** Adds the line of the SQL at which PostgreSQL stopped. */
export function withPosition(error: unknown, sql: string): unknown {
  if (!(error instanceof CliError) || typeof error.details !== 'object' || error.details === null) return error;
  const { position, hint, detail } = error.details as Partial<SqlFailure>;
  const parts = [error.message];
  if (typeof position === 'number') {
    const before = [...sql]
      .slice(0, position - 1)
      .join('')
      .split('\n');
    parts[0] += ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
  }
  if (detail) parts.push(detail);
  if (hint) parts.push(hint);
  return new CliError(parts.join('\n'), error.code, error.details);
}
