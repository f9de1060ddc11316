import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { deleteHome, makeUsedHome, startNode } from '../support/node.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const shared = inject('node');

describe('a start that fails', () => {
  /** Returns the output of the node, which must be one sentence without a stack trace. */
  async function refusal(options: Parameters<typeof startNode>[0]): Promise<string> {
    const output = await startNode(options).then(
      async (node) => {
        await node.stop();
        return 'it started';
      },
      (error: Error) => error.message,
    );
    expect(output).not.toMatch(/\n\s+at /);
    return output;
  }

  it('names the port and the setting to change if the port is in use', async () => {
    const holder = net.createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as net.AddressInfo;
    try {
      expect(await refusal({ env: { NINEFOLD_PORT: String(port) } })).toMatch(
        new RegExp(`Port ${port} on 127.0.0.1 is already in use.*NINEFOLD_PORT`),
      );
    } finally {
      holder.close();
    }
  });

  it('does not disturb the running node if the home is in use', async () => {
    expect(await refusal({ home: shared.home })).toContain(shared.home);
    expect((await fetch(`${shared.url}/health`)).status).toBe(200);
  });

  it('names the path if the home is not a folder', async () => {
    const file = join(await makeTestFolder('home'), 'file');
    await writeFile(file, '');
    expect(await refusal({ home: file })).toContain(file);
  });

  it('names an invalid setting', async () => {
    expect(await refusal({ env: { NINEFOLD_WORKERS: 'many' } })).toContain('NINEFOLD_WORKERS');
  });

  it('names the address of the database if the database does not answer', async () => {
    expect(await refusal({ env: { NINEFOLD_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' } })).toMatch(
      /127\.0\.0\.1:1\b/,
    );
  });
});

describe('an external PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres('external');
  });
  afterAll(() => postgres.stop());

  it('serves apps, and a second node on the same server serves them too', async () => {
    const home = await makeTestFolder('home');
    const env = { NINEFOLD_DATABASE_URL: postgres.url };
    const node = await startNode({ home, env });
    const app = await createApp(node);
    await runSql(node, app.ref, 'create table public.items (id int primary key); insert into public.items values (1)');
    const member = await signUpMember(app);
    await node.stop();
    const again = await startNode({ home, env });
    const moved = { ...app, url: app.url.replace(node.url, again.url) };
    const { data } = await clientOf(moved).auth.signInWithPassword({ email: member.email, password: member.password });
    expect(data.session).toBeTruthy();
    expect((await clientOf(moved).from('items').select()).data).toEqual([{ id: 1 }]);
    await again.stop();
  });

  it('is refused without superuser privileges, with the name of the missing privilege', async () => {
    const superuser = new pg.Client(postgres.url);
    await superuser.connect();
    await superuser.query(`create role plain login password 'plain' createdb`);
    await superuser.query('grant connect on database postgres to plain');
    await superuser.end();
    const url = new URL(postgres.url);
    url.username = 'plain';
    url.password = 'plain';
    await expect(startNode({ env: { NINEFOLD_DATABASE_URL: url.href } })).rejects.toThrow(
      /“plain” lacks CREATEROLE, BYPASSRLS/,
    );
  });

  it('is refused with a wrong password, which the error does not contain', async () => {
    const url = new URL(postgres.url);
    url.password = 'not-the-password';
    const refused = startNode({ env: { NINEFOLD_DATABASE_URL: url.href } });
    await expect(refused).rejects.toThrow(/password authentication failed/);
    await expect(refused).rejects.not.toThrow(/not-the-password/);
  });
});

describe('hosts', () => {
  it('below the domain, and any host with a default app, serve apps without a path prefix', async () => {
    const node = await startNode({ env: { NINEFOLD_DOMAIN: 'apps.test', NINEFOLD_DEFAULT_APP: 'main-app' } });
    try {
      await createApp(node, { ref: 'main-app' });
      const other = await createApp(node, { ref: 'other' });
      await runSql(node, 'main-app', 'create table public.place as select $$main$$ as name');
      await runSql(node, 'other', 'create table public.place as select $$other$$ as name');
      expect(await get(node.url, '/rest/v1/place', 'anything.example')).toBe('[{"name":"main"}]');
      expect(await get(node.url, '/rest/v1/place', 'other.apps.test')).toBe('[{"name":"other"}]');
      expect(await get(node.url, '/rest/v1/place', 'other.localhost')).toBe('[{"name":"other"}]');
      expect(other).toMatchObject({ origin: other.url });
      for (const path of ['/apps/other/rest/v1/place', '/admin/v1/setup', '/', '/docs/errors']) {
        expect(JSON.parse(await get(node.url, path, 'main-app.apps.test')).code).toBe('not_found');
        expect(JSON.parse(await get(node.url, path, 'anything.example')).code).toBe('not_found');
      }
      expect(await get(node.url, '/apps/other/rest/v1/place', new URL(node.url).host)).toBe('[{"name":"other"}]');
    } finally {
      await node.stop();
    }
  });
});

describe('makeUsedHome', () => {
  it('copies the complete home of a node, or returns an empty home if the data folder is only linked', async () => {
    const home = await makeUsedHome('used');
    expect([[], ['files', 'logs', 'postgres', 'secrets']]).toContainEqual((await readdir(home)).sort());
    await deleteHome(home);
  });
});

/** Sends a GET with a chosen Host header, which fetch does not allow. */
async function get(url: string, path: string, host: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket.setEncoding('utf8')) answer += chunk;
  return answer.slice(answer.indexOf('\r\n\r\n') + 4);
}
