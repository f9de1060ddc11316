import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { startOf } from './process-table.ts';

it('tells two processes apart, and says the same of one each time', async () => {
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

it('counts a process that has ended as gone, also while its parent has not noticed', async () => {
  // The shell starts one process and then becomes another, which waits for nobody.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [line] = await once(createInterface({ input: parent.stdout }), 'line');
    await expect.poll(() => startOf(Number(line))).toBeNull();
    process.kill(Number(line), 0); // it is still in the table: this does not throw
  } finally {
    parent.kill('SIGKILL');
  }
});
