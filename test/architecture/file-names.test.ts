import { expect, it } from 'vitest';
import { sourceFiles } from './source-files.ts';

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|config|module|d))?\.(ts|tsx|mjs|js|css)$/;
const migration = /^\d{4}_[a-z0-9]+(_[a-z0-9]+)*\.sql$|^[a-z0-9]+(-[a-z0-9]+)*\.sql$/;

it('every file name is in kebab-case, and every migration begins with its number', () => {
  const files = sourceFiles(
    ['src', 'contract', 'web', 'test', 'scripts', 'bin', 'bench'],
    /\.(ts|tsx|mjs|js|css|sql)$/,
  );
  expect(files.length).toBeGreaterThan(0);
  const wrong = files
    .map(({ path }) => path)
    .filter((path) => {
      const name = path.split('/').at(-1) ?? '';
      return !(kebab.test(name) || migration.test(name));
    });
  expect(wrong).toEqual([]);
});
