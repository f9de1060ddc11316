import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clone } from '../../test/support/clone.ts';
import released from './released.json' with { type: 'json' };

/**
 * Databases in use have applied these files and never apply them again, so a change would affect new apps only. A
 * release records its files in released.json. Until then a file may change.
 */
const folder = join(clone, 'src/schema');
const numbered = (path: string) =>
  readdirSync(join(folder, path))
    .filter((file) => /^\d{4}_\w+\.sql$/.test(file))
    .map((file) => join(path, file));
const present = [...numbered(''), ...numbered('console')];
const hash = (file: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex');

it.each(Object.entries(released))('the file %s is as it was released', (file, sha256) => {
  expect(present, `${file} was released and is gone: bring it back`).toContain(file);
  expect(hash(file), `${file} was released: undo the change, and make it in a new file with the next number`).toBe(
    sha256,
  );
});

it('each new file has a number that is higher than those of all released files', () => {
  const last = (of: readonly string[], path: string) =>
    of
      .filter((file) => join(file, '..') === join(path || '.'))
      .sort()
      .at(-1) ?? '';
  for (const path of ['', 'console']) {
    const newest = last(Object.keys(released), path);
    const added = present.filter((file) => join(file, '..') === join(path || '.') && !(file in released));
    expect(added.filter((file) => file < newest)).toEqual([]);
  }
});

/**
 * Reads the list as text, because only the build can import SQL. Returns the names in the list with the imported files.
 */
function listedFiles(): [name: string, file: string][] {
  const source = readFileSync(join(clone, 'src/apps/provisioning/schema-files.ts'), 'utf8');
  const imports = new Map(
    [...source.matchAll(/^import (\w+) from '(?:\.\.\/)+schema\/(.+)';$/gm)].map(([, variable, file]) => [
      variable,
      file,
    ]),
  );
  return [...source.matchAll(/^ {2}\{ name: '(.+?)', sql: (\w+),/gm)].map(([, name, variable]) => [
    name ?? '',
    imports.get(variable) ?? '',
  ]);
}

it('the update applies every schema file under its own name and in numeric order', () => {
  const listed = listedFiles();
  expect(listed.map(([, file]) => file)).toEqual([...numbered('').sort(), ...numbered('console').sort()]);
  expect(listed.map(([name]) => `${name}.sql`)).toEqual(listed.map(([, file]) => file));
});
