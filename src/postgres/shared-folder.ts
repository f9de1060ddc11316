import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotWrite, StartError } from './start-error.ts';

/**
 * Where root keeps what PostgreSQL's unprivileged user must reach, when the clone or the home is in a folder that this
 * user may not enter (such as /root). Not the folder for temporary files: what is there is deleted by age, and anyone
 * may put something of that name there first.
 */
export const sharedFolder = '/var/lib/ninefold';

/** Makes the folder, or checks that it is root's alone. */
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

/** Lets everyone read a folder and what is in it, and run what its owner can run. */
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
