import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import type { MigrateRequest, MigrateResponse, MigrationFailure, SqlResponse } from '../../../contract/admin.ts';
import type { MigrationTrial } from '../../../contract/changes.ts';
import { limits } from '../../../contract/limits.ts';
import { applySettings, differingSettings } from '../apply-settings.ts';
import { CliError, type Client, connect } from '../client.ts';
import type { FoundMigrations } from '../migration-files.ts';
import { printJson, printWarnings } from '../print.ts';
import { saveMigration } from '../save-migration.ts';
import { readProjectMigrations, readProjectSettings } from '../supabase-project.ts';
import type { SupabaseSettings } from '../supabase-settings.ts';
import { changesText } from './spec.ts';
import { withPlace } from './sql.ts';

/**
 * Maximum number of files of one request, so that no response takes minutes, and maximum number of characters in them,
 * because the size of a request body is limited.
 */
const FILES_OF_REQUEST = 50;
const CHARACTERS_OF_REQUEST = 2_000_000;

interface MigrateOptions {
  dryRun?: boolean;
  save?: string;
  config?: boolean;
  json?: boolean;
}

const help = `
--dry-run runs what is not applied yet in one transaction, reads the specification in that transaction, and rolls it back. A
file that cannot run in a transaction (CREATE INDEX CONCURRENTLY, VACUUM), or that ends it (ROLLBACK), is named and left out.
Tables that the files change are locked meanwhile.

--save writes what was changed in the console, or by SQL, since it was last saved: each script that changed the schema, whole, as
it was sent, in its order. It holds no change of rows by a script of its own, no setting and no role. The file counts as
applied here.

If the folder is a Supabase project with a config.toml, a line says which settings of the app differ from it. --config gives
the app the settings of config.toml after the files, and prints what could not be taken over.`;

/** Adds the command `ninefold migrate`. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply plain SQL files to an app, in order, once each')
    .argument('<ref>')
    .argument('<dir>', 'a folder of .sql files, or a project with supabase/migrations and supabase/seed.sql')
    .option('--dry-run', 'show the changes of the specification, and change nothing')
    .option('--save <name>', 'save the changes made by SQL as a new migration file in the folder')
    .option('--config', 'also take over the settings of config.toml')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (ref: string, dir: string, options: MigrateOptions) => {
      const client = connect();
      if (options.save !== undefined && options.dryRun) throw new CliError('Use either --save or --dry-run.');
      if (options.save !== undefined) return saveMigration(client, ref, dir, options.save, options.json ?? false);
      const found = readProjectMigrations(dir);
      if (options.dryRun) return tryOut(client, ref, found, options.json ?? false);
      const project = readProjectSettings(dir);
      if (options.config && project === null) throw new CliError(`${dir} has no config.toml. Leave --config out.`);
      const response = await applyMigrations(client, ref, found);
      const config = project && (await takeOrCompare(client, ref, project, options.config ?? false));
      if (options.json) printJson({ ...appliedAsJson(response), ...config });
      else {
        printApplied(response);
        if (config) process.stdout.write(configText(config));
      }
    });
}

/**
 * Result of applying or comparing config.toml: the keys of the settings that were changed or that differ, and sentences
 * about features that an app does not have.
 */
interface ConfigReport {
  settings_changed?: string[];
  settings_differ?: string[];
  left_out: string[];
}

async function takeOrCompare(
  client: Client,
  ref: string,
  { settings, leftOut }: SupabaseSettings,
  isTaken: boolean,
): Promise<ConfigReport> {
  if (!isTaken) return { settings_differ: await differingSettings(client, ref, settings), left_out: leftOut };
  const { changed, refused } = await applySettings(client, ref, settings);
  return { settings_changed: changed, left_out: [...leftOut, ...refused] };
}

function configText({ settings_changed: changed, settings_differ: differ, left_out: leftOut }: ConfigReport): string {
  if (differ) {
    return differ.length === 0
      ? ''
      : `settings  config.toml differs in ${differ.join(', ')}. Use --config to take these over.\n`;
  }
  const lines = [`settings  ${changed?.length ? changed.join(', ') : 'as in config.toml already'}`];
  if (leftOut.length > 0) lines.push('', 'Not taken over:', ...leftOut.map((each) => `  ${each}`));
  return `${lines.join('\n')}\n`;
}

/**
 * Sends the files to the node in several requests. If a file fails, prints the files that were applied before it.
 * @throws CliError with the position of the failure.
 */
export async function applyMigrations(client: Client, ref: string, found: FoundMigrations): Promise<MigrateResponse> {
  const path = `/apps/${encodeURIComponent(ref)}/migrations`;
  const all = await applyRoles(client, path, found.roles);
  const message = 'The file is left out: its name does not start with a number, as those of the other migrations do.';
  all.warnings.push(...(found.leftOut ?? []).map((file) => ({ file, line: 1, column: 1, message })));
  for (const request of requestsOf(found)) {
    const response = await client.post<MigrateResponse>(path, request).catch((error: unknown) => {
      if (error instanceof CliError && error.code === 'migration_failed') {
        const { applied, warnings } = error.details as MigrationFailure;
        for (const name of all.seeded) process.stderr.write(`${seedLine(name)}\n`);
        for (const name of [...all.applied, ...applied]) process.stderr.write(`applied  ${name}\n`);
        printWarnings([...all.warnings, ...warnings]);
      }
      throw withPlace(error);
    });
    all.applied.push(...response.applied);
    all.skipped.push(...response.skipped);
    all.warnings.push(...response.warnings);
    all.seeded.push(...response.seeded);
  }
  return all;
}

