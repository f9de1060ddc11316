import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clone } from '../support/clone.ts';

describe('SECURITY.md', () => {
  it('names a test that exists for each protection', () => {
    const rows = readFileSync(join(clone, 'SECURITY.md'), 'utf8')
      .split('\n')
      .filter((line) => /^\| (?!From|---)/.test(line));
    expect(rows.length).toBeGreaterThan(10);
    const tests = rows.map((row) =>
      [...row.matchAll(/`((?:src|test)\/[^`]+\.test\.ts)`/g)].map(([, path]) => path ?? ''),
    );
    expect(rows.filter((_, i) => tests[i]?.length === 0)).toEqual([]);
    expect(tests.flat().filter((path) => !existsSync(join(clone, path)))).toEqual([]);
  });
});
