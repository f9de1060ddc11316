/**
 * Makes a clone ready to run: packages installed, server and console built. Uses no package. Does nothing, quickly, when
 * all is as it should be. npm may be set to skip its own hooks, so every entry calls this first.
 *
 * As a command: `node scripts/prepare.mjs [server] [web]`; both when none is named.
 */
import './node-version.mjs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isBuilt } from './build-stamp.mjs';
import { withFolderLock } from './folder-lock.mjs';
import { acceptInstalled, install, isInstalled } from './install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param {{ targets?: ('server' | 'web')[] }} [options] What must be built; both when missing.
 * @returns {Promise<void>}
 * @throws {Error} whose message is for the user.
 */
export async function prepare({ targets = ['server', 'web'] } = {}) {
  const ready = () => isInstalled(root) && targets.every((target) => isBuilt(root, target));
  if (ready()) return;
  await withFolderLock(
    join(root, '.tmp/prepare.lock'),
    async () => {
      if (!isInstalled(root) && !acceptInstalled(root)) await step('Installing packages', () => install(root));
      for (const target of targets) {
        if (isBuilt(root, target)) continue;
        const { build, names } = await import('./build.mjs');
        await step(`Building ${names[target]}`, () => build(root, target));
      }
    },
    (pid) => say(`Another process (pid ${pid}) is preparing this clone: waiting for it …`),
  );
}

/** Progress goes to stderr: stdout belongs to the command that follows. */
function say(line) {
  process.stderr.write(`${line}\n`);
}

async function step(what, work) {
  const started = Date.now();
  const seconds = () => ((Date.now() - started) / 1000).toFixed(1);
  const ticking = process.stderr.isTTY
    ? setInterval(() => process.stderr.write(`\r${what} … ${seconds()} s`), 200)
    : undefined;
  if (!ticking) say(`${what} …`);
  try {
    await work();
  } finally {
    clearInterval(ticking);
    if (ticking) process.stderr.write('\r');
    say(`${what}: ${seconds()} s`);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const named = process.argv.slice(2);
  prepare(named.length > 0 ? { targets: named } : {}).catch((error) => {
    say(error.message);
    process.exitCode = 1;
  });
}
