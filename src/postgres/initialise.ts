import { spawn } from 'node:child_process';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '../../contract/environment.ts';
import type { Binaries } from './binaries.ts';
import type { DataFolder } from './data-folder.ts';
import { programEnvironment } from './program-environment.ts';
import { cannotWrite, StartError } from './start-error.ts';

/** Name of the superuser of every embedded server. */
export const superuser = 'ninefold';

/**
 * Creates the data folder with initdb unless it exists: UTF-8, checksums, and password authentication for all. The
 * folder is created beside its place and then renamed, so that a crash does not leave an incomplete one. Collation and
 * character types come from PostgreSQL itself (`builtin`, C.UTF-8) where it has them. The sort order of the C
 * library changes between its versions. This would break indexes if a data folder moves to another machine.
 * @param password The superuser's password, used only if the folder is created.
 * @returns True if the folder was created.
 * @throws StartError if the folder contains other files or data of another major version.
 */
export async function initialise(folder: DataFolder, binaries: Binaries, password: string): Promise<boolean> {
  if (await isInitialised(folder.path, binaries)) return false;
  const fresh = `${folder.path}.new`;
  const passwordFile = `${folder.path}.password`;
  try {
    await rm(fresh, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
    await mkdir(fresh, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
    if (folder.runAs) {
      for (const path of [fresh, passwordFile]) await chown(path, folder.runAs.uid, folder.runAs.gid);
    }
    await runInitdb(binaries, fresh, passwordFile, folder);
    await rename(fresh, folder.path);
    return true;
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error instanceof StartError ? error : cannotWrite(folder.path, error);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Returns the data folder that an upgrade to another major version fills, beside the data folder of a home. */
export const newDataFolder = (path: string): string => `${path}-next`;

async function isInitialised(path: string, binaries: Binaries): Promise<boolean> {
  const files = await readdir(path).catch((): string[] => []);
  if (files.length === 0) {
    if ((await readdir(newDataFolder(path)).catch(() => [])).length === 0) return false;
    throw new StartError('An upgrade of PostgreSQL did not end: run “ninefold upgrade-postgres” again.');
  }
  if (!files.includes('PG_VERSION')) {
    throw new StartError(`The folder ${path} is not empty and holds no PostgreSQL data: move what is in it elsewhere.`);
  }
  const major = (await readFile(join(path, 'PG_VERSION'), 'utf8')).trim();
  if (major === String(binaries.major)) return true;
  throw new StartError(
    `The data folder ${path} was made by PostgreSQL ${major}, and this Ninefold runs PostgreSQL ${binaries.major}: run “ninefold upgrade-postgres”, set ${environment.postgresBin.name} to the programs of PostgreSQL ${major}, or NINEFOLD_HOME to another folder.`,
  );
}

/** First major version with the locale provider `builtin`. */
const BUILTIN_LOCALES = 17;

/**
 * Returns the options for collation and character types. Before PostgreSQL 17, the character types come from the C
 * library, and the sort order is that of bytes, which does not change.
 */
const localeOptions = (major: number): string[] =>
  major >= BUILTIN_LOCALES
    ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
    : ['--locale-provider=libc', '--locale=C', '--lc-ctype=C.UTF-8'];

async function runInitdb(
  { initdb, major }: Binaries,
  data: string,
  passwordFile: string,
  folder: DataFolder,
): Promise<void> {
  const args = [
    `--pgdata=${data}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...localeOptions(major),
    '--data-checksums',
    '--no-instructions',
  ];
  const child = spawn(initdb, args, {
    ...(folder.runAs ?? {}),
    cwd: '/',
    env: programEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk;
  });
  const code = await new Promise<number | string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (status, signal) => resolve(status ?? signal ?? 'unknown'));
  });
  if (/could not look up effective user ID/.test(complaint)) {
    const uid = folder.runAs?.uid ?? process.getuid?.();
    throw new StartError(
      `PostgreSQL asks for the name of the user that it runs as, and uid ${uid} has none in /etc/passwd: start Ninefold as a user that has a name.`,
    );
  }
  if (code !== 0) {
    throw new StartError(`PostgreSQL could not be initialised in ${folder.path} (${code}): ${lastLine(complaint)}`);
  }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
