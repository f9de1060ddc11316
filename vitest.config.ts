import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { countReporter } from './test/support/count-reporter.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/** A process for each file takes a second of processor time, and no file changes what it shares with others. */
const isolate = false;

/** Files that run at the same time. A file waits for a part of its time, so this keeps two cores busy. */
const maxWorkers = 3;

/** Tests that need nothing but this process, or a Postgres of their own. */
function inProcess(name: string, include: string[]): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      include,
      maxWorkers,
      isolate,
      testTimeout: 120_000,
      hookTimeout: 120_000,
      sequence: { groupOrder: 0 },
    },
  };
}

/**
 * Tests against running nodes, which the files of a project share: some files at a time, each with apps of its own. A file that takes
 * what a node has, all its connections for one, starts a node of its own. A file that measures how fast a node answers is in a folder
 * `alone`: these run last, one file at a time.
 */
function againstNodes(name: string, setup: string): TestProjectInlineConfiguration {
  const isAlone = name.endsWith('/alone');
  return {
    extends: true,
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      exclude: isAlone ? [] : ['test/*/alone/**'],
      globalSetup: [`test/support/${setup}`],
      maxWorkers: isAlone ? 1 : maxWorkers,
      isolate,
      testTimeout: 240_000,
      hookTimeout: 240_000,
      sequence: { groupOrder: isAlone ? 2 : 1 },
    },
  };
}

/** Loads SQL files as text, as the build does. */
const sqlAsText = {
  name: 'sql-as-text',
  transform: (code: string, id: string) => (id.endsWith('.sql') ? `export default ${JSON.stringify(code)};` : null),
};

export default defineConfig({
  plugins: [sqlAsText],
  test: {
    pool: 'forks',
    reporters: ['default', countReporter],
    sequence: { sequencer: LongestFirst },
    // A test that promises a shorter time says so. The default of a second would fail on a machine that does much else.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      inProcess('unit', ['{src,contract}/**/*.test.ts', 'scripts/**/*.test.mjs', 'web/**/*.test.{ts,tsx}']),
      inProcess('architecture', ['test/architecture/**/*.test.ts']),
      againstNodes('wire', 'shared-node-setup.ts'),
      againstNodes('attack', 'shared-node-setup.ts'),
      againstNodes('attack/alone', 'build-setup.ts'),
      againstNodes('fault', 'build-setup.ts'),
      againstNodes('e2e', 'browser-setup.ts'),
    ],
  },
});
