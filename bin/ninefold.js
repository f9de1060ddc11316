#!/usr/bin/env node
import '../scripts/node-version.mjs';
import cluster from 'node:cluster';
import process from 'node:process';
import { prepare } from '../scripts/prepare.mjs';

// A worker runs what its primary runs, also when a source has changed since.
const prepared = cluster.isWorker ? Promise.resolve() : prepare();

prepared.then(
  () => import('../dist/ninefold.js'),
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
