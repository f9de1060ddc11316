import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { MigrateRequest } from '../../contract/admin.ts';
import { CliError } from './client.ts';

/**
 * Reads the migrations of a folder, by name in code-unit order, as the timestamps of their names want it: the folder itself, its
 * `migrations`, or the `supabase/migrations` of a project; with the `seed.sql` that belongs to it. Throws CliError where there are none.
 */
export function readMigrations(dir: string): MigrateRequest {
  if (!isFolder(resolve(dir))) throw new CliError(`${dir} is no folder.`);
  const place = placesOf(dir).find((candidate) => isFolder(candidate) && sqlFiles(candidate).length > 0);
  if (place === undefined)
    throw new CliError(`There are no .sql files in ${dir}, its migrations or its supabase/migrations.`);
  const files = sqlFiles(place).map((name) => ({ name, sql: readFileSync(join(place, name), 'utf8') }));
  const seedFile = join(basename(place) === 'migrations' ? dirname(place) : place, 'seed.sql');
  return existsSync(seedFile) ? { files, seed: readFileSync(seedFile, 'utf8') } : { files };
}

/** Where a new migration of the folder belongs; null where the folder itself is not there. */
export const migrationFolder = (dir: string): string | null => placesOf(dir).find(isFolder) ?? null;

const placesOf = (dir: string): string[] => {
  const folder = resolve(dir);
  return [join(folder, 'supabase', 'migrations'), join(folder, 'migrations'), folder];
};

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

const sqlFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql') && name !== 'seed.sql')
    .sort();
