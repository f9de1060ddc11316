import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clone } from './clone.ts';
import { homes, makeTestHome } from './test-folder.ts';

/**
 * Returns a folder that is created only once. All tests copy it, because creating its content takes longer than most
 * tests.
 * @param name Name of the folder, without the hash of its sources.
 * @param sources The files of the clone on which its content depends.
 * @param make Creates the content below an empty home, and returns the folder to keep.
 */
export async function retainedFolder(
  name: string,
  sources: readonly string[],
  make: (home: string) => Promise<string>,
): Promise<string> {
  const contents = await Promise.all(sources.map((file) => readFile(join(clone, file))));
  const hash = createHash('sha256').update(Buffer.concat(contents)).digest('hex').slice(0, 12);
  const folder = join(homes, `${name}-${hash}`);
  if (existsSync(folder)) return folder;
  const home = await makeTestHome(name);
  // The process of another test file may have created the folder in the meantime.
  await rename(await make(home), folder).catch((error: Error & { code?: string }) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  await rm(home, { recursive: true, force: true });
  return folder;
}

/**
 * Copies the content of a folder into another folder. Also copies the owners of the files, which Node.js does not do;
 * PostgreSQL runs as another user if root starts the tests.
 * @param to Created if it is missing.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  // `path.join` would remove the dot. If the target exists, `cp` would then create a folder with the name of `from` in it.
  await promisify(execFile)('cp', ['-a', `${from}/.`, to]);
}
