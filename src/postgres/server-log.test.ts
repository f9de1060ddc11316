import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ServerLog } from './server-log.ts';

const MIB = 1024 * 1024;

let folder: string;
let log: ServerLog;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'server-log-'));
  log = new ServerLog(join(folder, 'postgres.log'));
});
afterEach(async () => {
  log.close();
  await rm(folder, { recursive: true });
});

it('ServerLog keeps only the end of a log that is far larger than its maximum, and cuts it within seconds', async () => {
  const output = await log.open();
  await output.write(Buffer.alloc(40 * MIB, 'x'));
  await output.write('the last line');
  await vi.waitUntil(async () => (await log.size()) === 0, { timeout: 10_000 });
  expect((await stat(`${log.path}.1`)).size).toBe(8 * MIB);
  const kept = new ServerLog(`${log.path}.1`);
  kept.close();
  expect(await kept.readFrom(0)).toMatch(/x{1000}the last line$/);
  // The server appends to the file through the file descriptor that it opened before.
  await output.write('the next line');
  await output.close();
  expect(await log.readFrom(0)).toBe('the next line');
});
