import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The root folder of this clone. It is found from the folder of this module, so it is also correct if the module is
 * bundled elsewhere in the clone.
 */
export const clone: string = findClone(dirname(fileURLToPath(import.meta.url)));

function findClone(folder: string): string {
  return existsSync(join(folder, 'package-lock.json')) && existsSync(join(folder, 'bin/ninefold.js'))
    ? folder
    : findClone(dirname(folder));
}
