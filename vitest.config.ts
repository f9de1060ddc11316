import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { countReporter } from './test/support/count-reporter.ts';

/** Tests that need nothing but this process, or a Postgres of their own. */
function inProcess(name: string, include: string[]): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      include,
      maxWorkers: 2,
      // A process for each file takes a second of processor time; they change nothing that they share.
      isolate: false,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      sequence: { groupOrder: 0 },
    },
  };
}

/**
 * Tests against running nodes, which the files of a project share: two files at a time, each with apps of its own, but one where a
 * file takes what a node has, all its connections for one. Projects run one after the other (`groupOrder`).
 */
function againstNodes(name: string, groupOrder: number, setup: string, maxWorkers = 2): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      globalSetup: [`test/support/${setup}`],
      maxWorkers,
      testTimeout: 120_000,
      hookTimeout: 120_000,
      sequence: { groupOrder },
    },
  };
}

export default defineConfig({
  test: {
    pool: 'forks',
    reporters: ['default', countReporter],
    projects: [
      inProcess('unit', ['{src,contract}/**/*.test.ts', 'scripts/**/*.test.mjs', 'web/**/*.test.{ts,tsx}']),
      inProcess('architecture', ['test/architecture/**/*.test.ts']),
      againstNodes('wire', 1, 'shared-node-setup.ts'),
      againstNodes('attack', 2, 'shared-node-setup.ts', 1),
      againstNodes('fault', 3, 'build-setup.ts'),
      againstNodes('e2e', 4, 'browser-setup.ts'),
    ],
  },
});
