#!/usr/bin/env node
import '../scripts/node-version.mjs';
import cluster from 'node:cluster';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { prepare } from '../scripts/prepare.mjs';
import { registerRunning } from '../scripts/running-nodes.mjs';

const isStart = process.argv[2] === 'start';

// Output that cannot be written, for example because the disk is full, must not end a node.
process.stderr.on('error', () => undefined);

/** Only `npm start` installs packages: a command must not delete them, nor fetch any, without being asked. */
async function prepareCommand() {
  await prepare({ mayInstall: isStart && process.env.npm_lifecycle_event !== undefined });
  if (isStart) registerRunning(fileURLToPath(new URL('..', import.meta.url)));
}

// A worker runs what its primary runs, also when a source has changed since.
const prepared = cluster.isWorker ? Promise.resolve() : prepareCommand();

prepared.then(
  () => import('../dist/ninefold.js'),
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
