/**
 * `npm run dev`: runs the server, and builds and restarts it after a change of the sources. Arguments are passed to the
 * server.
 */
import '../bin/node-version.mjs';
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { prepare } from './prepare.mjs';
import { registerRunning } from './running-nodes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Pause after a change until the build starts, because editors write a file in several steps. */
const quietMilliseconds = 150;

registerRunning(root);

let server;
let restarting = Promise.resolve();
let timer;

function start() {
  server = spawn(process.execPath, ['dist/ninefold.js', 'start', ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  });
}

function stop() {
  if (!server || server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    server.once('exit', resolve);
    server.kill('SIGTERM');
  });
}

/**
 * Builds the changed targets and restarts the server. The server must restart even if only the console changed, because
 * it reads the list of the console's files when it starts.
 */
async function rebuild() {
  try {
    await prepare();
  } catch (error) {
    process.stderr.write(`${error.message}\nWaiting for a change …\n`);
    return;
  }
  await stop();
  start();
}

for (const folder of ['src', 'contract', 'web']) {
  watch(join(root, folder), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      restarting = restarting.then(rebuild);
    }, quietMilliseconds);
  });
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await stop();
    process.exit(0);
  });
}

restarting = restarting.then(rebuild);
await restarting;
