/**
 * Prepares a clone: installs the packages, builds server and console. It uses no package itself, and returns quickly if
 * nothing needs to be done. npm may be configured to skip its hooks, so every entry calls this function first.
 *
 * As a command: `node scripts/prepare.mjs [server] [web]`; without arguments it prepares both.
 */
import '../bin/node-version.mjs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isBuilt } from './build-stamp.mjs';
import { withFolderLock } from './folder-lock.mjs';
import { acceptInstalled, install, isInstalled, readStamp } from './install.mjs';
import { runningFrom } from './running-nodes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param {{ targets?: ('server' | 'web')[], mayInstall?: boolean }} [options] `targets`: the targets to build; default:
 * both. `mayInstall`: whether packages may be installed, which deletes node_modules first; default: false.
 * @returns {Promise<void>}
 * @throws {Error} with a message for the user.
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
        const { names } = await import('./build.mjs');
        await step(`Building ${names[target]}`, () => buildInChild(target));
      }
    },
    (pid) => say(`Another process (pid ${pid}) is preparing this clone: waiting for it …`),
  );
}

/**
 * Builds a target in a child process, because a process that has run the compilers keeps a gigabyte of memory, and this
 * process may continue as the primary of a node.
 */
function buildInChild(target) {
  const child = spawn(process.execPath, [join(root, 'scripts/build.mjs'), target], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-4000);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(output.trim()))));
  });
}

/**
 * Refuses to install packages while a node runs from this clone, because `npm ci` would delete the packages of the
 * node, including PostgreSQL's programs.
 */
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

/** Prints progress to stderr, because stdout belongs to the command that runs after the preparation. */
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
