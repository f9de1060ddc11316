import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { readDescriptors, warnOfDescriptors } from './descriptors.ts';

it('warnOfDescriptors divides the descriptors of a process between clients and the database, and warns of a low limit', () => {
  const few = readDescriptors(256);
  expect(few.clientSockets).toBe(104);
  expect(warnOfDescriptors(few)).toMatch(/only 256 files .*at most 104 connections of clients/);
  expect(warnOfDescriptors(readDescriptors(20_000))).toBeNull();
  expect(warnOfDescriptors(readDescriptors(Number.POSITIVE_INFINITY))).toBeNull();
});

it('warnOfDescriptors rejects a limit with which PostgreSQL does not start', () => {
  expect(() => readDescriptors(64)).toThrow(ConfigError);
  expect(() => readDescriptors(64)).toThrow(/only 64 files.*ulimit -n/);
});

it.skipIf(process.platform === 'win32')('readDescriptors reads the limit of this process', () => {
  const shell = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  const expected = shell === 'unlimited' ? Number.POSITIVE_INFINITY : Number(shell);
  expect(readDescriptors().limit).toBe(expected);
});
