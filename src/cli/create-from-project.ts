import type {
  AppConnection,
  CreateAppRequest,
  MigrateRequest,
  MigrateResponse,
  SqlResponse,
} from '../../contract/admin.ts';
import { applySettings } from './apply-settings.ts';
import { CliError, type Client } from './client.ts';
import { appliedAsJson, applyMigrations, printApplied } from './commands/migrate.ts';
import { type Deployed, deployFunctions } from './deploy-functions.ts';
import { printConnection, printJson, printTable } from './print.ts';
import type { ConfiguredBucket } from './project-buckets.ts';
import { rowsOfUses, type Use } from './project-uses.ts';
import { readProject, type SupabaseProject } from './supabase-project.ts';

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
 * Creates an app from a Supabase project with its settings, migrations and seed. Prints the settings, those that could
 * not be imported, the keys, the next steps, and a table of the services that the project uses. If a migration fails,
 * the app keeps the files that were applied before.
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
  if (!project.exposesNewTables) body.expose_new_tables = false;
  const connection = await client.post<AppConnection>('/apps', body);
  const { changed, refused } = await applySettings(client, ref, project.settings);
  if (!project.exposesNewTables) changed.push('auto_expose_new_tables');
  const leftOut = [...project.leftOut, ...refused];
  const applied = await applyMigrations(client, ref, project.migrations).catch(async (error: unknown) => {
    if (!options.json) {
      printConnection(connection, false);
      printUses(await withVectors(client, ref, project.uses));
    }
    throw goOn(error, ref, options.from, changed, { ...project, leftOut });
  });
  const buckets = await createBuckets(client, ref, project.buckets);
  leftOut.push(...buckets.refused);
  const functions = await deployFunctions(client, ref, project.functions, ({ name, isDeployed }) => {
    // Many functions take minutes, so each one is named when it is done. The result is printed below.
    if (!options.json) process.stderr.write(`function ${name}: ${isDeployed ? 'deployed' : 'not deployed'}\n`);
  });
  const uses = withDeployed(await withVectors(client, ref, project.uses), functions);
  const done = { functions, buckets: buckets.created, settings_changed: changed, left_out: leftOut, uses };
  if (options.json) printJson({ ...connection, ...appliedAsJson(applied), ...done });
  else {
    print(connection, applied, { leftOut, changed, buckets: buckets.created }, options.from);
    if (functions.length > 0)
      process.stdout.write(`\nEdge functions:\n${functions.map(({ line }) => `  ${line}`).join('\n')}\n`);
    printUses(uses);
  }
}

/** Creates the buckets that the migrations did not create. Returns a sentence about each one that the app refuses. */
async function createBuckets(
  client: Client,
  ref: string,
  buckets: readonly ConfiguredBucket[],
): Promise<{ created: string[]; refused: string[] }> {
  const created: string[] = [];
  const refused: string[] = [];
  for (const bucket of buckets) {
    try {
      await client.post(`/apps/${encodeURIComponent(ref)}/storage/v1/bucket`, bucket);
      created.push(bucket.id);
    } catch (error) {
      if (!(error instanceof CliError) || error.code === null) throw error;
      if (error.code !== 'BucketAlreadyExists')
        refused.push(`The bucket ${bucket.id} of config.toml: ${error.message}`);
    }
  }
  return { created, refused };
}

/** Adds the next steps to the error of a migration. */
function goOn(
  error: unknown,
  ref: string,
  folder: string,
  changed: readonly string[],
  { migrations: { seed }, buckets, functions, leftOut }: SupabaseProject,
): unknown {
  if (!(error instanceof CliError)) return error;
  const steps = [
    `${changed.length > 0 ? `The settings of config.toml were applied: ${changed.join(', ')}. ` : ''}The keys are above.`,
    ...(leftOut.length === 0 ? [] : ['Not taken over:', ...leftOut.map((each) => `  ${each}`)]),
    ...(seed === undefined ? [] : [`Seeds were not applied: ${seedNames(seed).join(', ')}. migrate applies them.`]),
    ...(buckets.length === 0
      ? []
      : [`Buckets were not created: ${buckets.map(({ id }) => id).join(', ')}. Create them on the page Files.`]),
    ...(functions.length === 0
      ? []
      : [
          'Edge functions were not deployed. Deploy them with:',
          `  node bin/ninefold.js functions deploy ${ref} ${folder}`,
        ]),
    `The app ${ref} contains the files that were applied before. The failed file was rolled back. Correct the file, then`,
    `  node bin/ninefold.js migrate ${ref} ${folder}`,
    `continues. To start over: node bin/ninefold.js apps delete ${ref} --confirm ${ref}`,
  ];
  return new CliError([error.message, '', ...steps].join('\n'), error.code, error.details);
}

const seedNames = (seed: NonNullable<MigrateRequest['seed']>): string[] =>
  typeof seed === 'string' ? ['seed.sql'] : seed.map(({ name }) => name);

function print(
  connection: AppConnection,
  applied: MigrateResponse,
  { leftOut, changed, buckets }: Readonly<Record<'leftOut' | 'changed' | 'buckets', readonly string[]>>,
  folder: string,
): void {
  printApplied(applied);
  const lines = [`settings  ${changed.length === 0 ? 'none of config.toml' : changed.join(', ')}`];
  if (buckets.length > 0) lines.push(`buckets   ${buckets.join(', ')}`);
  if (leftOut.length > 0) lines.push('', 'Not taken over:', ...leftOut.map((each) => `  ${each}`));
  process.stdout.write(`${lines.join('\n')}\n\n`);
  printConnection(connection, false);
  process.stdout.write(`
Next: put url and publishable key into your front end, where it has the Supabase URL and the anon key;
      node bin/ninefold.js migrate ${connection.ref} ${folder}   applies later migrations;
      node bin/ninefold.js spec ${connection.ref}   prints what the app does.
`);
}

/** Prints the table of the services that the project uses. */
function printUses(uses: readonly Use[]): void {
  if (uses.length === 0) return;
  process.stdout.write('\nThe project uses:\n');
  printTable(['service', 'used', 'runs here', 'what it means'], rowsOfUses(uses));
}

/** Sets whether vectors work, which depends on the files of the node's PostgreSQL. */
async function withVectors(client: Client, ref: string, uses: readonly Use[]): Promise<readonly Use[]> {
  if (!uses.some(({ service }) => service === 'vectors')) return uses;
  const sql = "select count(*) from pg_catalog.pg_available_extensions where name = 'vector'";
  const { results } = await client.post<SqlResponse>(`/apps/${encodeURIComponent(ref)}/sql`, { sql });
  const runs = results[0]?.rows[0]?.[0] === '1';
  return uses.map((use) => (use.service === 'vectors' ? { ...use, runs } : use));
}

/** Says which functions of the project were not deployed, so that calls of them fail. */
function withDeployed(uses: readonly Use[], functions: readonly Deployed[]): readonly Use[] {
  const missing = functions.filter(({ isDeployed }) => !isDeployed).map(({ name }) => name);
  if (missing.length === 0) return uses;
  const note = `Not deployed, for the reasons above: ${missing.join(', ')}. Calls of them get status 404.`;
  return uses.map((use) => (use.service === 'functions' ? { ...use, runs: false, note: `${note} ${use.note}` } : use));
}
