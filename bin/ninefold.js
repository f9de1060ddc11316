#!/usr/bin/env node
import './node-version.mjs';
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const isStart = process.argv[2] === 'start';
/** The npm package has no scripts: it is built, and npm has installed its packages. */
const isClone = existsSync(new URL('../scripts/prepare.mjs', import.meta.url));

// Output that cannot be written, for example because the disk is full, must not end a node.
process.stderr.on('error', () => undefined);

/** Only `npm start` installs packages: a command must not delete them, nor fetch any, without being asked. */
async function prepareClone() {
  const { prepare } = await import('../scripts/prepare.mjs');
  await prepare({ mayInstall: isStart && process.env.npm_lifecycle_event !== undefined });
  if (!isStart) return;
  const { registerRunning } = await import('../scripts/running-nodes.mjs');
  registerRunning(fileURLToPath(new URL('..', import.meta.url)));
}

// A worker runs what its primary runs, also when a source has changed since.
const prepared = cluster.isWorker || !isClone ? Promise.resolve() : prepareClone();

prepared.then(
  () => import('../dist/ninefold.js'),
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
