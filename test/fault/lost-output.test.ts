import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeStatus } from '../../contract/admin.ts';
import { admin, createApp } from '../support/apps.ts';
import { clone } from '../support/clone.ts';
import { makeUsedHome, startNode, type TestNode } from '../support/node.ts';
import { makeTestFolder } from '../support/test-folder.ts';

/** Every write to this device fails with ENOSPC, as on a full disk. */
const FULL = '/dev/full';
const onLinux = process.platform === 'linux';

const health = async (node: TestNode) => {
  const response = await fetch(`${node.url}/health`);
  return { code: response.status, body: (await response.json()) as { status: string; lost_log_lines?: number } };
};
const lostLines = async (node: TestNode) => (await health(node)).body.lost_log_lines ?? 0;

describe.skipIf(!onLinux)('a node whose output goes to a full disk (skipped: only Linux has /dev/full)', () => {
  it.each([
    ['standard output', `exec "$@" >${FULL}`],
    ['standard output and standard error', `exec "$@" >${FULL} 2>${FULL}`],
  ])(
    'serves requests, counts the lost lines and stops with exit code 0, while a command fails (%s)',
    async (_what, shell) => {
      const node = await startNode({ home: await makeUsedHome('full'), shell, isSilent: true });
      await expect.poll(() => lostLines(node)).toBeGreaterThan(0);
      const app = await createApp(node);
      expect((await fetch(`${app.url}/auth/v1/settings`, { headers: { apikey: app.publishable_key } })).status).toBe(
        200,
      );
      expect(await health(node)).toMatchObject({ code: 200, body: { status: 'ok' } });
      const status = await admin<NodeStatus>(node, 'GET', '/status');
      expect(status.lost_log_lines).toBeGreaterThan(0);
      const command = [process.execPath, join(clone, 'dist/ninefold.js'), 'status', '--json'];
      const env = { ...process.env, NINEFOLD_HOME: node.home };
      const full = spawnSync('sh', ['-c', `exec "$@" >${FULL}`, 'sh', ...command], { encoding: 'utf8', env });
      expect(full).toMatchObject({ status: 1, stderr: expect.stringContaining('The output cannot be written') });
      await node.stop();
    },
  );
});

describe('a node whose log goes to a pipe', () => {
  let node: TestNode;
  let pipe: string;
  let reader: ChildProcess;
  let received = '';

  function read(): void {
    received = '';
    reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'ignore'] });
    reader.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
    });
  }
  beforeAll(async () => {
    pipe = join(await makeTestFolder('pipe'), 'log');
    execFileSync('mkfifo', [pipe]);
    read();
    const shell = `exec "$@" >${pipe} 2>&1`;
    node = await startNode({ home: await makeUsedHome('pipe'), shell, isSilent: true });
  });
  afterAll(async () => {
    await node?.stop();
    reader.kill();
  });

  it('reports no lost line while the pipe is read', async () => {
    await createApp(node, { ref: 'read-app' });
    await expect.poll(() => received).toContain('read-app');
    expect((await health(node)).body).toEqual({ status: 'ok' });
  });

  it('goes on when the reader has ended, and writes again when there is another reader', async () => {
    reader.kill();
    await once(reader, 'exit');
    await createApp(node, { ref: 'lost-app' });
    await expect.poll(() => lostLines(node)).toBeGreaterThan(0);
    read();
    await expect
      .poll(async () => {
        await createApp(node);
        return received;
      })
      .toMatch(/"level":50.*"lost":[1-9].*lines? of the log could not be written/);
    for (const line of received.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    expect(received).not.toContain('lost-app');
  });
});
