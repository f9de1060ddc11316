/**
 * `npm run check`: runs the static checks, two at a time, and prints the output of each one when it has ended. Exits
 * with 1 if one failed.
 */
import '../bin/node-version.mjs';
import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { prepare } from './prepare.mjs';

const cwd = fileURLToPath(new URL('..', import.meta.url));
/** The longest one first, so that none of them runs alone at the end. */
const checks = [
  ['node_modules/@biomejs/biome/bin/biome', 'check', '.'],
  ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json'],
  ['node_modules/knip/bin/knip.js'],
  ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'web/tsconfig.json'],
  ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'web/portal/tsconfig.json'],
];

async function work() {
  for (let check = checks.shift(); check; check = checks.shift()) {
    const { failed, stdout, stderr } = await promisify(execFile)(process.execPath, check, { cwd }).then(
      (output) => ({ failed: false, ...output }),
      (error) => ({ failed: true, stdout: '', stderr: error.message, ...error }),
    );
    process.stdout.write(stdout);
    process.stderr.write(stderr);
    if (failed) process.exitCode = 1;
  }
}

try {
  await prepare({ targets: [] });
  await Promise.all([work(), work()]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
