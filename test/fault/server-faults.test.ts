import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { send } from '../support/http.ts';
import { deleteHome, startNode } from '../support/node.ts';
import { ownNode } from '../support/own-node.ts';
import { partsOf } from '../support/processes.ts';
import { makeTestHome } from '../support/test-folder.ts';

const node = ownNode('server-faults');
let app: AppConnection;
let member: Member;

beforeAll(async () => {
  app = await createApp(node);
  member = await signUpMember(app);
});

const user = (url: string, { session }: Member) =>
  fetch(`${url}/apps/${app.ref}/auth/v1/user`, {
    headers: { apikey: app.publishable_key, authorization: `Bearer ${session.access_token}` },
  });

/** Returns the output of a node that did not start, which must be one sentence without a stack trace. */
async function refusal(): Promise<string> {
  const output = await node.startAgain().then(
    () => 'it started',
    (error: Error) => error.message,
  );
  expect(output).not.toMatch(/\n\s+at /);
  return output;
}

describe('PostgreSQL after a shutdown by another program', () => {
  it('is restarted by the node, although its clients stay connected during the shutdown', async () => {
    const { postmaster } = await partsOf(node.pid);
    process.kill(postmaster, 'SIGTERM');
    await expect
      .poll(async () => (await partsOf(node.pid).catch(() => null))?.postmaster, { timeout: 30_000 })
      .not.toBe(postmaster);
    await expect.poll(async () => (await user(node.url, member)).status, { timeout: 30_000 }).toBe(200);
    expect((await fetch(`${node.url}/health`)).status).toBe(200);
  });
});

describe('workers that are killed before they accept a connection', () => {
  it('leave no client without an answer', async () => {
    const { workers } = await partsOf(node.pid);
    for (const pid of workers) process.kill(pid, 'SIGSTOP');
    const calls = [1, 2, 3, 4].map(() => fetch(`${node.url}/health`, { headers: { connection: 'close' } }));
    const ends = Promise.allSettled(calls);
    // Each new connection goes to another worker. The processes are listed only after the primary has passed on the
    // first connections.
    expect((await partsOf(node.pid)).workers).toEqual(workers);
    for (const pid of workers) process.kill(pid, 'SIGKILL');
    expect(await ends).toHaveLength(4);
    await expect.poll(async () => (await user(node.url, member)).status, { timeout: 30_000 }).toBe(200);
  }, 60_000);
});

describe('a worker whose process is frozen', () => {
  it('is replaced, and its client does not wait without end', async () => {
    const { workers } = await partsOf(node.pid);
    const [frozen] = workers;
    process.kill(frozen ?? 0, 'SIGSTOP');
    const calls = Array.from({ length: 4 }, () => send(node.url, '/health', { ownConnection: true }));
    // Only the first new connection goes to the frozen worker. It is closed when the worker is replaced.
    const answers = await Promise.allSettled(calls);
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(3);
    await expect
      .poll(async () => (await partsOf(node.pid)).workers.filter((pid) => pid !== frozen).length, { timeout: 30_000 })
      .toBe(workers.length);
  }, 60_000);
});

describe('a second node on the same server', () => {
  async function overTcp(): Promise<string> {
    const url = new URL(await superuserUrl(node, 'postgres'));
    url.search = '';
    return url.href;
  }

  const listeners = async (): Promise<number[]> =>
    withClient(await superuserUrl(node, 'postgres'), async (client) => {
      const sql = `select pid from pg_stat_activity where query like 'LISTEN%'`;
      return (await client.query<{ pid: number }>(sql)).rows.map(({ pid }) => pid);
    });

  /** Freezes every PostgreSQL process that listens for the second node. */
  async function freezeListeners(ofFirst: readonly number[]): Promise<() => void> {
    const pids = (await listeners()).filter((pid) => !ofFirst.includes(pid));
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    return () => {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    };
  }

  it('refuses an ended session within 5 seconds while the connections on which the node listens are frozen', async () => {
    // Opens the app on the first node.
    expect((await user(node.url, member)).status).toBe(200);
    const ofFirst = await listeners();
    const home = await makeTestHome('second');
    await mkdir(join(home, 'secrets'));
    await cp(join(node.home, 'secrets'), join(home, 'secrets'), { recursive: true });
    const second = await startNode({
      home,
      env: { NINEFOLD_DATABASE_URL: await overTcp(), NINEFOLD_WORKERS: '1' },
    });
    try {
      const other = await signUpMember(app);
      expect((await user(second.url, other)).status).toBe(200);
      const thaw = await freezeListeners(ofFirst);
      try {
        await other.client.auth.signOut();
        const endedAt = performance.now();
        await expect
          .poll(async () => (await user(second.url, other)).status, { timeout: 20_000, interval: 50 })
          .toBe(403);
        expect(performance.now() - endedAt).toBeLessThan(5000);
        // Another session is still served.
        expect((await user(second.url, member)).status).toBe(200);
      } finally {
        thaw();
      }
    } finally {
      await second.stop();
      await deleteHome(home);
    }
  });
});

describe('a start without the right master key', () => {
  it('is refused with one sentence, and works once the key is restored', async () => {
    const file = join(node.home, 'secrets/master-key');
    const key = await readFile(file, 'utf8');
    await node.stop();
    await writeFile(file, `${Buffer.alloc(32, 7).toString('base64url')}\n`);
    expect(await refusal()).toContain(`The master key in ${file} does not fit this database`);
    await rename(file, `${file}.aside`);
    expect(await refusal()).toContain(`The file ${file} is missing`);
    await writeFile(file, '');
    expect(await refusal()).toContain(`The file ${file} is empty`);
    await writeFile(file, key);
    await node.startAgain();
    expect((await user(node.url, member)).status).toBe(200);
  });
});

describe('a limit of 256 file descriptors', () => {
  it('is enough to start and to answer while 600 silent sockets are open; the node reports the limit', async () => {
    await node.stop();
    const limited = await startNode({
      home: node.home,
      shell: 'ulimit -n 256; exec "$@"',
      env: { NINEFOLD_WORKERS: '2' },
    });
    try {
      expect(limited.logs()).toMatch(/only 256 files .*at most 104 connections of clients/);
      let closed = 0;
      const silent = Array.from({ length: 600 }, () => {
        const socket = connect(Number(new URL(limited.url).port), '127.0.0.1');
        socket.on('error', () => undefined);
        socket.once('close', () => closed++);
        return socket;
      });
      await expect.poll(() => closed, { timeout: 20_000 }).toBeGreaterThanOrEqual(silent.length - 2 * 104);
      const client = clientOf({ ...app, url: `${limited.url}/apps/${app.ref}` });
      for (let i = 0; i < 20; i++) {
        expect((await client.auth.signInWithPassword(member)).error).toBeNull();
        expect((await user(limited.url, member)).status).toBe(200);
      }
      for (const socket of silent) socket.destroy();
    } finally {
      await limited.stop();
      await node.startAgain();
    }
  });
});

describe.runIf(existsSync('/dev/full'))('a log on a full disk', () => {
  it('neither stops a node nor prevents it from stopping', async () => {
    await node.stop();
    const silent = await startNode({
      home: node.home,
      shell: 'exec "$@" 2>/dev/full',
      env: { NINEFOLD_LOG: 'debug', NINEFOLD_WORKERS: '1' },
    });
    const { workers } = await partsOf(silent.pid);
    for (let i = 0; i < 20; i++) expect((await user(silent.url, member)).status).toBe(200);
    expect((await partsOf(silent.pid)).workers).toEqual(workers);
    await silent.stop();
    await node.startAgain();
  });
});
