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
import { acceptInstalled, install, isInstalled, readStamp } from './install.mjs';
import { runningFrom } from './running-nodes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param {{ targets?: ('server' | 'web')[], mayInstall?: boolean }} [options] `targets`: what must be built; both when
 * missing. `mayInstall`: whether packages may be installed, which deletes node_modules first; false when missing.
 * @returns {Promise<void>}
 * @throws {Error} whose message is for the user.
 */
export async function prepare({ targets = ['server', 'web'], mayInstall = false } = {}) {
  const ready = () => isInstalled(root) && targets.every((target) => isBuilt(root, target));
  if (ready()) return;
  if (!mayInstall && !isInstalled(root) && !acceptInstalled(root)) throw new Error(notInstalled());
  await withFolderLock(
    join(root, '.tmp/prepare.lock'),
    async () => {
      if (!isInstalled(root) && !acceptInstalled(root)) {
        refuseWhileRunning();
        await step('Installing packages', () => install(root));
      }
      for (const target of targets) {
        if (isBuilt(root, target)) continue;
        const { build, names } = await import('./build.mjs');
        await step(`Building ${names[target]}`, () => build(root, target));
      }
    },
    (pid) => say(`Another process (pid ${pid}) is preparing this clone: waiting for it …`),
  );
}

/** `npm ci` would delete the packages of a node that runs from this clone, PostgreSQL's programs among them. */
function refuseWhileRunning() {
  const pid = runningFrom(root);
  if (pid === null) return;
  throw new Error(
    `The packages of ${root} must be installed again, and a Ninefold runs from this folder (pid ${pid}): stop it first, then run the command again.`,
  );
}

function notInstalled() {
  const stamp = readStamp(root);
  const found =
    stamp === null
      ? `The packages of Ninefold are not installed in ${root}`
      : `The packages in ${root} were installed by Node.js ${stamp.node} on ${stamp.platform} from another package-lock.json or on another platform (this is Node.js ${process.versions.node} on ${process.platform} ${process.arch})`;
  return `${found}: run npm start, which installs them and starts the node, or npm ci. Stop a node that runs from this folder first.`;
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