/**
 * Applies the `roles.sql` of a project. If that fails, returns a warning instead of an error: Supabase's own `db push`
 * leaves the file out, and the roles that it creates belong to no app.
 */
async function applyRoles(client: Client, path: string, roles: string | undefined): Promise<MigrateResponse> {
  const none: MigrateResponse = { applied: [], skipped: [], seeded: [], warnings: [] };
  if (roles === undefined) return none;
  // The slash distinguishes this name from the names of migrations, which contain none.
  const seed = [{ name: ROLES, sql: roles }];
  const response = await client.post<MigrateResponse>(path, { files: [], seed }).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.code !== 'migration_failed') throw error;
    const { file, line, column, message, sqlstate, warnings } = error.details as MigrationFailure;
    const reason = `The file is not applied: ${message} (SQLSTATE ${sqlstate}).`;
    return { ...none, warnings: [...warnings, { file, line: line ?? 1, column: column ?? 1, message: reason }] };
  });
  return { ...response, warnings: response.warnings.map((warning) => ({ ...warning, file: 'roles.sql' })) };
}

/** Returns the response as `--json` prints it, where roles.sql is no seed. */
export const appliedAsJson = ({ seeded, ...response }: MigrateResponse) => ({
  ...response,
  ...(seeded.includes(ROLES) && { roles: 'roles.sql' }),
  seeded: seeded.filter((name) => name !== ROLES),
});

/** Divides the files into requests of limited size, in order. Each seed file gets its own request. */
function requestsOf({ files, seed }: MigrateRequest): MigrateRequest[] {
  const requests: MigrateRequest[] = [];
  let characters = 0;
  for (const file of files) {
    const last = requests.at(-1);
    characters += file.sql.length;
    if (last && last.files.length < FILES_OF_REQUEST && characters <= CHARACTERS_OF_REQUEST) last.files.push(file);
    else {
      requests.push({ files: [file] });
      characters = file.sql.length;
    }
  }
  const seeds = typeof seed === 'string' ? [{ name: 'seed.sql', sql: seed }] : (seed ?? []);
  for (const file of seeds) requests.push({ files: [], seed: [file] });
  for (const { name, sql } of [...files, ...seeds]) {
    if (bytesOf({ files: [{ name, sql }] }) > limits.bodyBytes.default) {
      throw new CliError(`${name} is larger than one request may be (${MOST}). Split it into several files.`);
    }
  }
  return requests;
}

const bytesOf = (request: MigrateRequest): number => Buffer.byteLength(JSON.stringify(request));
const MOST = `${limits.bodyBytes.default / 1024 / 1024} MiB`;

/** Name under which an app stores that it has applied the `roles.sql` of a project. */
const ROLES = './roles.sql';
const seedLine = (name: string): string => (name === ROLES ? 'roles    roles.sql' : `seeded   ${name}`);

/** Prints the applied files and the warnings. */
export function printApplied(response: MigrateResponse): void {
  for (const name of response.applied) process.stdout.write(`applied  ${name}\n`);
  for (const name of response.seeded) process.stdout.write(`${seedLine(name)}\n`);
  if (response.applied.length + response.seeded.length === 0) process.stdout.write('Nothing to apply.\n');
  printWarnings(response.warnings);
}

async function tryOut(
  client: Client,
  ref: string,
  { roles: _, ...found }: FoundMigrations,
  json: boolean,
): Promise<void> {
  const path = `/apps/${encodeURIComponent(ref)}`;
  const request = bytesOf(found) > limits.bodyBytes.default ? await withoutApplied(client, path, found) : found;
  const trial = await client.post<MigrationTrial>(`${path}/migrations/trial`, request);
  if (json) printJson(trial);
  else {
    process.stdout.write(trialText(trial));
    printWarnings(trial.warnings);
  }
  if (!trial.failed) return;
  const { file, message, details } = trial.failed;
  throw withPlace(new CliError(`${file}: ${message}`, 'migration_failed', { file, ...details }));
}

/**
 * Removes the files that are already applied, because a dry run needs a single request with all other files.
 * @throws CliError if the other files do not fit into one request.
 */
async function withoutApplied(client: Client, path: string, { files, seed }: MigrateRequest): Promise<MigrateRequest> {
  const sql = 'select json_object_agg(name, sha256) from ninefold.migrations';
  const { results } = await client.post<SqlResponse>(`${path}/sql`, { sql });
  const known: Record<string, string> = JSON.parse(results[0]?.rows[0]?.[0] ?? '{}');
  const isPending = (file: { name: string; sql: string }) =>
    known[file.name] !== createHash('sha256').update(file.sql).digest('hex');
  const request = { files: files.filter(isPending), ...(seed !== undefined && { seed }) };
  if (bytesOf(request) <= limits.bodyBytes.default) return request;
  throw new CliError(
    `The files that are not applied yet are larger than one request may be (${MOST}), and --dry-run tries all of them in one transaction. Apply them to a copy of the app, or move the seed away for the trial.`,
  );
}

function trialText({ tried, untried, failed, changes }: MigrationTrial): string {
  const lines = [
    ...tried.map((name) => `would apply  ${name}\n`),
    ...untried.map(({ file, reason }) => `not tried    ${file}: ${reason}\n`),
  ];
  if (lines.length === 0 && !failed) return 'Nothing to apply.\n';
  const effect = changes.length === 0 ? '\nThe specification does not change.\n' : changesText(changes);
  return `${lines.join('')}${effect}`;
}
