import { createHash } from 'node:crypto';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { BegunSiteVersion, SiteState } from '../../contract/site.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { send } from '../support/http.ts';
import { cli } from '../support/node.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const node = inject('node');
const script = `export const rows = [${Array.from({ length: 400 }, (_, i) => i).join(', ')}];\n`;

let app: AppConnection;
let folder: string;
beforeAll(async () => {
  app = await createApp(node);
  folder = await makeTestFolder('site');
  await write({
    'index.html': '<!doctype html><title>Desk</title><script type="module" src="/assets/app-Bx3dE9_k.js"></script>',
    'assets/app-Bx3dE9_k.js': script,
    'robots.txt': 'User-agent: *',
    '.env': 'SECRET=1',
  });
});

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

const ninefold = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await cli(node, ['site', app.ref, ...args]);
  if (code !== 0) throw new Error(stderr);
  return stdout;
};

function get(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const host = `${app.ref}.localhost:${new URL(node.url).port}`;
  return send(node.url, path, { method, headers: { host, accept: 'text/html', ...headers } });
}
const isPortal = async (path: string) => (await get(path)).body.includes('data-surface="portal"');

it('the node publishes a folder on the app’s origin, rolls back, and serves the pages for members again', async () => {
  expect(await isPortal('/')).toBe(true);
  expect(await ninefold(folder)).toMatch(/^Version 1 is served: 3 files, 2 kB\.\nhttp:\/\//);
  await expect.poll(() => isPortal('/')).toBe(false);
  expect(await get('/')).toMatchObject({
    status: 200,
    body: expect.stringContaining('<title>Desk</title>'),
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
  });
  // The start page handles unknown paths, because it may contain a router. The account, the API and hidden files are
  // not part of the site.
  expect((await get('/tickets/7')).body).toContain('<title>Desk</title>');
  expect((await get('/.env', { accept: '*/*' })).status).toBe(404);
  expect(await isPortal('/account/sign-in')).toBe(true);
  expect((await get('/account/assets/color-scheme.js')).status).toBe(200);
  expect((await get('/auth/v1/settings', { apikey: app.anon_key })).status).toBe(200);
  expect((await send(node.url, `/apps/${app.ref}/robots.txt`)).status).toBe(404);

  // A file system may store the decomposed form of é. A link may lead to a file of the folder, and to no other file.
  await write({ 'index.html': '<!doctype html><title>Desk 2</title>', 'cafe\u0301 100%.txt': 'open' });
  await symlink('robots.txt', join(folder, 'alias.txt'));
  await symlink('/etc/hostname', join(folder, 'outside.txt'));
  await symlink('.env', join(folder, 'env.txt'));
  const published = await cli(node, ['site', app.ref, folder]);
  expect(published.stdout).toMatch(/^Version 2 is served: 5 files/);
  expect(published.stderr).toMatch(/^Left out, .*: (outside\.txt, env\.txt|env\.txt, outside\.txt)\.\n$/);
  await expect.poll(async () => (await get('/alias.txt')).body).toBe('User-agent: *');
  for (const path of ['/caf%C3%A9%20100%25.txt', '/cafe%CC%81%20100%25.txt'])
    expect((await get(path)).body).toBe('open');
  expect((await get('/outside.txt')).status).toBe(404);
  expect((await get('/portal/v1/app')).body).toContain('"has_site":true');
  await expect.poll(async () => (await get('/')).body).toContain('Desk 2');
  expect(await ninefold('--rollback')).toMatch(/^Version 1 is served/);
  await expect.poll(async () => (await get('/')).body).toContain('<title>Desk</title>');
  expect(await ninefold('--rollback', '2')).toMatch(/^Version 2 is served/);
  expect(await ninefold()).toMatch(/\n +2 .+ active\n +1 /);
  await ninefold('--portal');
  await expect.poll(() => isPortal('/')).toBe(true);
  const { versions } = JSON.parse(await ninefold('--json')) as SiteState;
  expect(versions.map(({ number, is_active }) => [number, is_active])).toEqual([
    [2, false],
    [1, false],
  ]);
  await ninefold('--rollback', '1');
  await expect.poll(() => isPortal('/')).toBe(false);
});

it('the node compresses text, revalidates by entity tag, caches hashed names for a year and sends ranges', async () => {
  const path = '/assets/app-Bx3dE9_k.js';
  const whole = await get(path);
  expect(whole).toMatchObject({ status: 200, body: script, headers: { vary: 'Accept-Encoding' } });
  expect(whole.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  for (const coding of ['br', 'gzip']) {
    const { headers } = await get(path, { 'accept-encoding': coding });
    expect(headers).toMatchObject({ 'content-encoding': coding, 'content-type': 'text/javascript; charset=utf-8' });
    expect(Number(headers['content-length'])).toBeLessThan(script.length / 2);
    expect(headers.etag).not.toBe(whole.headers.etag);
  }
  const etag = String(whole.headers.etag);
  expect(await get(path, { 'if-none-match': `"other", W/${etag}` })).toMatchObject({ status: 304, body: '' });
  expect(await get(path, {}, 'HEAD')).toMatchObject({
    status: 200,
    body: '',
    headers: { 'content-length': String(script.length) },
  });
  const part = await get(path, { range: 'bytes=7-11', 'accept-encoding': 'br' });
  expect([part.status, part.body, part.headers['content-range']]).toEqual([
    206,
    'const',
    `bytes 7-11/${script.length}`,
  ]);
  expect((await get(path, { range: `bytes=${script.length}-` })).status).toBe(416);
  expect((await get('/assets/gone-Bx3dE9_k.js')).status).toBe(404);
  expect((await get('/', {}, 'POST')).status).toBe(404);
});

it('the node refuses invalid paths and hashes, a version with missing files, and a folder without a start page', async () => {
  const begin = (files: Record<string, string>) =>
    admin<BegunSiteVersion>(node, 'POST', `/apps/${app.ref}/site/versions`, { files });
  const hash = 'a'.repeat(64);
  for (const path of ['../x', '/x', 'a//b', 'account/x', 'auth/v1/user', 'health', 'a\\b', 'a\nb', 'x'.repeat(600)]) {
    await expect(begin({ 'index.html': hash, [path]: hash })).rejects.toThrow('validation_invalid');
  }
  for (const files of [{}, { 'page.html': hash }, { 'index.html': 'abc' }]) {
    await expect(begin(files)).rejects.toThrow('validation_invalid');
  }
  const { id, missing } = await begin({ 'index.html': hash });
  expect(missing).toEqual([hash]);
  await expect(admin(node, 'POST', `/apps/${app.ref}/site/versions/${id}/publish`, {})).rejects.toThrow(
    'site_incomplete',
  );
  await expect(admin(node, 'PUT', `/apps/${app.ref}/site/versions/${id}/files/${hash}`, {})).rejects.toThrow('SHA-256');
  await expect(admin(node, 'POST', `/apps/${app.ref}/site/versions/${hash}/publish`, {})).rejects.toThrow('not_found');
  const empty = await makeTestFolder('empty');
  await mkdir(join(folder, 'account'));
  await writeFile(join(folder, 'account/index.html'), '');
  await expect(ninefold(folder)).rejects.toThrow(/account\/index\.html is an address of the app’s API or/);
  await rm(join(folder, 'account'), { recursive: true });
  await expect(ninefold(empty)).rejects.toThrow('has no index.html');
  await expect(ninefold(join(empty, 'nothing'))).rejects.toThrow('is no folder');
  await expect(ninefold(folder, '--portal')).rejects.toThrow('Use one of');
  await rm(empty, { recursive: true });
});

it('the node stores equal files once, and keeps the ten newest versions', async () => {
  const site = `/apps/${app.ref}/site/versions`;
  const sha256 = (content: string) => createHash('sha256').update(JSON.stringify(content)).digest('hex');
  for (let i = 0; i < 11; i++) {
    const files = { 'index.html': sha256(`page ${i}`), 'about.html': sha256('about') };
    const { id, missing } = await admin<BegunSiteVersion>(node, 'POST', site, { files });
    expect(missing.length).toBe(i === 0 ? 2 : 1);
    for (const content of [`page ${i}`, 'about']) {
      const hash = sha256(content);
      if (missing.includes(hash)) await admin(node, 'PUT', `${site}/${id}/files/${hash}`, content);
    }
    await admin(node, 'POST', `${site}/${id}/publish`, {});
  }
  const { versions } = await admin<SiteState>(node, 'GET', `/apps/${app.ref}/site`);
  expect(versions.map(({ is_active }) => is_active)).toEqual([true, ...Array.from({ length: 9 }, () => false)]);
  const { results } = await runSql(node, app.ref, 'select count(*) from ninefold.site_files');
  expect(results[0]?.rows).toEqual([['11']]);
});
