import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { fingerprint } from './fingerprint.mjs';

let root;
const take = () => fingerprint(root, ['src', 'missing', 'package.json'], (name) => !name.endsWith('.test.ts'));

beforeEach(() => {
  mkdirSync('.tmp/tests', { recursive: true });
  root = mkdtempSync('.tmp/tests/fingerprint-');
  mkdirSync(join(root, 'src/deep'), { recursive: true });
  writeFileSync(join(root, 'src/deep/one.ts'), 'one');
  writeFileSync(join(root, 'package.json'), '{}');
});

it.each([
  ['a change', () => writeFileSync(join(root, 'src/deep/one.ts'), 'two')],
  ['a new file', () => writeFileSync(join(root, 'src/two.ts'), '')],
  ['a new name', () => renameSync(join(root, 'src/deep/one.ts'), join(root, 'src/deep/two.ts'))],
  ['a deletion', () => rmSync(join(root, 'src/deep/one.ts'))],
  ['a move', () => renameSync(join(root, 'src/deep/one.ts'), join(root, 'src/one.ts'))],
])('the fingerprint of the sources changes with %s', (_, change) => {
  const before = take();
  change();
  expect(take()).not.toBe(before);
});

it.each([
  ['another time of change', () => utimesSync(join(root, 'src/deep/one.ts'), new Date(), new Date())],
  ['a file that does not count', () => writeFileSync(join(root, 'src/one.test.ts'), '')],
])('the fingerprint of the sources does not change with %s', (_, change) => {
  const before = take();
  change();
  expect(take()).toBe(before);
});
