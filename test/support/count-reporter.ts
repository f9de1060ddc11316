import type { Reporter } from 'vitest/node';

/**
 * Ends a run with one plain line such as `12 passed, 0 failed`, for programs that read the log. A test file that could
 * not be loaded counts as one failure, and so does an error outside of a test.
 */
export const countReporter: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    }
    const skipped = counts.skipped + counts.pending;
    const line = `${counts.passed} passed, ${counts.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    process.stdout.write(`\n${line}\n`);
  },
};
