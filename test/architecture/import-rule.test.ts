import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { type Import, importsOf } from './imports.ts';
import { breachInSource, breachOutside } from './layers.ts';
import { isTest, type SourceFile, sourceFiles } from './source-files.ts';

/** Returns one line for each import that breaks a rule, in the form that editors link. */
function breaches(folders: string[], rule: (entry: Import) => string | null): string[] {
  const imports = sourceFiles(folders).flatMap(importsOf);
  expect(imports.length, `imports found in ${folders}`).toBeGreaterThan(0);
  return imports.flatMap((entry) => {
    const breach = rule(entry);
    return breach === null ? [] : [`${entry.from}:${entry.line} imports ${entry.to}: ${breach}`];
  });
}

describe('the import rule', () => {
  it('allows every import of src, because each is of a lower folder', () => {
    expect(breaches(['src'], breachInSource)).toEqual([]);
  });

  it('allows every import of contract, web and the black-box tests', () => {
    expect(breaches(['contract', 'web', 'test'], breachOutside)).toEqual([]);
  });

  it('leaves no import circle, type imports included', () => {
    const imports = new Map(
      sourceFiles(['src', 'contract', 'web'])
        .filter(({ path }) => !isTest(path))
        .map((file) => [file.path, importsOf(file).flatMap(({ to, isRelative }) => (isRelative ? [to] : []))]),
    );
    expect(circlesOf(imports)).toEqual([]);
  });

  it('allows only src/config to read the environment', () => {
    const readers = sourceFiles(['src'])
      .filter(({ path }) => !(isTest(path) || path.startsWith('src/config/')))
      .filter(readsEnvironment);
    expect(readers.map(({ path }) => path)).toEqual([]);
    expect(sourceFiles(['src/config']).some(readsEnvironment)).toBe(true);
  });
});

/**
 * Returns the files of import circles and the files that import these. Repeatedly removes the files that import no
 * remaining file.
 */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(imports);
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const [path, to] of left) if (!to.some((one) => left.has(one))) left.delete(path);
  }
  return [...left.keys()];
}

/** Returns true if the file reads the environment. esbuild replaces the expression only in code, not in strings. */
function readsEnvironment({ text }: SourceFile): boolean {
  const { code } = transformSync(text, { loader: 'ts', define: { 'process.env': 'environmentIsRead' } });
  return code.includes('environmentIsRead') || /\benv\b[^;]*from "node:process"/.test(code);
}

describe('breachInSource and breachOutside', () => {
  const entry = (from: string, to: string): Import => ({
    from,
    line: 1,
    to,
    isRelative: /^(src|contract|web|test)\//.test(to),
  });
  const inSource = (from: string, to: string) => breachInSource(entry(from, to));

  it.each([
    ['src/rest/handle.ts', 'src/catalog/schema-cache.ts'],
    ['src/rest/plan/plan.ts', 'src/rest/request/request.ts'],
    ['src/compose/primary.ts', 'src/postgres/embedded.ts'],
    ['src/main.ts', 'src/cli/program.ts'],
    ['src/database/pool.ts', 'contract/limits.ts'],
    ['src/apps/provisioning/schema-files.ts', 'src/schema/0001_base.sql'],
    ['src/database/pool.ts', 'pg'],
    ['src/rest/handle.test.ts', 'pg'],
  ])('allow %s to import %s', (from, to) => {
    expect(inSource(from, to)).toBeNull();
  });

  it.each([
    ['src/rest/handle.ts', 'src/auth/handle.ts', 'auth is not below rest'],
    ['src/catalog/schema-cache.ts', 'src/rest/handle.ts', 'rest is not below catalog'],
    ['src/http/server.ts', 'src/config/config.ts', 'only compose imports config'],
    ['src/postgres/embedded.ts', 'src/errors/ninefold-error.ts', 'postgres must not import other folders of src'],
    ['src/rest/handle.ts', 'src/stuff/thing.ts', 'rest or stuff has no layer'],
    ['src/specification/derive/entries.ts', 'src/specification/compare/diff.ts', 'compare is not below derive'],
    ['src/rest/handle.ts', 'web/ui/button.tsx', 'src imports only src and contract, not web/ui/button.tsx'],
    ['src/rest/handle.ts', 'pg', 'only src/database imports pg'],
  ])('do not allow %s to import %s', (from, to, reason) => {
    expect(inSource(from, to)).toBe(reason);
  });

  it.each([
    ['web/console/main.tsx', 'src/rest/handle.ts'],
    ['web/console/main.tsx', 'test/support/entity-fixture.ts'],
    ['web/console/layout/page.tsx', 'web/console/tools/sql/sql-page.tsx'],
    ['web/ui/button.tsx', 'web/fields/editor.tsx'],
    ['web/portal/main.tsx', 'web/console/main.tsx'],
    ['contract/limits.ts', 'src/errors/ninefold-error.ts'],
    ['contract/limits.ts', 'zod'],
    ['test/wire/sign-up.test.ts', 'src/auth/handle.ts'],
  ])('do not allow %s to import %s', (from, to) => {
    expect(breachOutside(entry(from, to))).not.toBeNull();
  });
});

describe('importsOf', () => {
  it('finds every form of import with its line', () => {
    const text = [
      "import one from './one.ts';",
      'import {',
      '  type Two,',
      "} from '../two.ts';",
      "import './three.css';",
      "export { four } from 'four';",
      "export * from './five.ts';",
      "const six = () => import('./six.ts');",
      "import data from '../../package.json' with { type: 'json' };",
      "import worker from './seven.ts?worker';",
    ].join('\n');
    expect(importsOf({ path: 'src/rest/x.ts', text }).map(({ to, line }) => `${line} ${to}`)).toEqual([
      '1 src/rest/one.ts',
      '4 src/two.ts',
      '5 src/rest/three.css',
      '6 four',
      '7 src/rest/five.ts',
      '8 src/rest/six.ts',
      '9 package.json',
      '10 src/rest/seven.ts',
    ]);
  });

  it('does not mistake a sentence in a comment or string for an import', () => {
    const text =
      "/**\n * import nothing from 'a comment'\n */\nexport const from = 'here';\nconst x = { import: 'no' };\n";
    expect(importsOf({ path: 'src/x.ts', text })).toEqual([]);
  });
});
