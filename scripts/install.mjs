import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';

const stampPath = 'node_modules/.ninefold-installed';

/**
 * Returns the stamp of an installation. Only `lock` and `platform` are compared, because all native packages use
 * Node-API and so work with every version of Node.js.
 */
function stampOf(root) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  return { lock, platform: `${process.platform} ${process.arch}`, node: process.versions.node };
}

/**
 * Reads the stamp of the last installation; returns null if there is none.
 *
 * @param {string} root The clone.
 * @returns {{ lock: string, platform: string, node: string } | null}
 */
export function readStamp(root) {
  try {
    return JSON.parse(readFileSync(join(root, stampPath), 'utf8'));
  } catch {
    return null;
  }
}

const writeStamp = (root) => writeFileSync(join(root, stampPath), JSON.stringify(stampOf(root)));

/**
 * Returns true if node_modules matches package-lock.json for this platform.
 *
 * @param {string} root The clone.
 */
export function isInstalled(root) {
  const stamp = readStamp(root);
  if (stamp === null) return false;
  const wanted = stampOf(root);
  return stamp.lock === wanted.lock && stamp.platform === wanted.platform;
}

/**
 * Runs `npm ci`, which deletes node_modules and installs the packages of package-lock.json.
 *
 * @param {string} root The clone.
 * @returns {Promise<void>}
 * @throws {Error} with the end of npm's output if npm fails.
 */
export async function install(root) {
  await npmCi(root);
  writeStamp(root);
}

/**
 * Accepts a node_modules that a person has installed by hand if it matches package-lock.json.
 *
 * @param {string} root The clone.
 * @returns {boolean} True if it was accepted.
 */
export function acceptInstalled(root) {
  if (readStamp(root) !== null || !matchesLock(root)) return false;
  writeStamp(root);
  return true;
}

/** Compares npm's record of the installed packages, node_modules/.package-lock.json, with the lock file. */
function matchesLock(root) {
  try {
    const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
    const installed = read('node_modules/.package-lock.json');
    return Object.entries(read('package-lock.json')).every(
      ([path, entry]) => path === '' || !isForHere(entry) || installed[path]?.version === entry.version,
    );
  } catch {
    return false;
  }
}

function isForHere(entry) {
  if (!entry.optional) return true;
  // A package for one C library cannot be checked here. npm also leaves out an optional package that fails to install.
  if (entry.libc || !entry.os || !entry.cpu) return false;
  return entry.os.includes(process.platform) && entry.cpu.includes(process.arch);
}

function npmCi(root) {
  const args = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--no-fund',
    '--no-audit',
    '--no-progress',
    '--loglevel=error',
  ];
  const cli = findNpm();
  const child = cli
    ? spawn(process.execPath, [cli, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    : spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
  let output = '';
  const collect = (chunk) => {
    output = (output + chunk).slice(-4000);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`npm could not be started: ${error.message}`)));
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`npm ci failed with exit code ${code}:\n${output.trim()}`)),
    );
  });
}

/** Returns the path of npm's script: the npm that runs this process, or the one installed with this Node.js. */
function findNpm() {
  const beside = dirname(process.execPath);
  const candidates = [
    /npm-cli\.[cm]?js$/.test(process.env.npm_execpath ?? '') ? process.env.npm_execpath : undefined,
    join(beside, '../lib/node_modules/npm/bin/npm-cli.js'),
    join(beside, 'node_modules/npm/bin/npm-cli.js'),
  ];
  return candidates.find((path) => path && existsSync(path));
}
