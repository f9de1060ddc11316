import type { Command } from 'commander';
import type { MigrateResponse } from '../../../contract/admin.ts';
import { CliError, connect } from '../client.ts';
import { readMigrations } from '../migration-files.ts';
import { printJson } from '../print.ts';
import { withPosition } from './sql.ts';

/** `ninefold migrate`. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply plain SQL files to an app, in order, once each')
    .argument('<ref>')
    .argument('<dir>', 'a folder of .sql files, or a project with supabase/migrations and supabase/seed.sql')
    .option('--json', 'print JSON')
    .action(async (ref: string, dir: string, options: { json?: boolean }) => {
      const found = readMigrations(dir);
      const response = await connect()
        .post<MigrateResponse>(`/apps/${encodeURIComponent(ref)}/migrations`, found)
        .catch((error: unknown) => {
          const file = error instanceof CliError ? (error.details as { file?: string } | null)?.file : undefined;
          throw withPosition(
            error,
            [...found.files, { name: 'seed.sql', sql: found.seed ?? '' }].find((each) => each.name === file)?.sql ?? '',
          );
        });
      if (options.json) return printJson(response);
      for (const name of response.applied) process.stdout.write(`applied  ${name}\n`);
      if (response.seeded) process.stdout.write('seeded   seed.sql\n');
      if (response.applied.length === 0 && !response.seeded) process.stdout.write('Nothing to apply.\n');
    });
}
