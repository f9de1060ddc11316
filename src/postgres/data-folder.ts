import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, realpath, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isRoot, mayEnter, nobody, type RunAs } from './run-as.ts';
import { makeSharedFolder, sharedFolder } from './shared-folder.ts';
import { cannotWrite, StartError, systemCode } from './start-error.ts';

/** The data folder of a home. */
export interface DataFolder {
  /** Absolute path without symbolic links. The folder may not exist yet. */
  readonly path: string;
  /** Owner of the folder; PostgreSQL must run as this user. */
  readonly runAs: RunAs;
  /** True if the folder is outside of the home and `<home>/postgres` links to it. */
  readonly linked: boolean;
}

/**
 * Creates the home folder if it does not exist. Returns its path without symbolic links.
 * @throws StartError if it cannot be created.
 */
export async function makeHome(home: string): Promise<string> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const path = await realpath(home);
    const found = await stat(path);
    if (!found.isDirectory()) throw new StartError(`${home} is not a folder: set NINEFOLD_HOME to a folder.`);
    // PostgreSQL's unprivileged user must be able to enter the home to reach its data folder. The other files in the
    // home stay protected by their own modes.
    if (isRoot() && found.uid === 0 && (found.mode & 0o001) === 0) await chmod(path, found.mode | 0o011);
    return path;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw cannotWrite(home, error);
  }
}

/**
 * Finds the data folder of a home: `<home>/postgres`. For root, PostgreSQL runs as an unprivileged user. If this user
 * may not enter the home (a clone below /root), `<home>/postgres` is a link to a folder in `/var/lib/ninefold`.
 * @param home Path that `makeHome` returned.
 * @throws StartError if this user cannot use the data folder.
 */
export async function locateDataFolder(home: string): Promise<DataFolder> {
  const path = join(home, 'postgres');
  const found = await lstat(path).catch(() => null);
  if (found) return openExisting(path, found.isSymbolicLink());
  if (!isRoot()) return { path, runAs: null, linked: false };
  if (await mayEnter(home, nobody)) return { path, runAs: nobody, linked: false };
  const target = await makeTarget(home);
  await symlink(target, path);
  return { path: target, runAs: nobody, linked: true };
}

async function openExisting(link: string, linked: boolean): Promise<DataFolder> {
  const path = await realpath(link).catch(() => null);
  if (path === null) {
    throw new StartError(
      `The link ${link} points to a data folder that is gone: bring that folder back, or delete the link to start with an empty database.`,
    );
  }
  const { uid, gid } = await stat(path);
  if (!isRoot()) {
    if (uid === process.getuid?.()) return { path, runAs: null, linked };
    throw new StartError(`The data folder ${path} belongs to another user (uid ${uid}): start Ninefold as that user.`);
  }
  if (uid === 0) {
    throw new StartError(
      `The data folder ${path} belongs to root, and PostgreSQL refuses to run as root: run chown -R ${nobody.uid}:${nobody.gid} ${path}.`,
    );
  }
  if (!(await mayEnter(path, { uid, gid }))) {
    throw new StartError(
      `The owner of the data folder ${path} (uid ${uid}) may not enter a folder above it: move the home to where every user can enter.`,
    );
  }
  return { path, runAs: { uid, gid }, linked };
}

/**
 * Creates a new empty folder whose name is derived from the path of the home. The folder of a deleted home is not
 * reused, because it may contain the only copy of its data.
 */
async function makeTarget(home: string): Promise<string> {
  await makeSharedFolder();
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16);
  for (let attempt = 1; ; attempt += 1) {
    const target = join(sharedFolder, attempt === 1 ? name : `${name}-${attempt}`);
    try {
      await mkdir(target, { mode: 0o700 });
      await chown(target, nobody.uid, nobody.gid);
      return target;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw cannotWrite(target, error);
    }
  }
}
