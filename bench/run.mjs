/** `npm run bench`: builds the server and the bench, then runs the bench. Arguments select cases by name. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { prepare } from '../scripts/prepare.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

try {
  await prepare();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const { build } = await import('esbuild');
await build({
  absWorkingDir: root,
  entryPoints: [
    'bench/main.ts',
    'bench/limit-process.ts',
    'bench/attack-process.ts',
    'bench/sockets-process.ts',
    'bench/bare-sockets-process.ts',
  ],
  outdir: '.tmp/bench',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  loader: { '.sql': 'text' },
  logLevel: 'warning',
});
execFileSync(process.execPath, ['--expose-gc', join(root, '.tmp/bench/main.mjs'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  cwd: root,
});
