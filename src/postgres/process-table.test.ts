import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { startOf } from './process-table.ts';

it('startOf returns a different value for each of two processes, and the same value each time for one process', async () => {
  const child = spawn('sleep', ['60']);
  try {
    await once(child, 'spawn');
    const start = await startOf(child.pid ?? 0);
    expect(start).not.toBeNull();
    expect(await startOf(child.pid ?? 0)).toBe(start);
    expect(await startOf(process.pid)).not.toBe(start);
  } finally {
    child.kill('SIGKILL');
  }
});

it('startOf treats a process that has ended as missing, also if its parent has not reaped it', async () => {
  // The shell starts a process and then replaces itself with a program that never waits for children.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [line] = await once(createInterface({ input: parent.stdout }), 'line');
    await expect.poll(() => startOf(Number(line))).toBeNull();
    process.kill(Number(line), 0); // The process is still in the process table, so this call does not throw.
  } finally {
    parent.kill('SIGKILL');
  }
});
