#!/usr/bin/env node
import '../scripts/node-version.mjs';
import process from 'node:process';
import { prepare } from '../scripts/prepare.mjs';

prepare().then(
  () => import('../dist/ninefold.js'),
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
