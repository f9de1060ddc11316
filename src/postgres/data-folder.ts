import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, realpath, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isRoot, mayEnter, nobody, type RunAs } from './run-as.ts';
import { makeSharedFolder, sharedFolder } from './shared-folder.ts';
import { cannotWrite, StartError, systemCode } from './start-error.ts';

/** Where a home's data folder is. */
export interface DataFolder {
  /** Absolute and without symbolic links. It may not exist yet. */
  readonly path: string;
  /** Who owns it, and so whom PostgreSQL must run as. */
  readonly runAs: RunAs;
  /** Whether it is outside of the home and `<home>/postgres` links to it. */
  readonly linked: boolean;
}

/**
 * Makes the home folder, if it does not exist, and returns its path without symbolic links.
 *
 * @throws StartError when it cannot be made.
 */
export async function makeHome(home: string): Promise<string> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const path = await realpath(home);
    const found = await stat(path);
    if (!found.isDirectory()) throw new StartError(`${home} is not a folder: set NINEFOLD_HOME to a folder.`);
    // PostgreSQL's unprivileged user must pass through to its data folder; what else is in the home has modes of its own.
    if (isRoot() && found.uid === 0 && (found.mode & 0o001) === 0) await chmod(path, found.mode | 0o011);
    return path;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw cannotWrite(home, error);
  }
}

/**
 * Finds the place of a home's data folder: `<home>/postgres`. For root, whose PostgreSQL runs as an unprivileged user, in a
 * home that this user may not enter (a clone below /root), that is a link to a folder in `/var/lib/ninefold`.
 *
 * @param home As `makeHome` returns it.
 * @throws StartError when the data folder is not to be used by this user.
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

/** A new empty folder, named after the home. One of a home that was deleted is left alone: it may be all that is left. */
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
