import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotWrite, StartError } from './start-error.ts';

/**
 * Folder for files that PostgreSQL's unprivileged user must reach if this user cannot enter the clone or the home (such
 * as /root). The folder for temporary files is unsuitable: its files are deleted by age, and any user could create the
 * name first.
 */
export const sharedFolder = '/var/lib/ninefold';

/**
 * Creates the folder, or checks that only root can write to it.
 * @throws StartError
 */
export async function makeSharedFolder(): Promise<void> {
  try {
    await mkdir(sharedFolder, { recursive: true });
  } catch (error) {
    throw cannotWrite(sharedFolder, error);
  }
  const found = await lstat(sharedFolder);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new StartError(
      `The folder ${sharedFolder} must be a folder of root that nobody else can write: correct that, or put the clone and NINEFOLD_HOME where every user can enter.`,
    );
  }
  await chmod(sharedFolder, 0o755);
}

/** Lets all users read a folder with its contents, and run files that the owner can run. */
export async function openForAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openForAll(path);
    else if (entry.isFile()) {
      const { mode } = await lstat(path);
      await chmod(path, mode & 0o100 ? 0o755 : 0o644);
    }
  }
}
