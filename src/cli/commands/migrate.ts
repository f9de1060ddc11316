import type { Command } from 'commander';
import type { MigrateRequest, MigrateResponse } from '../../../contract/admin.ts';
import type { MigrationTrial } from '../../../contract/changes.ts';
import { CliError, type Client, connect } from '../client.ts';
import { readMigrations } from '../migration-files.ts';
import { printJson } from '../print.ts';
import { saveMigration } from '../save-migration.ts';
import { changesText } from './spec.ts';
import { withPosition } from './sql.ts';

interface MigrateOptions {
  dryRun?: boolean;
  save?: string;
  json?: boolean;
}

const help = `
--dry-run runs what is not applied yet in one transaction, reads the specification within it, and takes all of it back. A
file that cannot run in a transaction (CREATE INDEX CONCURRENTLY, VACUUM), or that ends it (ROLLBACK), is named and left out.
Tables that the files change are locked meanwhile.

--save writes what was changed in the console, or by SQL, since it was last saved: each script that changed the schema, whole, as
it was sent, in its order. It holds no change of rows by a script of its own, no setting and no role. The file counts as
applied here.`;

/** `ninefold migrate`. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply plain SQL files to an app, in order, once each')
    .argument('<ref>')
    .argument('<dir>', 'a folder of .sql files, or a project with supabase/migrations and supabase/seed.sql')
    .option('--dry-run', 'show what the files would change in what the app does, and change nothing')
    .option('--save <name>', 'save what was changed by SQL as a new migration file in the folder')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (ref: string, dir: string, options: MigrateOptions) => {
      const client = connect();
      if (options.save !== undefined && options.dryRun) throw new CliError('Use either --save or --dry-run.');
      if (options.save !== undefined) return saveMigration(client, ref, dir, options.save, options.json ?? false);
      const found = readMigrations(dir);
      if (options.dryRun) return tryOut(client, ref, found, options.json ?? false);
      const response = await client
        .post<MigrateResponse>(`/apps/${encodeURIComponent(ref)}/migrations`, found)
        .catch((error: unknown) => {
          throw atLine(error, found);
        });
      if (options.json) return printJson(response);
      for (const name of response.applied) process.stdout.write(`applied  ${name}\n`);
      if (response.seeded) process.stdout.write('seeded   seed.sql\n');
      if (response.applied.length === 0 && !response.seeded) process.stdout.write('Nothing to apply.\n');
    });
}

/** With the line of the file at which PostgreSQL stopped. */
function atLine(error: unknown, found: MigrateRequest): unknown {
  const file = error instanceof CliError ? (error.details as { file?: string } | null)?.file : undefined;
  const files = [...found.files, { name: 'seed.sql', sql: found.seed ?? '' }];
  return withPosition(error, files.find((each) => each.name === file)?.sql ?? '');
}

async function tryOut(client: Client, ref: string, found: MigrateRequest, json: boolean): Promise<void> {
  const trial = await client.post<MigrationTrial>(`/apps/${encodeURIComponent(ref)}/migrations/trial`, found);
  if (json) printJson(trial);
  else process.stdout.write(trialText(trial));
  if (!trial.failed) return;
  const { file, message, details } = trial.failed;
  throw atLine(new CliError(`${file}: ${message}`, 'migration_failed', { file, ...(details as object) }), found);
}

function trialText({ tried, untried, failed, changes }: MigrationTrial): string {
  const lines = [
    ...tried.map((name) => `would apply  ${name}\n`),
    ...untried.map(({ file, reason }) => `not tried    ${file}: ${reason}\n`),
  ];
  if (lines.length === 0 && !failed) return 'Nothing to apply.\n';
  const told = changes.length === 0 ? '\nWhat the app does stays as it is.\n' : changesText(changes);
  return `${lines.join('')}${told}`;
}
