import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { MigrateRequest } from '../../contract/admin.ts';
import { CliError } from './client.ts';

/** The SQL files of a folder. The node runs the `roles.sql` of a project once, before the migrations. */
export interface FoundMigrations extends MigrateRequest {
  roles?: string;
  /** Names of files that are no migrations. */
  leftOut?: string[];
}

/**
 * Reads the migrations of a folder, sorted by name in code-unit order because names start with a timestamp. The files
 * are in the folder itself, its `migrations`, or the `supabase/migrations` of a project. Also reads the `roles.sql`
 * and `seed.sql` of the project. Beside files whose name starts with a number, a project may have other files, such as
 * one that takes a migration back: they are left out, as Supabase's command line does.
 * @param mayBeEmpty True to return no files instead of an error.
 * @throws CliError if there are no files.
 */
export function readMigrations(dir: string, mayBeEmpty = false): FoundMigrations {
  if (!isFolder(resolve(dir))) throw new CliError(`${dir} is not a folder.`);
  const place = placesOf(dir).find((candidate) => isFolder(candidate) && sqlFiles(candidate).length > 0);
  if (place === undefined && mayBeEmpty) return { files: [] };
  if (place === undefined)
    throw new CliError(`There are no .sql files in ${dir}, its migrations or its supabase/migrations.`);
  const isProject = basename(place) === 'migrations';
  const all = sqlFiles(place);
  const numbered = isProject ? all.filter((name) => NUMBERED.test(name)) : all;
  const names = numbered.length === 0 ? all : numbered;
  const leftOut = all.filter((name) => !names.includes(name));
  const files = names.map((name) => ({ name, sql: readSql(join(place, name)) }));
  const seed = readIfThere(join(isProject ? dirname(place) : place, 'seed.sql'));
  const roles = isProject ? readIfThere(join(dirname(place), 'roles.sql')) : undefined;
  return {
    files,
    ...(seed !== undefined && { seed }),
    ...(roles !== undefined && { roles }),
    ...(leftOut.length > 0 && { leftOut }),
  };
}

/** Names of migrations in a project of Supabase: a version of digits, and a name. */
const NUMBERED = /^\d+(_.*)?\.sql$/;

const readIfThere = (path: string): string | undefined => (existsSync(path) ? readSql(path) : undefined);

/**
 * Reads an SQL file.
 * @throws CliError with the line of text that is not UTF-8.
 */
export function readSql(path: string): string {
  const bytes = readFileSync(path);
  const nul = bytes.indexOf(0);
  if (nul >= 0)
    throw new CliError(`${path}:${lineAt(bytes, nul)}: holds a NUL character, which PostgreSQL cannot store.`);
  if (!isUtf8(bytes))
    throw new CliError(`${path}:${lineAt(bytes, badByte(bytes))}: is not UTF-8. Save the file as UTF-8.`);
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

const lineAt = (bytes: Buffer, offset: number): number =>
  bytes.subarray(0, offset).filter((byte) => byte === 10).length + 1;

/** Returns the offset of the first line that is not UTF-8. No character spans two lines. */
function badByte(bytes: Buffer): number {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(10, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return start;
    start = end + 1;
  }
}

/** Returns the folder for a new migration; null if the given folder does not exist. */
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
