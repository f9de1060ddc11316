import { execFileSync } from 'node:child_process';
import { chmod, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { uniqueEmail, uniqueRef } from '../support/unique.ts';

/** Only root can mount a disk that is small enough to be filled. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0;
const mount = (folder: string) => execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m,mode=0755', 'tmpfs', folder]);

interface TestResponse {
  status: number;
  body: string;
}

describe.skipIf(!canMount)('a full disk (skipped: only root on Linux can mount one)', () => {
  let disk: string;
  let node: TestNode;
  let app: AppConnection;

  beforeAll(async () => {
    disk = await makeTestFolder('disk');
    mount(disk);
    await chmod(disk, 0o755);
    node = await startNode({ home: join(disk, 'home') });
    app = await createApp(node);
    await runSql(
      node,
      app.ref,
      `create table notes (id int generated always as identity, text text); grant all on notes to anon;
       insert into storage.buckets (id, name) values ('files', 'files')`,
    );
    await signUpMember(app);
  });

  afterAll(async () => {
    await node?.stop();
    execFileSync('umount', ['-l', disk]);
    await rm(disk, { recursive: true, force: true });
  });

  const filler = () => join(disk, 'filler');

  async function fill(): Promise<void> {
    const { bavail, bsize } = await statfs(disk);
    await writeFile(filler(), Buffer.alloc(bavail * bsize)).catch(() => undefined);
    expect((await statfs(disk)).bavail).toBeLessThan(2);
  }

  async function post(path: string, body: unknown, key = app.publishable_key): Promise<TestResponse> {
    const response = await fetch(`${node.url}${path}`, {
      method: 'POST',
      headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.text() };
  }

  const manage = (path: string, body: unknown) => post(`/admin/v1${path}`, body, node.operatorToken);

  /** Repeats a write, which first uses free space in existing pages, until it needs new space and is refused. */
  async function untilRefused(write: () => Promise<TestResponse>): Promise<TestResponse> {
    for (let i = 0; i < 300; i++) {
      const answer = await write();
      if (answer.status >= 300) return answer;
    }
    throw new Error('the disk is not full');
  }

  const signUp = () => post(`/apps/${app.ref}/auth/v1/signup`, { email: uniqueEmail(), password: 'long enough' });
  const upload = () =>
    post(`/apps/${app.ref}/storage/v1/object/files/${uniqueRef()}`, 'x'.repeat(1500), app.secret_key ?? '');
  const insert = () => post(`/apps/${app.ref}/rest/v1/notes`, { text: 'x'.repeat(1500) });

  it('causes 503 disk_full for every kind of write, and everything works again once there is space', async () => {
    await fill();
    const answers = {
      'a new app': await manage('/apps', { ref: 'made-later' }),
      SQL: await manage(`/apps/${app.ref}/sql`, { sql: 'create table big as select generate_series(1, 100000) as n' }),
      'a migration': await manage(`/apps/${app.ref}/migrations`, {
        files: [{ name: '1_big.sql', sql: 'create table big as select generate_series(1, 100000) as n' }],
      }),
      'an insert': await untilRefused(insert),
      'a sign-up': await untilRefused(signUp),
      'an upload': await upload(),
    };
    for (const [what, { status, body }] of Object.entries(answers)) {
      expect(`${what}: ${status} ${body}`).toMatch(/: 503 .*"disk_full"/);
      expect(body).not.toMatch(/base\/|pg_wal/);
    }
    const read = await fetch(`${app.url}/rest/v1/notes?limit=1`, { headers: { apikey: app.publishable_key } });
    expect(read.status).toBe(200);

    await rm(filler());
    expect((await signUp()).status).toBe(200);
    expect((await insert()).status).toBe(201);
    await expect.poll(async () => (await upload()).status).toBe(200);
    expect((await createApp(node, { ref: 'made-later' })).ref).toBe('made-later');
    await admin(node, 'DELETE', '/apps/made-later', { confirm: 'made-later' });
  });

  it('stops the start of a node with one sentence, and leaves no partly written secret behind', async () => {
    const home = join(disk, 'second');
    await fill();
    const output = await startNode({ home }).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    await rm(filler());
    expect(output).toContain('ENOSPC');
    expect(output).not.toMatch(/\n\s+at /);
    for (const name of ['master-key', 'postgres-password', 'operator-token']) {
      const text = await readFile(join(home, 'secrets', name), 'utf8').catch(() => null);
      expect(text === null || text.length > 20).toBe(true);
    }
    const second = await startNode({ home });
    expect((await createApp(second, { ref: uniqueRef() })).ref).toBeTruthy();
    await second.stop();
  });
});
