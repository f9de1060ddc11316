import type { AppConnection, CreateAppRequest, MigrateResponse } from '../../contract/admin.ts';
import { applySettings } from './apply-settings.ts';
import { CliError, type Client } from './client.ts';
import { applyMigrations, printApplied } from './commands/migrate.ts';
import { printConnection, printJson } from './print.ts';
import { readProject } from './supabase-project.ts';

/** Options of `apps create --from`. */
interface FromOptions {
  from: string;
  name?: string;
  jwtSecret?: string;
  template?: string;
  database?: string;
  json?: boolean;
}

/**
 * Creates an app from a Supabase project with its settings, migrations and seed. Prints the settings that could not be
 * imported, the keys and the next steps. If a migration fails, the app keeps the files that were applied before.
 * @throws CliError
 */
export async function createFromProject(client: Client, ref: string, options: FromOptions): Promise<void> {
  if (options.template !== undefined || options.database !== undefined) {
    throw new CliError('Use --from without --template and --database: the project brings its own tables.');
  }
  // The project is read first, so that unreadable files are reported before the app is created.
  const project = readProject(options.from);
  const { name, jwtSecret: jwt_secret } = options;
  const body: CreateAppRequest = JSON.parse(JSON.stringify({ ref, name, jwt_secret }));
  const connection = await client.post<AppConnection>('/apps', body);
  const { changed, refused } = await applySettings(client, ref, project.settings);
  const leftOut = [...project.leftOut, ...refused];
  const applied = await applyMigrations(client, ref, project.migrations).catch((error: unknown) => {
    throw goOn(error, ref, options.from);
  });
  if (options.json) printJson({ ...connection, ...applied, left_out: leftOut });
  else print(connection, applied, leftOut, changed.length, options.from);
}

/** Adds the next steps to the error of a migration. */
function goOn(error: unknown, ref: string, folder: string): unknown {
  if (!(error instanceof CliError)) return error;
  const steps = [
    `The app ${ref} contains the files that were applied before. The failed file was rolled back. Correct the file, then`,
    `  node bin/ninefold.js migrate ${ref} ${folder}`,
    `continues. To start over: node bin/ninefold.js apps delete ${ref} --confirm ${ref}`,
  ];
  return new CliError([error.message, '', ...steps].join('\n'), error.code, error.details);
}

function print(
  connection: AppConnection,
  applied: MigrateResponse,
  leftOut: readonly string[],
  settings: number,
  folder: string,
): void {
  printApplied(applied);
  const lines = [`settings  ${settings} of config.toml`];
  if (leftOut.length > 0) lines.push('', 'Not taken over:', ...leftOut.map((each) => `  ${each}`));
  process.stdout.write(`${lines.join('\n')}\n\n`);
  printConnection(connection, false);
  process.stdout.write(`
Next: put url and publishable key into your front end, where it has the Supabase URL and the anon key;
      node bin/ninefold.js migrate ${connection.ref} ${folder}   applies later migrations;
      node bin/ninefold.js spec ${connection.ref}   prints what the app does.
`);
}
