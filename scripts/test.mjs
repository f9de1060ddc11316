/**
 * `npm test`: prepares the clone, then runs vitest. Arguments are passed to vitest:
 * `npm test -- --project wire sign-up`.
 */
import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { prepare } from './prepare.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

prepare({ mayInstall: true }).then(
  () => {
    const vitest = `${root}node_modules/vitest/vitest.mjs`;
    const { status } = spawnSync(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
      cwd: root,
      stdio: 'inherit',
    });
    process.exitCode = status ?? 1;
  },
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
