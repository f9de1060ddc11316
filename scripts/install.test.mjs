import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, expect, it } from 'vitest';
import { acceptInstalled, isInstalled } from './install.mjs';

let root;
const write = (path, packages) => writeFileSync(join(root, path), JSON.stringify({ packages }));

beforeEach(() => {
  mkdirSync('.tmp/tests', { recursive: true });
  root = mkdtempSync('.tmp/tests/install-');
  mkdirSync(join(root, 'node_modules'));
});

it('acceptInstalled accepts packages that a person installed by hand, and notices a changed lock file', () => {
  write('package-lock.json', { '': {}, 'node_modules/a': { version: '1.0.0' } });
  write('node_modules/.package-lock.json', { 'node_modules/a': { version: '1.0.0' } });
  expect(isInstalled(root)).toBe(false);
  expect(acceptInstalled(root)).toBe(true);
  expect(isInstalled(root)).toBe(true);
  write('package-lock.json', { '': {}, 'node_modules/a': { version: '1.0.1' } });
  expect(isInstalled(root)).toBe(false);
  expect(acceptInstalled(root)).toBe(false);
});

it('isInstalled refuses an installation if a package is missing, has another version, or is not for this platform', () => {
  const here = { optional: true, os: [process.platform], cpu: [process.arch], version: '1.0.0' };
  write('package-lock.json', { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/here': here });
  expect(acceptInstalled(root)).toBe(false);
  write('node_modules/.package-lock.json', { 'node_modules/a': { version: '1.0.1' }, 'node_modules/here': here });
  expect(acceptInstalled(root)).toBe(false);
  write('node_modules/.package-lock.json', { 'node_modules/a': { version: '1.0.0' } });
  expect(acceptInstalled(root)).toBe(false);
});

it('isInstalled does not require a package of another platform', () => {
  const elsewhere = { optional: true, os: ['plan9'], cpu: ['vax'], version: '1.0.0' };
  write('package-lock.json', { '': {}, 'node_modules/elsewhere': elsewhere });
  write('node_modules/.package-lock.json', {});
  expect(acceptInstalled(root)).toBe(true);
});

it('acceptInstalled accepts packages that another version of Node.js installed, but not packages of another platform', () => {
  write('package-lock.json', { '': {} });
  write('node_modules/.package-lock.json', {});
  expect(acceptInstalled(root)).toBe(true);
  const path = join(root, 'node_modules/.ninefold-installed');
  const stamp = JSON.parse(readFileSync(path, 'utf8'));
  expect(stamp.node).toBe(process.versions.node);
  writeFileSync(path, JSON.stringify({ ...stamp, node: '98.7.6' }));
  expect(isInstalled(root)).toBe(true);
  writeFileSync(path, JSON.stringify({ ...stamp, platform: 'plan9 vax' }));
  expect(isInstalled(root)).toBe(false);
});
