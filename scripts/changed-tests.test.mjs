import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { affectedByFolder, changedTests, nodeTests, testsAgainstNodes } from './changed-tests.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const tests = nodeTests(root);

describe('affectedByFolder', () => {
  it('selects the tests of the folder of a changed file, and not those of other folders', () => {
    const affected = affectedByFolder(['src/mail/render.ts'], tests);
    expect(affected).toEqual(expect.arrayContaining(['test/wire/mail.test.ts', 'test/e2e/mail.test.ts']));
    expect(affected).not.toContain('test/wire/rest.test.ts');
  });

  it('selects all tests against nodes for a file of a folder that all requests cross', () => {
    expect(affectedByFolder(['src/database/pool.ts'], tests)).toEqual(tests);
  });

  it('selects no test for a changed unit test or document', () => {
    expect(affectedByFolder(['src/database/pool.test.ts', 'docs/errors.md', 'web/README.md'], tests)).toEqual([]);
  });
});

describe('testsAgainstNodes', () => {
  it('names only existing paths and tests', () => {
    for (const [path, beginnings] of Object.entries(testsAgainstNodes)) {
      expect(existsSync(join(root, path)), path).toBe(true);
      for (const beginning of beginnings) {
        expect(
          tests.filter((test) => new RegExp(`^${beginning}`).test(test)),
          `${path}: ${beginning}`,
        ).not.toEqual([]);
      }
    }
  });
});

describe('changedTests', () => {
  it('returns the tests that import an uncommitted file, and the tests of its folder', () => {
    mkdirSync('.tmp/tests', { recursive: true });
    const clone = mkdtempSync(join(root, '.tmp/tests/changed-'));
    const write = (path, text) => {
      mkdirSync(join(clone, path, '..'), { recursive: true });
      writeFileSync(join(clone, path), text);
    };
    const git = (...args) =>
      execFileSync('git', ['-C', clone, '-c', 'user.name=T', '-c', 'user.email=t@t.test', ...args]);
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
    write('.gitignore', 'node_modules');
    write('vitest.config.mjs', 'export default {};');
    write('src/mail/render.ts', 'export const greeting = "Hello";');
    write('src/mail/render.test.ts', 'import "./render.ts";');
    write('src/mail/other.test.ts', '');
    write('test/wire/mail.test.ts', '');
    write('test/wire/rest.test.ts', '');
    for (const folder of ['attack', 'fault', 'e2e']) mkdirSync(join(clone, 'test', folder));
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
    expect(changedTests(clone, 'HEAD')).toEqual([]);
    write('src/mail/render.ts', 'export const greeting = "Good morning";');
    const expected = ['src/mail/render.test.ts', 'test/wire/mail.test.ts', 'test/architecture/'];
    expect(changedTests(clone, 'HEAD')).toEqual(expected);
    git('commit', '--quiet', '--all', '--message', 'second');
    expect(changedTests(clone, 'HEAD')).toEqual([]);
    expect(changedTests(clone, 'HEAD~1')).toEqual(expected);
  });
});
