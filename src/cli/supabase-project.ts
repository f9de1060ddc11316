import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { MigrateRequest } from '../../contract/admin.ts';
import { type FoundFunction, functionsFolder, readFunctions } from './function-files.ts';
import { type FoundMigrations, readMigrations, readSql } from './migration-files.ts';
import { type ConfiguredBucket, readBuckets } from './project-buckets.ts';
import { withTemplates } from './project-templates.ts';
import { readUses, type Use } from './project-uses.ts';
import { readToml, type TomlValue } from './read-toml.ts';
import { readSupabaseSettings, type SupabaseSettings } from './supabase-settings.ts';

/** The parts of a Supabase project that an app can import. */
export interface SupabaseProject extends SupabaseSettings {
  migrations: FoundMigrations;
  /** False if calls reach new tables only after a GRANT (`auto_expose_new_tables` of config.toml). */
  exposesNewTables: boolean;
  /** The edge functions of the project. */
  functions: FoundFunction[];
  /** The buckets of its config.toml. */
  buckets: ConfiguredBucket[];
  /** The services that the project uses. */
  uses: Use[];
}

/**
 * Reads the migrations, seed and config.toml of a project.
 * @param folder The project, its `supabase` folder, or a folder of migrations.
 * @throws CliError if there are neither migrations nor functions nor a config.toml, or a file is no text.
 */
export function readProject(folder: string): SupabaseProject {
  const config = readProjectConfig(folder);
  const ofFunctions = functionsFolder(folder);
  const functions = ofFunctions === null ? [] : readFunctions(ofFunctions, config);
  const isProject = configFolder(folder) !== null || functions.length > 0;
  const migrations = readProjectMigrations(folder, isProject);
  const names = functions.map(({ name }) => name);
  return {
    exposesNewTables: config.get('api.auto_expose_new_tables') !== false,
    migrations,
    functions,
    buckets: readBuckets(config),
    ...readSupabaseSettings(config),
    uses: readUses(folder, migrations, { config, functions: names }),
  };
}

/**
 * Reads the migrations of a project with its roles.sql, and the seeds that its config.toml lists; without a list, seed.sql.
 * @param mayBeEmpty True if the project may have no migrations.
 * @throws CliError as `readProject`.
 */
export function readProjectMigrations(folder: string, mayBeEmpty = false): FoundMigrations {
  const { seed: usual, ...migrations } = readMigrations(folder, mayBeEmpty);
  const place = configFolder(folder);
  const listed = place === null ? undefined : seedOf(place, readConfig(place));
  const seed = listed === undefined ? usual : listed;
  return { ...migrations, ...(seed != null && { seed }) };
}

/** Reads the settings of a project's config.toml; null for a folder without one. The folder is as for `readProject`. */
export function readProjectSettings(folder: string): SupabaseSettings | null {
  const place = configFolder(folder);
  return place === null ? null : readSupabaseSettings(readConfig(place));
}

/** Returns the keys of a project's config.toml; none for a folder without one. */
export function readProjectConfig(folder: string): ReadonlyMap<string, TomlValue> {
  const place = configFolder(folder);
  return place === null ? new Map() : readConfig(place);
}

function configFolder(folder: string): string | null {
  const path = resolve(folder);
  const parent = basename(path) === 'migrations' ? [dirname(path)] : [];
  return [join(path, 'supabase'), path, ...parent].find((each) => existsSync(join(each, 'config.toml'))) ?? null;
}

const readConfig = (place: string): ReadonlyMap<string, TomlValue> =>
  withTemplates(place, readToml(readFileSync(join(place, 'config.toml'), 'utf8')));

/**
 * Returns the files in `[db.seed] sql_paths`, in this order; null if seeds are off or none of the files exists, undefined
 * without a list.
 */
function seedOf(place: string, config: ReadonlyMap<string, TomlValue>): MigrateRequest['seed'] | null {
  if (config.get('db.seed.enabled') === false) return null;
  const paths = config.get('db.seed.sql_paths');
  if (!Array.isArray(paths)) return undefined;
  const found = paths.flatMap((path) => (typeof path === 'string' ? matching(resolve(place, path)) : []));
  if (found.length === 0) return null;
  return found.map((path) => ({ name: seedName(relative(place, path)), sql: readSql(path) }));
}

/** Returns a name that no migration can have: `seed.sql`, or a path with a slash. */
const seedName = (path: string): string =>
  path === 'seed.sql' || path.includes('/') ? path : `./${path.replaceAll('\\', '/')}`;

/** Returns the files of a path whose last part may contain `*`. */
function matching(path: string): string[] {
  if (!basename(path).includes('*')) return existsSync(path) ? [path] : [];
  const folder = dirname(path);
  const [start = '', ...rest] = basename(path).split('*');
  const end = rest.at(-1) ?? '';
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end))
    .sort()
    .map((name) => join(folder, name));
}
