import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clone } from '../support/clone.ts';

const read = (path: string): string => readFileSync(join(clone, path), 'utf8');

/** Returns the rows of the tables of a page, without their heads. */
const rowsOf = (page: string): string[] =>
  read(page)
    .split('\n')
    .filter((line) => /^\| (?!From |No\. |---)/.test(line));

describe('SECURITY.md', () => {
  it('names an existing test for each protection', () => {
    const rows = rowsOf('SECURITY.md');
    expect(rows.length).toBeGreaterThan(10);
    const tests = rows.map((row) =>
      [...row.matchAll(/`((?:src|test)\/[^`]+\.test\.ts)`/g)].map(([, path]) => path ?? ''),
    );
    expect(rows.filter((_, i) => tests[i]?.length === 0)).toEqual([]);
    expect(tests.flat().filter((path) => !existsSync(join(clone, path)))).toEqual([]);
  });
});

describe('docs/security.md', () => {
  const rows = rowsOf('docs/security.md').map((row) => row.slice(2, -2).split(' | '));

  it('has one row for each requirement, in order', () => {
    const numbers = rows.map(([number]) => number ?? '');
    expect(numbers.length).toBeGreaterThan(70);
    const inOrder = [...new Set(numbers)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    expect(numbers).toEqual(inOrder);
  });

  it('names a test for each requirement, or says that the requirement is not met or does not apply', () => {
    const wrong = rows.flatMap(([number, , here = '', proof = '']) => {
      const [, path, title] = /^`([^`]+\.test\.ts)`: (.+)$/.exec(proof.trim()) ?? [];
      if (path === undefined || title === undefined) {
        return /\*\*Not met\*\*|Does not apply/.test(here) ? [] : [`${number}: ${proof}`];
      }
      return existsSync(join(clone, path)) && read(path).includes(title) ? [] : [`${number}: ${path}: ${title}`];
    });
    expect(wrong).toEqual([]);
  });
});
