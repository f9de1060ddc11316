import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns a hash of the names and the contents of all files at or below some paths. It does not use file times: a
 * checkout, a copy or a changed clock alters times without altering files, and a file can change without a new time.
 *
 * @param {string} root Folder that the paths are relative to.
 * @param {string[]} paths Files or folders; one that does not exist counts as empty.
 * @param {(name: string) => boolean} [include] Returns true for the names of included files. Default: all files.
 * @returns {string} Hexadecimal SHA-256.
 */
export function fingerprint(root, paths, include = () => true) {
  const hash = createHash('sha256');
  const visit = (path) => {
    const absolute = join(root, path);
    if (statSync(absolute).isDirectory()) {
      for (const name of readdirSync(absolute).sort()) visit(`${path}/${name}`);
    } else if (include(path.slice(path.lastIndexOf('/') + 1))) {
      const content = readFileSync(absolute);
      hash.update(`${path}\0${content.length}\0`).update(content);
    }
  };
  for (const path of paths) if (existsSync(join(root, path))) visit(path);
  return hash.digest('hex');
}
