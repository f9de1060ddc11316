import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint } from './fingerprint.mjs';

/** The sources of each target, its output, and the file that contains the fingerprint of the sources. */
const targets = {
  server: {
    sources: ['src', 'contract', 'templates', 'package.json', 'package-lock.json', 'scripts/build.mjs'],
    result: 'dist/ninefold.js',
    stamp: 'dist/.server-sources',
  },
  web: {
    sources: ['web', 'contract', 'package-lock.json', 'scripts/build.mjs', 'scripts/precompress.mjs'],
    result: 'dist/web',
    stamp: 'dist/.web-sources',
  },
};

/**
 * Returns the fingerprint of a target's sources. Call it before the build, so that a change during the build leads to
 * another build.
 *
 * @param {string} root The clone.
 * @param {'server' | 'web'} target
 */
export function sourcesOf(root, target) {
  return fingerprint(root, targets[target].sources, (name) => !/\.test\.tsx?$/.test(name));
}

/** Returns true if a target was built from its current sources. */
export function isBuilt(root, target) {
  const { result, stamp } = targets[target];
  if (!existsSync(join(root, result)) || !existsSync(join(root, stamp))) return false;
  return readFileSync(join(root, stamp), 'utf8') === sourcesOf(root, target);
}

/** Records that a target was built from sources with this fingerprint. */
export function recordBuilt(root, target, sources) {
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, targets[target].stamp), sources);
}
