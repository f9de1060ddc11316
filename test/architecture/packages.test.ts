import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clone } from '../support/clone.ts';

interface LockedPackage {
  version?: string;
  resolved?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const read = (path: string): string => readFileSync(join(clone, path), 'utf8');
const lock: { packages: Record<string, LockedPackage> } = JSON.parse(read('package-lock.json'));

it('the lock file names no registry, so that npm uses the registry of the machine', () => {
  expect(Object.entries(lock.packages).flatMap(([path, entry]) => (entry.resolved ? [path] : []))).toEqual([]);
  expect(read('.npmrc')).toContain('omit-lockfile-registry-resolved=true');
  expect(read('.npmrc')).not.toMatch(/registry\s*=|:\/\//);
});

it('the lock file locks the packages of every platform', () => {
  const missing = Object.entries(lock.packages).flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {}).filter((name) => !isLocked(path, name)),
  );
  expect(missing).toEqual([]);
});

it('package.json pins every direct dependency to an exact version', () => {
  const { dependencies, devDependencies, optionalDependencies }: LockedPackage = JSON.parse(read('package.json'));
  const loose = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
  );
  expect(loose).toEqual([]);
});

/**
 * Returns true if Node.js finds the package: it searches the package's own node_modules, then those of the folders
 * above.
 */
function isLocked(path: string, name: string): boolean {
  if (Object.hasOwn(lock.packages, `${path === '' ? '' : `${path}/`}node_modules/${name}`)) return true;
  if (path === '') return false;
  const above = path.lastIndexOf('/node_modules/');
  return isLocked(above === -1 ? '' : path.slice(0, above), name);
}
