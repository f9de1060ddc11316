/**
 * `npm test`: prepares the clone, then runs vitest. Arguments are passed to vitest:
 * `npm test -- --project wire sign-up`. `--changed[=COMMIT]` selects the tests that uncommitted changes, or the changes
 * since a commit, affect.
 */
import '../bin/node-version.mjs';
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { changedTests } from './changed-tests.mjs';
import { prepare } from './prepare.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const isChanged = (argument) => /^--changed(=|$)/.test(argument);

/** Returns the arguments for vitest; null if no test is affected. */
function vitestArguments() {
  const given = process.argv.slice(2);
  const changed = given.find(isChanged);
  if (changed === undefined) return given;
  const selected = changedTests(root, changed.split('=')[1] ?? 'HEAD');
  return selected.length === 0 ? null : [...given.filter((argument) => !isChanged(argument)), ...selected];
}

prepare({ mayInstall: true })
  .then(() => {
    const selection = vitestArguments();
    if (selection === null) {
      process.stderr.write('No test is affected: no file has changed.\n');
      return;
    }
    const vitest = `${root}node_modules/vitest/vitest.mjs`;
    const { status } = spawnSync(process.execPath, [vitest, 'run', ...selection], { cwd: root, stdio: 'inherit' });
    process.exitCode = status ?? 1;
  })
  .catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
